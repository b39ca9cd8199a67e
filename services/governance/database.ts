import type { DatabaseDefinition } from '../../lib/db/database.ts';
import { locks } from '../../lib/locks/locks.ts';
import { approvals, votes } from './approvals/approval.table.ts';
import { executions } from './executions/execution.table.ts';
import { CreateTables1762000000000 } from './migrations/0001-create-tables.ts';
import { AllProposals1763000000000 } from './migrations/0002-all-proposals.ts';
import { OutboxLease1764000000000 } from './migrations/0003-outbox-lease.ts';
import { Executions1765000000000 } from './migrations/0004-executions.ts';
import { OutboxArchives1766000000000 } from './migrations/0005-outbox-archives.ts';
import { ApprovalsByFilter1767000000000 } from './migrations/0006-approvals-by-filter.ts';
import { MoreSubjects1768000000000 } from './migrations/0007-more-subjects.ts';
import { ValidateSubjects1768100000000 } from './migrations/0008-validate-subjects.ts';
import { ApprovalsByExpiry1768200000000 } from './migrations/0009-approvals-by-expiry.ts';
import { proposals } from './proposals/proposal.table.ts';

export const governanceDatabase: DatabaseDefinition = {
  tables: [approvals, votes, proposals, executions, locks],
  migrations: [
    CreateTables1762000000000,
    AllProposals1763000000000,
    OutboxLease1764000000000,
    Executions1765000000000,
    OutboxArchives1766000000000,
    ApprovalsByFilter1767000000000,
    MoreSubjects1768000000000,
    ValidateSubjects1768100000000,
    ApprovalsByExpiry1768200000000,
  ],
};
