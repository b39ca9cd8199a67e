import { EntitySchema } from 'typeorm';
import type { Distribution } from './distribution.rules.ts';

export const DistributionEntity = new EntitySchema<Distribution>({
  name: 'distribution',
  tableName: 'distributions',
  columns: {
    id: { type: 'uuid', primary: true },
    association_id: { type: 'uuid' },
    beneficiary_member_id: { type: 'uuid' },
    payout_wallet_id: { type: 'text' },
    amount: { type: 'bigint' },
    currency: { type: 'char', length: 3 },
    reason: { type: 'text' },
    status: { type: 'text' },
    approval_id: { type: 'uuid' },
    closing_transfer_id: { type: 'uuid' },
    return_transfer_id: { type: 'uuid' },
    reserved_emoney: { type: 'bigint' },
    reserved_cash: { type: 'bigint' },
    requested_by_member_id: { type: 'uuid' },
    requested_at: { type: 'timestamptz' },
    touched_at: { type: 'timestamptz' },
    decision: { type: 'text', nullable: true },
    decided_at: { type: 'timestamptz', nullable: true },
    refusal: { type: 'json', nullable: true },
  },
});
