import type { DatabaseDefinition } from '../../../lib/db/database.ts';
import { ContributionEntity } from './contribution.entity.ts';
import { CycleEntity } from './cycle.entity.ts';
import { MeetingEntity } from './meeting.entity.ts';
import { CreateTables1763683200000 } from './migrations/0001-create-tables.ts';
import { ArrearsCashCancellations1763769600000 } from './migrations/0002-arrears-cash-cancellations.ts';
import { CreateSavingsAndDraws1763856000000 } from './migrations/0003-savings-and-draws.ts';
import { IndexCreditors1763942400000 } from './migrations/0004-index-creditors.ts';
import { Locks1764028800000 } from './migrations/0005-locks.ts';
import { OutboxLease1764115200000 } from './migrations/0006-outbox-lease.ts';
import { SettlementEntity } from './settlement.entity.ts';

/** The tables of this service. */
export const contributionDatabase: DatabaseDefinition = {
  entities: [CycleEntity, MeetingEntity, ContributionEntity, SettlementEntity],
  migrations: [
    CreateTables1763683200000,
    ArrearsCashCancellations1763769600000,
    CreateSavingsAndDraws1763856000000,
    IndexCreditors1763942400000,
    Locks1764028800000,
    OutboxLease1764115200000,
  ],
};
