import type { DatabaseDefinition } from '../../../lib/db/database.ts';
import { ApprovalEntity } from './approval.entity.ts';
import { CreateTables1762000000000 } from './migrations/0001-create-tables.ts';
import { AllProposals1763000000000 } from './migrations/0002-all-proposals.ts';
import { OutboxLease1764000000000 } from './migrations/0003-outbox-lease.ts';
import { ProposalEntity } from './proposal.entity.ts';
import { VoteEntity } from './vote.entity.ts';

/** Everything that governance keeps. */
export const governanceDatabase: DatabaseDefinition = {
  entities: [ApprovalEntity, VoteEntity, ProposalEntity],
  migrations: [CreateTables1762000000000, AllProposals1763000000000, OutboxLease1764000000000],
};
