import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import { listCycles } from '../../../lib/contracts/contribution.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import type { ContributionDeps } from '../deps.ts';
import { listShownCycles } from './cycle.store.ts';
import { showCycles } from '../meetings/meeting.view.ts';

/** An association's cycles, newest first. */
export function listCyclesAction({ foundation: { db, cursors } }: ContributionDeps) {
  return implement(listCycles, async ({ path: { association_id }, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const page = await pageThrough(
      cursors,
      `cycles:${association_id}`,
      query,
      (after, limit) => listShownCycles(db.manager, association_id, after === null ? null : Number(after[0]), limit),
      (row) => [String(row.number)],
      (row) => row,
    );
    return { ...page, data: await showCycles(db.manager, page.data) };
  });
}
