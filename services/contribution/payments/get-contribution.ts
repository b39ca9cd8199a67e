import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import { getContribution } from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { ContributionDeps } from '../deps.ts';
import { findShownContribution } from './contribution.store.ts';
import { showContribution } from '../meetings/meeting.view.ts';

export function getContributionAction({ foundation: { db } }: ContributionDeps) {
  return implement(getContribution, async ({ path }, caller, ctx) => {
    const { association_id, meeting_id, contribution_id } = path;
    await authorizeCaller(ctx, caller, association_id, 'read');
    const row = await findShownContribution(db.manager, association_id, meeting_id, contribution_id);
    if (row === null) throw problem('not_found');
    return showContribution(row);
  });
}
