/** The checks of attendance. */
import { addPeriods } from '../../../lib/calendar/calendar.ts';
import { dayIn } from '../../../lib/calendar/zones.ts';
import type { AttendanceEntry } from '../../../lib/contracts/contribution.ts';
import { invalid, type FieldComplaint } from '../../../lib/errors/problem.ts';
import type { MeetingRow } from '../meetings/meeting.table.ts';

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
  if (complaints.length > 0) throw invalid(...complaints);
}

/** Whether the attendance of a meeting can be changed. Days are judged in the time zone of the association. */
export function acceptsAttendance(
  { status, settled_at }: Pick<MeetingRow, 'status' | 'settled_at'>,
  zone: string,
  now: Date,
): boolean {
  if (status === 'cancelled') return false;
  if (settled_at === null) return true;
  return dayIn(zone, now) <= addPeriods(dayIn(zone, settled_at), 'daily', OPEN_AFTER_SETTLEMENT_DAYS);
}
