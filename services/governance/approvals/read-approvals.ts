import { getApproval, listApprovals } from '../../../lib/contracts/governance.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { GovernanceDeps } from '../deps.ts';
import { listNewestFirst } from './approval.store.ts';
import { readApproval, showApproval } from './approval.view.ts';

/** Lists an association's approvals, newest first, filtered by status and type of subject. */
export const listApprovalsAction = ({ reads, cursors }: GovernanceDeps) =>
  implement(listApprovals, async ({ path: { association_id }, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const { status, subject_type } = query;
    return pageThrough(
      cursors,
      ['approvals', association_id, status ?? '', subject_type ?? ''].join(' '),
      query,
      (after, limit) => listNewestFirst(reads, { association_id, status, subject_type }, after, limit),
      (row) => [row.requested_at.toISOString(), row.id],
      showApproval,
    );
  });

/** Returns one approval. */
export const getApprovalAction = ({ reads }: GovernanceDeps) =>
  implement(getApproval, async ({ path: { association_id, approval_id } }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const approval = await readApproval(reads, approval_id);
    if (approval.association_id !== association_id) throw problem('not_found');
    return approval;
  });
