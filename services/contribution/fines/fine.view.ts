import type { Fine } from '../../../lib/contracts/contribution.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { FineRow } from './fine.table.ts';

/** Returns what is left to pay of a fine, in minor units. */
export function fineOutstanding({ status, amount_minor, paid_minor }: FineRow): bigint {
  return status === 'due' ? amount_minor - paid_minor : 0n;
}

/** Returns a fine as clients see it. */
export function showFine(row: FineRow): Fine {
  const major = (minor: bigint) => toMajor(minor, row.currency);
  return {
    id: row.id,
    association_id: row.association_id,
    member_id: row.member_id,
    code: row.code,
    meeting_id: row.meeting_id,
    period: row.period,
    reason: row.reason,
    amount: major(row.amount_minor),
    paid: major(row.paid_minor),
    outstanding: major(fineOutstanding(row)),
    currency: row.currency,
    status: row.status,
    rules_version: row.rules_version,
    assessed_at: row.assessed_at.toISOString(),
  };
}

/**
 * Returns the event of a payment of a fine.
 * @param row as the payment has left it
 */
export function finePaidFact(row: FineRow, paid_minor: bigint, transfer_id: string): Fact {
  const { association_id, currency } = row;
  const amounts = { amount_minor: Number(paid_minor), currency, outstanding_minor: Number(fineOutstanding(row)) };
  return { type: 'fine.paid', association_id, data: { ...fineFactOf(row), ...amounts, transfer_id } };
}

/** Returns the part of an event that says which fine it is about. */
export function fineFactOf({ id: fine_id, member_id, code, meeting_id }: FineRow) {
  return { fine_id, member_id, code, meeting_id };
}

/** Returns the event of an assessed fine. */
export function assessedFact(row: FineRow): Fact {
  const { association_id, period, amount_minor, currency, rules_version, assessed_by_member_id } = row;
  const terms = { period, amount_minor: Number(amount_minor), currency, rules_version, assessed_by_member_id };
  return { type: 'fine.assessed', association_id, data: { ...fineFactOf(row), ...terms } };
}
