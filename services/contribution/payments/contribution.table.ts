import { EntitySchema } from 'typeorm';
import type { PAYOUT_METHODS } from '../../../lib/contracts/treasury.ts';
import type { ContributionStatus } from './contribution-states.ts';

/** Into the meeting's pool, or, of a settled meeting, straight to those to whom the member owes. */
export type ContributionKind = 'pool' | 'arrears';

/**
 * A payment of a member's due, or of any amount outside a cycle. Its id is also its transfer's. Cash has neither wallet
 * nor payer: the treasury posts it once the board has confirmed it.
 */
export interface ContributionRow {
  id: string;
  association_id: string;
  meeting_id: string;
  member_id: string;
  paid_by_member_id: string;
  payer_user_id: string | null;
  wallet_id: string | null;
  method: (typeof PAYOUT_METHODS)[number];
  kind: ContributionKind;
  amount_minor: bigint;
  currency: string;
  status: ContributionStatus;
  outstanding_minor: bigint;
  failure_code: string | null;
  created_at: Date;
  decided_at: Date | null;
  driven_at: Date;
}

export const ContributionEntity = new EntitySchema<ContributionRow>({
  name: 'contributions',
  columns: {
    id: { type: 'uuid', primary: true },
    association_id: { type: 'uuid' },
    meeting_id: { type: 'uuid' },
    member_id: { type: 'uuid' },
    paid_by_member_id: { type: 'uuid' },
    payer_user_id: { type: 'text', nullable: true },
    wallet_id: { type: 'text', nullable: true },
    method: { type: 'text' },
    kind: { type: 'text' },
    amount_minor: { type: 'bigint' },
    currency: { type: 'text' },
    status: { type: 'text' },
    outstanding_minor: { type: 'bigint' },
    failure_code: { type: 'text', nullable: true },
    created_at: { type: 'timestamptz' },
    decided_at: { type: 'timestamptz', nullable: true },
    driven_at: { type: 'timestamptz' },
  },
});
