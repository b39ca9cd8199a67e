import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import { getMeeting } from '../../../lib/contracts/contribution.ts';
import type { ContributionDeps } from '../deps.ts';
import { shownMeetingOf } from './meeting.view.ts';

export function getMeetingAction({ foundation: { db } }: ContributionDeps) {
  return implement(getMeeting, async ({ path }, caller, ctx) => {
    await authorizeCaller(ctx, caller, path.association_id, 'read');
    return shownMeetingOf(db.manager, path);
  });
}
