import type { DatabaseDefinition } from '../../lib/db/database.ts';
import { locks } from '../../lib/locks/locks.ts';
import { cashDeposits } from './cash/cash-deposit.table.ts';
import { corrections } from './corrections/correction.table.ts';
import { distributions } from './distributions/distribution.table.ts';
import { accounts, chains, entries, transfers } from './ledger/ledger.table.ts';
import { CreateTables1700000000001 } from './migrations/0001-create-tables.ts';
import { CompleteTheContract1700000000002 } from './migrations/0002-complete-the-contract.ts';
import { Locks1700000000003 } from './migrations/0003-locks.ts';
import { OutboxLease1700000000004 } from './migrations/0004-outbox-lease.ts';
import { LastAttempt1700000000005 } from './migrations/0005-last-attempt.ts';
import { CheckEntriesByKey1700000000006 } from './migrations/0006-check-entries-by-key.ts';
import { OutboxArchives1700000000007 } from './migrations/0007-outbox-archives.ts';
import { DistributionsByStatus1700000000008 } from './migrations/0008-distributions-by-status.ts';
import { CashDepositsByStatus1700000000009 } from './migrations/0009-cash-deposits-by-status.ts';
import { TransfersByKind1700000000010 } from './migrations/0010-transfers-by-kind.ts';
import { TransferMetadata1700000000011 } from './migrations/0011-transfer-metadata.ts';
import { FundingMetadata1700000000012 } from './migrations/0012-funding-metadata.ts';
import { RequestMetadata1700000000013 } from './migrations/0013-request-metadata.ts';
import { Corrections1700000000014 } from './migrations/0014-corrections.ts';
import { walletFunding, wallets } from './wallets/wallet.table.ts';

export const treasuryDatabase: DatabaseDefinition = {
  tables: [
    chains,
    accounts,
    transfers,
    entries,
    wallets,
    walletFunding,
    cashDeposits,
    distributions,
    corrections,
    locks,
  ],
  migrations: [
    CreateTables1700000000001,
    CompleteTheContract1700000000002,
    Locks1700000000003,
    OutboxLease1700000000004,
    LastAttempt1700000000005,
    CheckEntriesByKey1700000000006,
    OutboxArchives1700000000007,
    DistributionsByStatus1700000000008,
    CashDepositsByStatus1700000000009,
    TransfersByKind1700000000010,
    TransferMetadata1700000000011,
    FundingMetadata1700000000012,
    RequestMetadata1700000000013,
    Corrections1700000000014,
  ],
};
