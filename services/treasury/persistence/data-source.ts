import type { DatabaseDefinition } from '../../../lib/db/database.ts';
import { CashDepositEntity } from './cash-deposit.entity.ts';
import { DistributionEntity } from './distribution.entity.ts';
import { CreateTables1700000000001 } from './migrations/0001-create-tables.ts';
import { CompleteTheContract1700000000002 } from './migrations/0002-complete-the-contract.ts';
import { Locks1700000000003 } from './migrations/0003-locks.ts';
import { OutboxLease1700000000004 } from './migrations/0004-outbox-lease.ts';
import { WalletEntity, WalletFundingEntity } from './wallet.entity.ts';

/** The treasury's tables. */
export const treasuryDatabase: DatabaseDefinition = {
  entities: [WalletEntity, WalletFundingEntity, CashDepositEntity, DistributionEntity],
  migrations: [
    CreateTables1700000000001,
    CompleteTheContract1700000000002,
    Locks1700000000003,
    OutboxLease1700000000004,
  ],
};
