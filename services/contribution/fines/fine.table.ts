import type { FINE_STATUSES } from '../../../lib/contracts/contribution.ts';
import { bigint, instant, integer, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import { AMOUNT_MAX_MINOR } from '../../../lib/money/amount.ts';
import { sqlList, statesBefore, statesWhere, type StateTable } from '../../../lib/saga/states.ts';

export type FineStatus = (typeof FINE_STATUSES)[number];

/** A fine `obliges` its member while something of it is left to pay. A payment that is reversed makes it due again. */
export const FINE_STATES: StateTable<FineStatus, { obliges: boolean }> = {
  due: { next: ['paid', 'waived'], obliges: true },
  paid: { next: ['due'], obliges: false },
  waived: { next: [], obliges: false },
};

/** SQL list of the statuses of fines that are to be paid. */
export const FINE_DUE = sqlList(statesWhere(FINE_STATES, ({ obliges }) => obliges));

/** Fines of members. A unique index allows one for each rule, member, meeting and period. */
export const fines = table('fines', {
  id: key(uuid()),
  association_id: uuid(),
  member_id: uuid(),
  /** The name of the rule. */
  code: text(),
  /** Null for a manual fine without a meeting, of which a member may have several. */
  meeting_id: optional(uuid()),
  period: integer(),
  reason: optional(text()),
  currency: text(),
  amount_minor: bigint(),
  /** What is paid or in flight. */
  taken_minor: bigint(),
  paid_minor: bigint(),
  status: text<FineStatus>(),
  rules_version: integer(),
  /** Null for a fine that the service assessed. */
  assessed_by_member_id: optional(uuid()),
  assessed_at: instant(),
  /** The approval that waived the rest. */
  waived_by_approval_id: optional(uuid()),
});
export type FineRow = RowOf<typeof fines>;

/**
 * Returns the SQL for the status of a fine that has been paid, or whose payment was reversed. A waived fine stays waived.
 * @param fine the row, in SQL
 * @param change by how much `paid_minor` changes, in SQL
 */
export const statusWithPaid = (fine: string, change: string): string => `
  CASE WHEN ${fine}.status = 'waived' THEN 'waived' WHEN ${fine}.paid_minor + ${change} = ${fine}.amount_minor THEN 'paid' ELSE 'due' END`;

/**
 * Returns the SQL for a sum of fines in minor units. It is at most the largest amount: as nothing bounds the number of fines, a sum
 * could otherwise be more than a bigint holds, and no page that shows it could be read.
 * @param amount of one fine, in SQL
 * @param over the window, in SQL; none for an aggregate
 */
export const sumOfFines = (amount: string, over = ''): string =>
  `least(coalesce(sum(${amount}) ${over}, 0), ${String(AMOUNT_MAX_MINOR)})::bigint`;

export type FinePaymentStatus = 'pending' | 'paid' | 'reversing' | 'reversed' | 'failed' | 'refused';

/**
 * `refused`: the request that stored it got the refusal. `failed`: its request may have been answered with 202. `reversing`: a
 * correction has taken it back, and the ledger has not decided yet; its transfer is in the ledger, as that of all `posted` ones.
 */
export const FINE_PAYMENT_STATES: StateTable<FinePaymentStatus, { posted: boolean }> = {
  pending: { next: ['paid', 'failed', 'refused'], posted: false },
  paid: { next: ['reversing'], posted: true },
  reversing: { next: ['paid', 'reversed'], posted: true },
  reversed: { next: [], posted: true },
  failed: { next: [], posted: false },
  refused: { next: [], posted: false },
};

/** SQL lists of the statuses of payments without an outcome, and of those that take a part of the fine without being paid. */
export const PAYING = sqlList(statesBefore(FINE_PAYMENT_STATES, 'failed'));
export const FINE_IN_FLIGHT = sqlList(statesBefore(FINE_PAYMENT_STATES, 'paid'));

/** Payments of fines from wallets. The transfer has the same id. */
export const finePayments = table('fine_payments', {
  id: key(uuid()),
  association_id: uuid(),
  fine_id: uuid(),
  /** The member whose fine it is. */
  member_id: uuid(),
  paid_by_member_id: uuid(),
  payer_user_id: text(),
  wallet_id: text(),
  amount_minor: bigint(),
  currency: text(),
  status: text<FinePaymentStatus>(),
  failure_code: optional(text()),
  /** The gateway's statement for the treasury that the payer has called, until the payment is decided (ADR 29). */
  statement: optional(text()),
  created_at: instant(),
  decided_at: optional(instant()),
  last_attempt_at: instant(),
});
export type FinePaymentRow = RowOf<typeof finePayments>;
