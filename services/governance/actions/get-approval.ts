import { authorized } from '../../../lib/actions/authorized.ts';
import { implement } from '../../../lib/actions/implement.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import type { GovernanceDeps } from '../deps.ts';
import { votesOf } from '../persistence/approvals.ts';
import { loadApproval, showApproval } from './show.ts';

/** GET …/governance/approvals/:approval_id */
export const getApprovalAction = ({ foundation }: GovernanceDeps) =>
  implement(governance.getApproval, async ({ path }, caller, ctx) => {
    const { association_id, approval_id } = path;
    await authorized(ctx, caller, association_id, 'read');
    const { manager } = foundation.db;
    const row = await loadApproval(manager, association_id, approval_id);
    return showApproval(row, await votesOf(manager, [row.id]));
  });
