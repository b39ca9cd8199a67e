import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import type { GovernanceDeps } from '../deps.ts';
import { listNewestFirst, positionOf } from '../persistence/approvals.ts';
import { showApproval } from './show.ts';

/** GET …/governance/approvals?status=&subject_type=, newest first. */
export const listApprovalsAction = ({ foundation }: GovernanceDeps) =>
  implement(governance.listApprovals, async ({ path, query }, caller, ctx) => {
    const { association_id } = path;
    await authorizeCaller(ctx, caller, association_id, 'read');
    const { manager } = foundation.db;
    const { status, subject_type } = query;
    return pageThrough(
      foundation.cursors,
      ['approvals', association_id, status ?? '', subject_type ?? ''].join(' '),
      query,
      (after, limit) => listNewestFirst(manager, { association_id, status, subject_type }, after, limit),
      positionOf,
      showApproval,
    );
  });
