import { authorized } from '../../../lib/actions/authorized.ts';
import { implement } from '../../../lib/actions/implement.ts';
import { getMeeting } from '../../../lib/contracts/contribution.ts';
import type { ContributionDeps } from '../deps.ts';
import { meetingOfPath } from './meeting-of-path.ts';
import { showMeetings, showOne } from './show.ts';

export function getMeetingAction({ foundation: { db } }: ContributionDeps) {
  return implement(getMeeting, async ({ path }, caller, ctx) => {
    await authorized(ctx, caller, path.association_id, 'read');
    return showOne(showMeetings, db.manager, await meetingOfPath(db.manager, path));
  });
}
