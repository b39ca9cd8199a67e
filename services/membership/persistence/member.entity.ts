import { EntitySchema } from 'typeorm';
import type { MemberRecord } from '../members/member.table.ts';

export const MemberEntity = new EntitySchema<MemberRecord>({
  name: 'member',
  tableName: 'members',
  columns: {
    id: { type: 'uuid', primary: true },
    association_id: { type: 'uuid' },
    user_id: { type: 'text' },
    display_name: { type: 'text', nullable: true },
    role: { type: 'text' },
    status: { type: 'text' },
    hands: { type: 'smallint' },
    payout_wallet_id: { type: 'text', nullable: true },
    joined_at: { type: 'timestamptz' },
    tenure: { type: 'integer' },
  },
});
