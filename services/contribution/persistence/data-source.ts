import type { DatabaseDefinition } from '../../../lib/persistence/database.ts';
import { ContributionEntity } from './contribution.entity.ts';
import { CycleEntity } from './cycle.entity.ts';
import { MeetingEntity } from './meeting.entity.ts';
import { CreateTables1763683200000 } from './migrations/0001-create-tables.ts';
import { SettlementEntity } from './settlement.entity.ts';

/** The tables of this service. */
export const contributionDatabase: DatabaseDefinition = {
  entities: [CycleEntity, MeetingEntity, ContributionEntity, SettlementEntity],
  migrations: [CreateTables1763683200000],
};
