import * as t from '../fields.ts';
import { chapter } from '../action.ts';

export const ATTENDANCE_STATUSES = ['present', 'late', 'absent', 'excused', 'represented'] as const;

/** As many as a body of 64 KiB holds. Larger groups send several parts, as each entry replaces only the member's own. */
const ENTRIES_MAX = 1_000;

const entryFields = {
  member_id: t.memberId(),
  status: t.enumeration(
    ATTENDANCE_STATUSES,
    'Whether the member came. Absent members who are `excused` owe no fine.',
    'present',
  ),
};

const representative = (meaning = 'The member who stood in for them; only with `represented`.') =>
  t.memberId(meaning, t.EXAMPLE.secretary_id);

/** What a request says about one member. */
export const attendanceEntry = t.record('AttendanceEntry', {
  ...entryFields,
  represented_by_member_id: t.optional(representative()),
});
export type AttendanceEntry = t.Value<typeof attendanceEntry>;

export const attendanceEntries = (
  description = 'One entry for each member. It replaces the earlier one of the member.',
) => t.boundedList(attendanceEntry, 0, ENTRIES_MAX, description);

const attendance = t.record('Attendance', {
  meeting_id: t.meetingId(),
  entries: t.list(
    t.record('RecordedAttendance', {
      ...entryFields,
      represented_by_member_id: t.nullable(representative(), null),
      recorded_by_member_id: t.memberId('The member who recorded it.', t.EXAMPLE.secretary_id),
      recorded_at: t.at('When it was recorded.'),
    }),
    'In the order of member ids. Members without an entry are not in it.',
  ),
});
export type Attendance = t.Value<typeof attendance>;

const endpoint = chapter('Meetings');

export const getAttendance = endpoint({
  name: 'contribution.get_attendance',
  summary: 'Show who came to a meeting',
  permission: 'read',
  path: t.inMeeting,
  answer: attendance,
});

export const recordAttendance = endpoint({
  name: 'contribution.record_attendance',
  summary: 'Record who came to a meeting',
  description:
    'Other members keep their entries. Until seven days after the settlement. Fines for absence and lateness are assessed ' +
    'when the meeting is settled, from the entries that it has then.',
  permission: 'record_attendance',
  refuses: ['attendance_closed'],
  path: t.inMeeting,
  body: { entries: attendanceEntries() },
  answer: attendance,
  examples: {
    body: {
      entries: [
        { member_id: t.EXAMPLE.member_id, status: 'present' },
        { member_id: t.EXAMPLE.treasurer_id, status: 'represented', represented_by_member_id: t.EXAMPLE.secretary_id },
      ],
    },
  },
});
