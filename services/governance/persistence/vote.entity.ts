import { EntitySchema } from 'typeorm';
import type { VoteDecision } from '../domain/judgement.ts';

export interface VoteRow {
  approval_id: string;
  member_id: string;
  decision: VoteDecision;
  /** Why, for a rejection; kept for the association's records. */
  reason: string | null;
  voted_at: Date;
  /** The request that cast it, so that a repeat of it knows its own work; null for votes cast before this was kept. */
  operation_id: string | null;
}

export const VoteEntity = new EntitySchema<VoteRow>({
  name: 'vote',
  tableName: 'votes',
  columns: {
    approval_id: { type: 'uuid', primary: true },
    member_id: { type: 'uuid', primary: true },
    decision: { type: 'text' },
    reason: { type: 'text', nullable: true },
    voted_at: { type: 'timestamptz' },
    operation_id: { type: 'uuid', nullable: true },
  },
});
