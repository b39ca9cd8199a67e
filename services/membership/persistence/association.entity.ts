import { EntitySchema } from 'typeorm';
import type { AssociationRecord } from '../associations/association.table.ts';

export interface AssociationRow extends AssociationRecord {
  /** See domain/search-text.ts; for the directory's condition alone, so it is never read. */
  search_text?: string;
}

export const AssociationEntity = new EntitySchema<AssociationRow>({
  name: 'association',
  tableName: 'associations',
  columns: {
    id: { type: 'uuid', primary: true },
    name: { type: 'text' },
    description: { type: 'text', nullable: true },
    type: { type: 'text' },
    status: { type: 'text' },
    currency: { type: 'text' },
    contribution_amount_minor: { type: 'bigint' },
    contribution_frequency: { type: 'text' },
    max_members: { type: 'integer' },
    is_public: { type: 'boolean' },
    member_count: { type: 'integer' },
    rules: { type: 'jsonb' },
    rules_version: { type: 'integer' },
    created_at: { type: 'timestamptz' },
    search_text: { type: 'text', select: false },
  },
});
