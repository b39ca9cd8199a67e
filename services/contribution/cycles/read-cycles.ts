import { getCycle, listCycles } from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { findShownCycle, listShownCycles, addHands } from './cycle.store.ts';
import { showCycle } from './cycle.view.ts';

/** Lists an association's cycles, newest first. */
export function listCyclesAction({ db, cursors }: ContributionDeps) {
  return implement(listCycles, async ({ path: { association_id }, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const page = await pageThrough(
      cursors,
      `cycles:${association_id}`,
      query,
      (after, limit) => listShownCycles(db, association_id, after === null ? null : Number(after[0]), limit),
      (row) => [String(row.number)],
      (row) => row,
    );
    const shown = await addHands(db, page.data);
    return { ...page, data: shown.map(({ row, hands }) => showCycle(row, hands)) };
  });
}

/** Returns one cycle with its hands. */
export function getCycleAction({ db }: ContributionDeps) {
  return implement(getCycle, async ({ path: { association_id, cycle_id } }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const found = await findShownCycle(db, association_id, cycle_id);
    if (found === undefined) throw problem('not_found');
    return showCycle(found.row, found.hands);
  });
}
