import type { DatabaseDefinition } from '../../../lib/persistence/database.ts';
import { ApprovalEntity } from './approval.entity.ts';
import { CreateTables1762000000000 } from './migrations/0001-create-tables.ts';
import { ProposalEntity } from './proposal.entity.ts';
import { VoteEntity } from './vote.entity.ts';

/** Everything that governance keeps. */
export const governanceDatabase: DatabaseDefinition = {
  entities: [ApprovalEntity, VoteEntity, ProposalEntity],
  migrations: [CreateTables1762000000000],
};
