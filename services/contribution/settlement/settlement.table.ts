import type { PAYMENT_METHODS } from '../../../lib/contracts/fields.ts';
import type { FineRule } from '../../../lib/contracts/membership.ts';
import type { TransferLeg } from '../../../lib/contracts/treasury.ts';
import { bigint, instant, integer, jsonb, key, list, optional, table, text, uuid } from '../../../lib/db/table.ts';
import type { RowOf } from '../../../lib/db/table.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { sqlList, statesBefore, statesWhere, type StateTable } from '../../../lib/saga/states.ts';

export type SettlementStatus = 'planned' | 'settled' | 'refused';

/**
 * Clients see `planned` as `pending`. A plan that the ledger has `refused` is never shown, and its meeting is open again.
 * The money of a plan that is `done` has moved.
 */
export const SETTLEMENT_STATES: StateTable<SettlementStatus, { shown: boolean; done: boolean }> = {
  planned: { next: ['settled', 'refused'], shown: true, done: false },
  settled: { next: [], shown: true, done: true },
  refused: { next: [], shown: false, done: false },
};

/** SQL lists of the statuses of plans that can be carried out, are carried out, and are visible to clients. */
export const PLANNED = sqlList(statesBefore(SETTLEMENT_STATES, 'settled'));
export const SETTLED = sqlList(statesWhere(SETTLEMENT_STATES, ({ done }) => done));
export const SHOWN_SETTLEMENTS = sqlList(statesWhere(SETTLEMENT_STATES, ({ shown }) => shown));

/** A payout of a stored plan. The amount is a safe integer, as JSON has no bigint. */
export interface StoredPayout {
  member_id: string;
  method: (typeof PAYMENT_METHODS)[number];
  wallet_id: string | null;
  amount_minor: number;
}

/** Arrears that a settlement leaves, in the order of claimsOf(). */
export interface StoredArrear {
  debtor_id: string;
  creditor_id: string;
  rank: number;
  amount_minor: number;
}

/** Plans that end meetings, with their outcomes. A plan's transfer has the same id. */
export const settlements = table('settlements', {
  id: key(uuid()),
  /** A cancellation's payouts are refunds. */
  kind: text<'settlement' | 'cancellation'>(),
  association_id: uuid(),
  meeting_id: uuid(),
  status: text<SettlementStatus>(),
  currency: text(),
  collected_minor: bigint(),
  expected_minor: bigint(),
  paid_out_minor: bigint(),
  to_treasury_minor: bigint(),
  /** The changes of the savings in the treasury; negative if they decrease. */
  savings_emoney_minor: bigint(),
  savings_cash_minor: bigint(),
  payouts: jsonb<StoredPayout[]>(),
  legs: jsonb<TransferLeg[]>(),
  claims: jsonb<StoredArrear[]>(),
  rules_version: integer(),
  settled_by_member_id: uuid(),
  /** Why the ledger refused the plan. */
  failure_code: optional(text<ErrorCode>()),
  created_at: instant(),
  settled_at: optional(instant()),
  last_attempt_at: instant(),
});
export type SettlementRow = RowOf<typeof settlements>;

/** The rules of fines for absence and lateness that a planned settlement applies, if there are any. */
export const settlementFineRules = table('settlement_fine_rules', {
  settlement_id: key(uuid()),
  rules: jsonb<FineRule[]>(),
  /** Members who were absent or late, and were no longer in the association when the settlement was requested. */
  not_fined: list(uuid()),
});
export type SettlementFines = Pick<RowOf<typeof settlementFineRules>, 'rules' | 'not_fined'>;
