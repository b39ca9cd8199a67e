import { getAttendance, recordAttendance, type AttendanceEntry } from '../../../lib/contracts/contribution.ts';
import { zoneOf, type Authorization } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { COMPLAINTS_MAX } from '../../../lib/schema/complaints.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { findMeeting, shareMeeting } from '../meetings/meeting.store.ts';
import { acceptsAttendance, checkEntries, memberComplaints, membersOf, rowsOf } from './attendance.rules.ts';
import { readAttendance, storeAttendance } from './attendance.store.ts';
import { attendanceFact } from './attendance.view.ts';

/** Shows who came to a meeting. */
export function getAttendanceAction({ reads }: ContributionDeps) {
  return implement(getAttendance, async ({ path }, caller, ctx) => {
    const { id } = await findMeeting(reads, path);
    await authorizeCaller(ctx, caller, path.association_id, 'read');
    return readAttendance(reads, id);
  });
}

/** Records who came to a meeting, for the members that are named. */
export function recordAttendanceAction(deps: ContributionDeps) {
  const { db, outbox, runtime } = deps;
  return implementWrite(
    deps,
    recordAttendance,
    async ({ path, body: { entries } }, caller, ctx, operation) => {
      const { id: meeting_id } = await findMeeting(db, path);
      const member_ids = membersOf(entries);
      const authorized = await authorizeCaller(ctx, caller, path.association_id, 'record_attendance', { member_ids });
      requireMembers(authorized, entries);
      return db.transaction(async (tx) => {
        const meeting = await shareMeeting(tx, meeting_id);
        const now = runtime.clock();
        if (!acceptsAttendance(meeting, zoneOf(authorized.terms), now)) throw problem('attendance_closed');
        const { member_id: recorded_by_member_id } = authorized.member;
        storeAttendance(tx, rowsOf(entries, { meeting_id, recorded_by_member_id, recorded_at: now }));
        if (entries.length > 0) {
          outbox.append(tx, attendanceFact(path.association_id, meeting_id, entries, recorded_by_member_id));
        }
        const answer = await readAttendance(tx, meeting_id);
        await operation.keep(tx, answer);
        return answer;
      });
    },
    { check: ({ body }) => checkEntries(body.entries, '/entries') },
  );
}

/** @throws not_found with the entries whose members are not of the association, or whose representatives are not active */
function requireMembers({ members }: Authorization, entries: readonly AttendanceEntry[]): void {
  const statuses = new Map(members.map(({ member_id, status }) => [member_id, status]));
  const errors = memberComplaints(entries, statuses, '/entries').slice(0, COMPLAINTS_MAX);
  if (errors.length > 0) throw problem('not_found', { errors });
}
