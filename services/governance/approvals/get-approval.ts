import { getApproval } from '../../../lib/contracts/governance.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { GovernanceDeps } from '../deps.ts';
import { currentApproval } from './approval.view.ts';

export const getApprovalAction = ({ db }: GovernanceDeps) =>
  implement(getApproval, async ({ path: { association_id, approval_id } }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const approval = await currentApproval(db, approval_id);
    if (approval.association_id !== association_id) throw problem('not_found');
    return approval;
  });
