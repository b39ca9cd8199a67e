import type { PAYOUT_METHODS } from '../../../lib/contracts/fields.ts';
import type { TransferLeg } from '../../../lib/contracts/treasury.ts';
import { bigint, instant, integer, jsonb, key, optional, table, text, uuid } from '../../../lib/db/table.ts';
import type { RowOf } from '../../../lib/db/table.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { sqlList, statesBefore, statesWhere, type StateTable } from '../../../lib/saga/states.ts';

export type SettlementStatus = 'planned' | 'settled' | 'refused';

/**
 * `planned` is shown as `pending`. `refused`, by the ledger, is never shown, and its meeting is open again. `done`: its
 * money has moved.
 */
export const SETTLEMENT_STATES: StateTable<SettlementStatus, { shown: boolean; done: boolean }> = {
  planned: { next: ['settled', 'refused'], shown: true, done: false },
  settled: { next: [], shown: true, done: true },
  refused: { next: [], shown: false, done: false },
};

/** As SQL. */
export const PLANNED = sqlList(statesBefore(SETTLEMENT_STATES, 'settled'));
export const SETTLED = sqlList(statesWhere(SETTLEMENT_STATES, ({ done }) => done));
export const SHOWN_SETTLEMENTS = sqlList(statesWhere(SETTLEMENT_STATES, ({ shown }) => shown));

/** A payout of a stored plan: a safe integer of minor units, as JSON has no bigint. */
export interface StoredPayout {
  member_id: string;
  method: (typeof PAYOUT_METHODS)[number];
  wallet_id: string | null;
  amount_minor: number;
}

/** What a settlement leaves owed, by debtor and then in the order in which it is paid off. */
export interface StoredClaim {
  debtor_id: string;
  creditor_id: string;
  rank: number;
  amount_minor: number;
}

/** The plan that ends a meeting, and what became of it. Its id is also its transfer's. */
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
  /** By how much it raises, or below zero lowers, the savings in the treasury. */
  savings_emoney_minor: bigint(),
  savings_cash_minor: bigint(),
  payouts: jsonb<StoredPayout[]>(),
  legs: jsonb<TransferLeg[]>(),
  claims: jsonb<StoredClaim[]>(),
  rules_version: integer(),
  settled_by_member_id: uuid(),
  /** Why the ledger refused it. */
  failure_code: optional(text<ErrorCode>()),
  created_at: instant(),
  settled_at: optional(instant()),
  last_attempt_at: instant(),
});
export type SettlementRow = RowOf<typeof settlements>;
