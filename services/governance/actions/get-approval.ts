import { call } from '../../../lib/actions/call.ts';
import { implement } from '../../../lib/actions/implement.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import type { GovernanceDeps } from '../governance.deps.ts';
import { votesOf } from '../persistence/approvals.repository.ts';
import { loadApproval, showApproval } from './show.ts';

/** GET …/governance/approvals/:approval_id */
export const getApprovalAction = ({ foundation }: GovernanceDeps) =>
  implement(governance.getApproval, async ({ path }, { user_id }, ctx) => {
    const { association_id, approval_id } = path;
    await call(ctx, membership.authorize, { association_id, user_id, permission: 'read' });
    const { manager } = foundation.db;
    const row = await loadApproval(manager, association_id, approval_id);
    return showApproval(row, await votesOf(manager, [row.id]));
  });
