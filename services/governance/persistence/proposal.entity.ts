import { EntitySchema } from 'typeorm';
import type { PROPOSAL_TYPES } from '../../../lib/contracts/approvals.ts';

export interface ProposalRow {
  id: string;
  association_id: string;
  type: (typeof PROPOSAL_TYPES)[number];
  title: string;
  payload: Record<string, unknown>;
  approval_id: string;
  created_at: Date;
}

export const ProposalEntity = new EntitySchema<ProposalRow>({
  name: 'proposal',
  tableName: 'proposals',
  columns: {
    id: { type: 'uuid', primary: true },
    association_id: { type: 'uuid' },
    type: { type: 'text' },
    title: { type: 'text' },
    payload: { type: 'json' },
    approval_id: { type: 'uuid' },
    created_at: { type: 'timestamptz' },
  },
});
