import { getMeeting, listMeetings } from '../../../lib/contracts/contribution.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { findShownMeeting, listShownMeetings, type MeetingPosition } from './meeting.store.ts';
import { showMeeting } from './meeting.view.ts';

/** Lists an association's meetings in date order, filtered by status and cycle. */
export function listMeetingsAction({ reads, cursors }: ContributionDeps) {
  return implement(listMeetings, async ({ path: { association_id }, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const filter = { association_id, status: query.status ?? null, cycle_id: query.cycle_id ?? null };
    return pageThrough(
      cursors,
      `meetings:${association_id}:${filter.status ?? ''}:${filter.cycle_id ?? ''}`,
      query,
      (after, limit) => listShownMeetings(reads, filter, after as MeetingPosition | null, limit),
      (row) => [row.due_on, String(row.round ?? 0), row.id],
      showMeeting,
    );
  });
}

/** Returns one meeting. */
export function getMeetingAction({ reads }: ContributionDeps) {
  return implement(getMeeting, async ({ path }, caller, ctx) => {
    await authorizeCaller(ctx, caller, path.association_id, 'read');
    return showMeeting(await findShownMeeting(reads, path));
  });
}
