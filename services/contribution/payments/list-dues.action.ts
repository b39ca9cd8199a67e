import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import * as contract from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import type { ContributionDeps } from '../deps.ts';
import { listDues } from './list-dues.ts';
import { showDue } from '../meetings/meeting.view.ts';

/** Who owes what for a meeting: in a cycle every pinned member, outside of one those who have paid. */
export function listDuesAction({ foundation: { db, cursors } }: ContributionDeps) {
  return implement(contract.listDues, async ({ path, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, path.association_id, 'read');
    return pageThrough(
      cursors,
      `dues:${path.meeting_id}`,
      query,
      async (position, limit) => {
        const found = await listDues(db.pool, path, position?.[0] ?? null, limit);
        if (found === undefined) throw problem('not_found');
        return found.dues.map((due) => ({ place: due.ordinal, due: showDue(due, found.currency) }));
      },
      ({ place }) => [place],
      ({ due }) => due,
    );
  });
}
