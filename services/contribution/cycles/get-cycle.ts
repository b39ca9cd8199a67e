import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import { getCycle } from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { ContributionDeps } from '../deps.ts';
import { findShownCycle } from './cycle.store.ts';
import { showCycle } from '../meetings/meeting.view.ts';

export function getCycleAction({ foundation: { db } }: ContributionDeps) {
  return implement(getCycle, async ({ path: { association_id, cycle_id } }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const row = await findShownCycle(db.manager, association_id, cycle_id);
    if (row === null) throw problem('not_found');
    return showCycle(db.manager, row);
  });
}
