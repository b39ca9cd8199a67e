import { call } from '../../../lib/actions/call.ts';
import { implement } from '../../../lib/actions/implement.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import type { GovernanceDeps } from '../governance.deps.ts';
import { listNewestFirst, positionOf, votesOf } from '../persistence/approvals.repository.ts';
import { showApproval } from './show.ts';

/** GET …/governance/approvals?status=&subject_type=, newest first. */
export const listApprovalsAction = ({ foundation }: GovernanceDeps) =>
  implement(governance.listApprovals, async ({ path, query }, { user_id }, ctx) => {
    const { association_id } = path;
    await call(ctx, membership.authorize, { association_id, user_id, permission: 'read' });
    const { manager } = foundation.db;
    const { status, subject_type } = query;
    const page = await pageThrough(
      foundation.cursors,
      ['approvals', association_id, status ?? '', subject_type ?? ''].join(' '),
      query,
      (after, limit) => listNewestFirst(manager, { association_id, status, subject_type }, after, limit),
      positionOf,
      (row) => row,
    );
    const votes = Map.groupBy(
      await votesOf(
        manager,
        page.data.map((row) => row.id),
      ),
      (vote) => vote.approval_id,
    );
    return { ...page, data: page.data.map((row) => showApproval(row, votes.get(row.id) ?? [])) };
  });
