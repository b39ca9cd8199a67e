import { EntitySchema } from 'typeorm';
import type { PAYOUT_METHODS, TransferLeg } from '../../../lib/contracts/treasury.ts';
import type { SettlementStatus } from './settlement-states.ts';

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

/** What ends a meeting: its settlement, or its cancellation, whose payouts are refunds. */
export type SettlementRowKind = 'settlement' | 'cancellation';

/** A settlement's or cancellation's plan and what became of it. Its id is also its transfer's. */
export interface SettlementRow {
  id: string;
  kind: SettlementRowKind;
  association_id: string;
  meeting_id: string;
  status: SettlementStatus;
  currency: string;
  collected_minor: bigint;
  expected_minor: bigint;
  paid_out_minor: bigint;
  to_treasury_minor: bigint;
  savings_emoney_minor: bigint;
  savings_cash_minor: bigint;
  payouts: StoredPayout[];
  legs: TransferLeg[];
  claims: StoredClaim[];
  rules_version: number;
  settled_by_member_id: string;
  failure_code: string | null;
  created_at: Date;
  settled_at: Date | null;
  driven_at: Date;
}

export const SettlementEntity = new EntitySchema<SettlementRow>({
  name: 'settlements',
  columns: {
    id: { type: 'uuid', primary: true },
    kind: { type: 'text' },
    association_id: { type: 'uuid' },
    meeting_id: { type: 'uuid' },
    status: { type: 'text' },
    currency: { type: 'text' },
    collected_minor: { type: 'bigint' },
    expected_minor: { type: 'bigint' },
    paid_out_minor: { type: 'bigint' },
    to_treasury_minor: { type: 'bigint' },
    savings_emoney_minor: { type: 'bigint' },
    savings_cash_minor: { type: 'bigint' },
    payouts: { type: 'jsonb' },
    legs: { type: 'jsonb' },
    claims: { type: 'jsonb' },
    rules_version: { type: 'int' },
    settled_by_member_id: { type: 'uuid' },
    failure_code: { type: 'text', nullable: true },
    created_at: { type: 'timestamptz' },
    settled_at: { type: 'timestamptz', nullable: true },
    driven_at: { type: 'timestamptz' },
  },
});
