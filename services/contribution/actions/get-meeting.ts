import { authorized } from '../../../lib/actions/authorized.ts';
import { implement } from '../../../lib/actions/implement.ts';
import { getMeeting } from '../../../lib/contracts/contribution.ts';
import type { ContributionDeps } from '../deps.ts';
import { shownMeetingOf } from './show.ts';

export function getMeetingAction({ foundation: { db } }: ContributionDeps) {
  return implement(getMeeting, async ({ path }, caller, ctx) => {
    await authorized(ctx, caller, path.association_id, 'read');
    return shownMeetingOf(db.manager, path);
  });
}
