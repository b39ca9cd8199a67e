import type { AttendanceEntry } from '../../../lib/contracts/contribution.ts';
import type { Fact } from '../../../lib/events/outbox.ts';

/** Returns the event of recorded entries. */
export function attendanceFact(
  association_id: string,
  meeting_id: string,
  entries: readonly AttendanceEntry[],
  recorded_by_member_id: string,
): Fact {
  const data = { meeting_id, entries: [...entries], recorded_by_member_id };
  return { type: 'attendance.recorded', association_id, data };
}
