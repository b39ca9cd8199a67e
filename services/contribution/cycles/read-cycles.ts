import { getCycle, listCycles } from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { findShownCycle, listShownCycles, addHands } from './cycle.store.ts';
import { showCycle } from './cycle.view.ts';

/** Lists an association's cycles, newest first. */
export function listCyclesAction({ reads, cursors }: ContributionDeps) {
  return implement(listCycles, async ({ path: { association_id }, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    return pageThrough(
      cursors,
      `cycles:${association_id}`,
      query,
      async (after, limit) => {
        const before_number = after === null ? null : Number(after[0]);
        return addHands(reads, await listShownCycles(reads, association_id, before_number, limit));
      },
      ({ row }) => [String(row.number)],
      ({ row, hands }) => showCycle(row, hands),
    );
  });
}

/** Returns one cycle with its hands. */
export function getCycleAction({ reads }: ContributionDeps) {
  return implement(getCycle, async ({ path: { association_id, cycle_id } }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const found = await findShownCycle(reads, association_id, cycle_id);
    if (found === undefined) throw problem('not_found');
    return showCycle(found.row, found.hands);
  });
}
