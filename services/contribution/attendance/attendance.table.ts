import type { ATTENDANCE_STATUSES } from '../../../lib/contracts/contribution.ts';
import { instant, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import { sqlList } from '../../../lib/saga/states.ts';

/** Who came to a meeting: the last entry of each member. */
export const attendance = table('attendance', {
  meeting_id: key(uuid()),
  member_id: key(uuid()),
  status: text<(typeof ATTENDANCE_STATUSES)[number]>(),
  represented_by_member_id: optional(uuid()),
  recorded_by_member_id: uuid(),
  recorded_at: instant(),
});
export type AttendanceRow = RowOf<typeof attendance>;

/** SQL list of the statuses that rules of fines may fine. */
export const FINABLE = sqlList(['absent', 'late'] satisfies AttendanceRow['status'][]);
