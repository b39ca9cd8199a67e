import { getSettlement } from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { findShownSettlement } from './settlement.store.ts';
import { showSettlement } from './settlement.view.ts';

export function getSettlementAction({ db }: ContributionDeps) {
  return implement(getSettlement, async ({ path }, caller, ctx) => {
    await authorizeCaller(ctx, caller, path.association_id, 'read');
    const row = await findShownSettlement(db, path);
    if (row === undefined) throw problem('not_found');
    return showSettlement(row);
  });
}
