import type { Attendance } from '../../../lib/contracts/contribution.ts';
import { columnsOf } from '../../../lib/db/columns.ts';
import type { Db, Transaction } from '../../../lib/db/db.ts';
import type { AttendanceRow } from './attendance.table.ts';

/** Stores the entries of one meeting, each instead of the member's earlier one. Lock order: by member. */
export function storeAttendance(tx: Transaction, rows: readonly AttendanceRow[]): void {
  if (rows.length === 0) return;
  tx.send(
    `INSERT INTO attendance
       (meeting_id, member_id, status, represented_by_member_id, recorded_by_member_id, recorded_at)
     SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::uuid[], $6::timestamptz[]) ORDER BY 2
     ON CONFLICT (meeting_id, member_id) DO UPDATE SET status = EXCLUDED.status,
       represented_by_member_id = EXCLUDED.represented_by_member_id,
       recorded_by_member_id = EXCLUDED.recorded_by_member_id, recorded_at = EXCLUDED.recorded_at`,
    columnsOf(
      rows,
      'meeting_id',
      'member_id',
      'status',
      'represented_by_member_id',
      'recorded_by_member_id',
      'recorded_at',
    ),
  );
}

/** Reads the attendance of a meeting as clients see it. */
export async function readAttendance(db: Db, meeting_id: string): Promise<Attendance> {
  const rows = await db.rows<AttendanceRow>('SELECT * FROM attendance WHERE meeting_id = $1 ORDER BY member_id', [
    meeting_id,
  ]);
  return {
    meeting_id,
    entries: rows.map(({ member_id, status, represented_by_member_id, recorded_by_member_id, recorded_at }) => ({
      member_id,
      status,
      represented_by_member_id,
      recorded_by_member_id,
      recorded_at: recorded_at.toISOString(),
    })),
  };
}
