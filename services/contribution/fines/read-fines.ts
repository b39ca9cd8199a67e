import * as contract from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { listName, pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement, implementCommand } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { findFine, listFines } from './fine.store.ts';
import { FINE_STATES } from './fine.table.ts';
import { showFine } from './fine.view.ts';

/** Lists fines, newest first, filtered by member, status and meeting. */
export function listFinesAction({ reads, cursors }: ContributionDeps) {
  return implement(contract.listFines, async ({ path: { association_id }, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const { member_id = null, status = null, meeting_id = null } = query;
    const filter = { association_id, member_id, status, meeting_id };
    return pageThrough(
      cursors,
      listName(`fines/${association_id}`, query),
      query,
      (before, limit) => listFines(reads, filter, before, limit),
      (row) => [row.assessed_at.toISOString(), row.id],
      showFine,
    );
  });
}

/** Returns one fine. */
export function getFineAction({ reads }: ContributionDeps) {
  return implement(contract.getFine, async ({ path: { association_id, fine_id } }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    return showFine(await findFine(reads, association_id, fine_id));
  });
}

/** Checks that a fine can be waived, and returns its member, who does not vote on that. */
export function checkFineAction({ reads }: ContributionDeps) {
  return implementCommand(contract.checkFine, async ({ association_id, fine_id }) => {
    const { member_id, status } = await findFine(reads, association_id, fine_id);
    if (!FINE_STATES[status].obliges) throw problem('fine_not_due');
    return { member_id };
  });
}
