import type { Contribution, Due } from '../../../lib/contracts/contribution.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { outstandingOf } from '../cycles/cycle.rules.ts';
import { CONTRIBUTION_STATES, type DescribedContribution, type ListedDue } from './contribution.table.ts';

/**
 * Returns a contribution as clients see it.
 * @param row with `transfer_id` if another record than the contribution has the transfer
 * @throws Error for a contribution that was refused with 4xx, as clients never see it
 */
export function showContribution(row: DescribedContribution & { transfer_id?: string | null }): Contribution {
  const { shown, posted: isPaid } = CONTRIBUTION_STATES[row.status];
  if (shown === null) throw new Error(`Contribution ${row.id} is ${row.status} and must not be shown`);
  return {
    id: row.id,
    association_id: row.association_id,
    meeting_id: row.meeting_id,
    member_id: row.member_id,
    paid_by_member_id: row.paid_by_member_id,
    wallet_id: row.wallet_id,
    amount: toMajor(row.amount_minor, row.currency),
    currency: row.currency,
    method: row.method,
    status: shown,
    outstanding: toMajor(row.outstanding_minor, row.currency),
    transfer_id: isPaid ? (row.transfer_id ?? row.id) : null,
    paid_at: isPaid ? (row.decided_at?.toISOString() ?? null) : null,
    metadata: row.metadata,
  };
}

/** Returns what a member owes and has paid for a meeting, as clients see it. */
export function showDue(row: ListedDue, currency: string): Due {
  return {
    member_id: row.member_id,
    due: toMajor(row.due_minor, currency),
    paid: toMajor(row.paid_minor, currency),
    outstanding: toMajor(outstandingOf(row.due_minor, row.paid_minor), currency),
    arrears: toMajor(row.arrears_minor, currency),
  };
}
