import type { AttendanceEntry } from '../../../lib/contracts/contribution.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import type { AttendanceRow } from './attendance.table.ts';

/** Returns the members that entries name, each once. */
export function membersOf(entries: readonly AttendanceEntry[]): string[] {
  const named = entries.flatMap(({ member_id, represented_by_member_id: by }) =>
    by === undefined ? [member_id] : [member_id, by],
  );
  return [...new Set(named)];
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
