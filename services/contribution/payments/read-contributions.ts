import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import { listContributions } from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import type { ContributionDeps } from '../deps.ts';
import { listShownContributions } from './contribution.store.ts';
import type { ContributionPosition } from './contribution.store.ts';
import { showContribution } from '../meetings/meeting.view.ts';

/** A meeting's contributions, newest first; those refused with a 4xx are not among them. */
export function listContributionsAction({ foundation: { db, cursors } }: ContributionDeps) {
  return implement(listContributions, async ({ path, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, path.association_id, 'read');
    return pageThrough(
      cursors,
      `contributions:${path.meeting_id}`,
      query,
      async (after, limit) => {
        const rows = await listShownContributions(db.manager, path, after as ContributionPosition | null, limit);
        if (rows === undefined) throw problem('not_found');
        return rows;
      },
      (row) => [row.created_at.toISOString(), row.id],
      showContribution,
    );
  });
}
