/** What entries of attendance must be, and name. */
import { addPeriods } from '../../../lib/calendar/calendar.ts';
import { dayIn } from '../../../lib/calendar/zones.ts';
import type { AttendanceEntry } from '../../../lib/contracts/contribution.ts';
import { ERRORS } from '../../../lib/errors/codes.ts';
import { invalid, type FieldComplaint } from '../../../lib/errors/problem.ts';
import { COMPLAINTS_MAX } from '../../../lib/schema/complaints.ts';
import type { MeetingRow } from '../meetings/meeting.table.ts';
import type { AttendanceRow } from './attendance.table.ts';

/** How many days after the settlement mistakes can still be corrected. */
const OPEN_AFTER_SETTLEMENT_DAYS = 7;

/**
 * Checks what the entries alone decide.
 * @param pointer to the list of entries in the request's body, as a JSON Pointer
 * @throws validation_failed
 */
export function checkEntries(entries: readonly AttendanceEntry[], pointer: string): void {
  const members = new Set<string>();
  const complaints = entries.flatMap((entry, index): FieldComplaint[] => {
    const complain = (member: string, detail: string) => {
      return { pointer: `${pointer}/${String(index)}/${member}`, code: 'not_allowed', detail };
    };
    const { member_id, status, represented_by_member_id: by } = entry;
    const isRepeated = members.has(member_id);
    members.add(member_id);
    return [
      ...(isRepeated ? [complain('member_id', 'Another entry is for this member.')] : []),
      ...(by === undefined || status === 'represented'
        ? []
        : [complain('represented_by_member_id', 'Only a member who is `represented` has a representative.')]),
      ...(by === member_id ? [complain('represented_by_member_id', 'Members do not represent themselves.')] : []),
    ];
  });
  if (complaints.length > 0) throw invalid(...complaints.slice(0, COMPLAINTS_MAX));
}

/** Returns the members that entries name, each once. */
export function membersOf(entries: readonly AttendanceEntry[]): string[] {
  const named = entries.flatMap(({ member_id, represented_by_member_id: by }) =>
    by === undefined ? [member_id] : [member_id, by],
  );
  return [...new Set(named)];
}

/**
 * Returns the complaints about members who were never in the association, and about representatives who are not active in it.
 * @param statuses of the association's members, by id
 * @param pointer as of checkEntries()
 */
export function memberComplaints(
  entries: readonly AttendanceEntry[],
  statuses: ReadonlyMap<string, string>,
  pointer: string,
): FieldComplaint[] {
  const { detail } = ERRORS.not_found.en;
  const notFound = (index: number, member: string) => {
    return { pointer: `${pointer}/${String(index)}/${member}`, code: 'not_found', detail };
  };
  return entries.flatMap(({ member_id, represented_by_member_id: by }, index) => [
    ...(statuses.has(member_id) ? [] : [notFound(index, 'member_id')]),
    ...(by === undefined || statuses.get(by) === 'active' ? [] : [notFound(index, 'represented_by_member_id')]),
  ]);
}

/** Returns the rows of entries. */
export function rowsOf(
  entries: readonly AttendanceEntry[],
  shared: Pick<AttendanceRow, 'meeting_id' | 'recorded_by_member_id' | 'recorded_at'>,
): AttendanceRow[] {
  return entries.map(({ represented_by_member_id = null, ...entry }) => {
    return { ...shared, ...entry, represented_by_member_id };
  });
}

/** Whether the attendance of a meeting can be changed. Days are counted in the time zone of the association. */
export function acceptsAttendance(
  { status, settled_at }: Pick<MeetingRow, 'status' | 'settled_at'>,
  zone: string,
  now: Date,
): boolean {
  if (status === 'cancelled') return false;
  if (settled_at === null) return true;
  return dayIn(zone, now) <= addPeriods(dayIn(zone, settled_at), 'daily', OPEN_AFTER_SETTLEMENT_DAYS);
}
