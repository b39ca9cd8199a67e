import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import { getSettlement } from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { ContributionDeps } from '../deps.ts';
import { findShownSettlement } from './settlement.store.ts';
import { showSettlement } from '../meetings/meeting.view.ts';

export function getSettlementAction({ foundation: { db } }: ContributionDeps) {
  return implement(getSettlement, async ({ path: { association_id, meeting_id } }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const row = await findShownSettlement(db.manager, association_id, meeting_id);
    if (row === undefined) throw problem('not_found');
    return showSettlement(row);
  });
}
