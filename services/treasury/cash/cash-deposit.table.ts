import { EntitySchema } from 'typeorm';
import type { CashDeposit } from './cash-deposit.rules.ts';

export const CashDepositEntity = new EntitySchema<CashDeposit>({
  name: 'cash_deposit',
  tableName: 'cash_deposits',
  columns: {
    id: { type: 'uuid', primary: true },
    association_id: { type: 'uuid' },
    member_id: { type: 'uuid' },
    meeting_id: { type: 'uuid', nullable: true },
    amount: { type: 'bigint' },
    currency: { type: 'char', length: 3 },
    reason: { type: 'text' },
    status: { type: 'text' },
    approval_id: { type: 'uuid' },
    recorded_by_member_id: { type: 'uuid' },
    recorded_at: { type: 'timestamptz' },
    touched_at: { type: 'timestamptz' },
    decision: { type: 'text', nullable: true },
    refusal: { type: 'json', nullable: true },
  },
});
