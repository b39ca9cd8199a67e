import { authorized } from '../../../lib/actions/authorized.ts';
import { implement } from '../../../lib/actions/implement.ts';
import { listContributions } from '../../../lib/contracts/contribution.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import type { ContributionDeps } from '../deps.ts';
import { listShownContributions } from '../persistence/contributions.ts';
import type { ContributionPosition } from '../persistence/contributions.ts';
import { meetingOfPath } from './meeting-of-path.ts';
import { showContribution } from './show.ts';

/** A meeting's contributions, newest first; those refused with a 4xx are not among them. */
export function listContributionsAction({ foundation: { db, cursors } }: ContributionDeps) {
  return implement(listContributions, async ({ path, query }, caller, ctx) => {
    await authorized(ctx, caller, path.association_id, 'read');
    const { id } = await meetingOfPath(db.manager, path);
    return pageThrough(
      cursors,
      `contributions:${id}`,
      query,
      (after, limit) => listShownContributions(db.manager, id, after as ContributionPosition | null, limit),
      (row) => [row.created_at.toISOString(), row.id],
      showContribution,
    );
  });
}
