import { authorized } from '../../../lib/actions/authorized.ts';
import { implement } from '../../../lib/actions/implement.ts';
import { listDues } from '../../../lib/contracts/contribution.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import type { ContributionDeps } from '../deps.ts';
import { listCycleDues, listPaidOutsideCycle } from '../persistence/dues.ts';
import { meetingOfPath } from './meeting-of-path.ts';
import { showDue } from './show.ts';

/** Who owes what for a meeting: in a cycle every pinned member, outside of one those who have paid. */
export function listDuesAction({ foundation: { db, cursors } }: ContributionDeps) {
  return implement(listDues, async ({ path, query }, caller, ctx) => {
    await authorized(ctx, caller, path.association_id, 'read');
    const { id, cycle_id, currency } = await meetingOfPath(db.manager, path);
    return pageThrough(
      cursors,
      `dues:${id}`,
      query,
      (position, limit) => {
        const after = position?.[0] ?? null;
        return cycle_id === null
          ? listPaidOutsideCycle(db.manager, id, after, limit)
          : listCycleDues(db.manager, cycle_id, id, after, limit);
      },
      (row) => [row.ordinal],
      (row) => showDue(row, currency),
    );
  });
}
