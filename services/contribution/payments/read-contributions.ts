import * as contract from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { findShownContribution, listDues, listShownContributions } from './contribution.store.ts';
import type { ContributionPosition } from './contribution.store.ts';
import { showContribution, showDue } from './contribution.view.ts';

/** Lists a meeting's contributions, newest first, without those that were refused with 4xx. */
export function listContributionsAction({ reads, cursors }: ContributionDeps) {
  return implement(contract.listContributions, async ({ path, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, path.association_id, 'read');
    return pageThrough(
      cursors,
      `contributions:${path.meeting_id}`,
      query,
      async (after, limit) => {
        const rows = await listShownContributions(reads, path, after as ContributionPosition | null, limit);
        if (rows === undefined) throw problem('not_found');
        return rows;
      },
      (row) => [row.created_at.toISOString(), row.id],
      showContribution,
    );
  });
}

/** Returns one contribution. */
export function getContributionAction({ reads }: ContributionDeps) {
  return implement(contract.getContribution, async ({ path }, caller, ctx) => {
    await authorizeCaller(ctx, caller, path.association_id, 'read');
    const row = await findShownContribution(reads, path, path.contribution_id);
    if (row === undefined) throw problem('not_found');
    return showContribution(row);
  });
}

/** Lists what each member owes for a meeting: in a cycle all its members, outside a cycle those who have paid. */
export function listDuesAction({ reads, cursors }: ContributionDeps) {
  return implement(contract.listDues, async ({ path, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, path.association_id, 'read');
    const { member_id = null } = query;
    return pageThrough(
      cursors,
      // Without a filter as in 0.1.0, so that its cursors stay good.
      `dues:${path.meeting_id}${member_id === null ? '' : `:${member_id}`}`,
      query,
      async (position, limit) => {
        const found = await listDues(reads, path, member_id, position?.[0] ?? null, limit);
        if (found === undefined) throw problem('not_found');
        return found.dues.map((due) => ({ place: due.place, due: showDue(due, found.currency) }));
      },
      ({ place }) => [place],
      ({ due }) => due,
    );
  });
}
