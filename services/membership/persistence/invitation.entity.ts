import { EntitySchema } from 'typeorm';
import type { InvitationRecord } from '../invitations/invitation.table.ts';

export const InvitationEntity = new EntitySchema<InvitationRecord>({
  name: 'invitation',
  tableName: 'invitations',
  columns: {
    id: { type: 'uuid', primary: true },
    association_id: { type: 'uuid' },
    code_hash: { type: 'bytea' },
    created_by_member_id: { type: 'uuid' },
    max_uses: { type: 'integer' },
    uses: { type: 'integer' },
    expires_at: { type: 'timestamptz' },
    created_at: { type: 'timestamptz' },
  },
});
