import { problem } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { ContributionDeps } from '../deps.ts';
import { payOff } from './arrears.rules.ts';
import { CONTRIBUTION_MOVES } from '../payments/contribution-states.ts';
import { lockArrearsOf, takeArrears } from './arrears.store.ts';
import { insertPending } from './pay-arrears.ts';
import type { DrivenContribution } from '../payments/contribution.saga.ts';
import { walletIn } from '../settlement/payout-wallets.ts';
import type { PayoutWallets } from '../settlement/payout-wallets.ts';

/**
 * Stores a pending payment of what a member owes from a settled meeting, and takes that much of his arrears, or
 * neither. They are paid off in rotation order.
 * @throws meeting_not_open if he never owed anything from it, contribution_exceeds_due
 */
export async function takeForArrears(
  { foundation }: ContributionDeps,
  payment: DrivenContribution,
  wallets: PayoutWallets,
): Promise<DrivenContribution> {
  const { id, meeting_id, member_id, amount_minor, currency } = payment;
  const walletOf = walletIn(wallets);
  return foundation.transaction(async (manager) => {
    const open = await lockArrearsOf(manager, meeting_id, member_id);
    if (open === undefined) throw problem('meeting_not_open');
    const left_minor = open.reduce((sum, arrear) => sum + arrear.left_minor, 0n);
    if (amount_minor > left_minor) {
      throw problem('contribution_exceeds_due', { outstanding: toMajor(left_minor, currency) });
    }
    const parts = payOff(amount_minor, open).map((part) => ({ ...part, wallet_id: walletOf(part.creditor_id) }));
    await takeArrears(manager, id, parts);
    const now = foundation.runtime.clock();
    await insertPending(manager, {
      ...payment,
      status: CONTRIBUTION_MOVES.pay.from[0],
      outstanding_minor: left_minor - amount_minor,
      failure_code: null,
      created_at: now,
      decided_at: null,
      driven_at: now,
    });
    return { ...payment, parts };
  });
}
