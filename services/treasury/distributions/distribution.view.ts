import type { Payout } from '../../../lib/contracts/fields.ts';
import type { Distribution as DistributionAnswer } from '../../../lib/contracts/treasury.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { statesWhere } from '../../../lib/saga/states.ts';
import { DISTRIBUTION_STATES, type Distribution, type DistributionState } from './distribution.table.ts';

/** Returns the states that are shown as `status`, or all that are shown if it is undefined. */
export function statesShown(status?: DistributionAnswer['status']): DistributionState[] {
  return statesWhere(DISTRIBUTION_STATES, ({ shown }) => (status === undefined ? shown !== null : shown === status));
}

/** Returns the distribution as members of the association see it. */
export function showDistribution(distribution: Distribution): DistributionAnswer {
  const { id, association_id, beneficiary_member_id, currency, reason, approval_id } = distribution;
  return {
    id,
    association_id,
    beneficiary_member_id,
    amount: toMajor(distribution.amount, currency),
    currency,
    reason,
    status: DISTRIBUTION_STATES[distribution.status].shown ?? 'pending_approval',
    approval_id,
    requested_by_member_id: distribution.requested_by_member_id,
    requested_at: distribution.requested_at.toISOString(),
    payouts: distribution.status === 'paid' || distribution.status === 'reversed' ? payoutsOf(distribution) : [],
    decided_at: distribution.decided_at?.toISOString() ?? null,
    metadata: distribution.metadata ?? {},
  };
}

function payoutsOf(distribution: Distribution): Payout[] {
  const { reserved_emoney, reserved_cash, payout_wallet_id, currency } = distribution;
  const payout = (wallet_id: string | null, minor: bigint): Payout => ({
    member_id: distribution.beneficiary_member_id,
    wallet_id,
    method: wallet_id === null ? 'cash' : 'wallet',
    amount: toMajor(minor, currency),
    transfer_id: distribution.closing_transfer_id,
  });
  return [
    ...(reserved_emoney > 0n ? [payout(payout_wallet_id, reserved_emoney)] : []),
    ...(reserved_cash > 0n ? [payout(null, reserved_cash)] : []),
  ];
}
