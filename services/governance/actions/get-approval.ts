import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { GovernanceDeps } from '../deps.ts';
import { currentApproval } from './show.ts';

/** GET …/governance/approvals/:approval_id */
export const getApprovalAction = ({ foundation }: GovernanceDeps) =>
  implement(governance.getApproval, async ({ path }, caller, ctx) => {
    const { association_id, approval_id } = path;
    await authorizeCaller(ctx, caller, association_id, 'read');
    const approval = await currentApproval(foundation.db.manager, approval_id);
    if (approval.association_id !== association_id) throw problem('not_found');
    return approval;
  });
