/** On which day a round must be looked at next for late payments. Rounds without rules for late payments have no row. */
import type { Rules } from '../../../lib/contracts/membership.ts';
import { columnsOf } from '../../../lib/db/columns.ts';
import type { Db, Transaction } from '../../../lib/db/db.ts';
import type { LateCheck, MeetingRow } from './meeting.table.ts';

/** A round with the terms of its cycle. */
export type LateMeeting = Pick<MeetingRow, 'id' | 'association_id' | 'due_on' | 'status' | 'currency'> & {
  check_on: string;
  day_set_on: string | null;
  time_zone: string;
  rules: Rules;
  rules_version: number;
};

const LATE_MEETINGS = `
  SELECT m.id, m.association_id, m.due_on, m.status, m.currency, l.check_on, l.day_set_on, c.time_zone, c.rules, c.rules_version
  FROM late_checks l JOIN meetings m ON m.id = l.meeting_id JOIN cycles c ON c.id = m.cycle_id`;

/**
 * Lists rounds that must be looked at by a day, those of the longest ago first.
 * @param after lists only those after this one
 */
export function listLateMeetings(
  db: Db,
  day: string,
  after: Pick<LateMeeting, 'check_on' | 'id'> | undefined,
  limit: number,
): Promise<LateMeeting[]> {
  return db.rows(
    `${LATE_MEETINGS} WHERE l.check_on <= $1 AND ($2::date IS NULL OR (l.check_on, l.meeting_id) > ($2, $3::uuid))
     ORDER BY l.check_on, l.meeting_id LIMIT $4`,
    [day, after?.check_on ?? null, after?.id ?? null, limit],
  );
}

/** Locks a round's check until the transaction ends; undefined if another process has locked it, or it is done. */
export function lockLateMeeting(tx: Transaction, id: string): Promise<LateMeeting | undefined> {
  return tx.first(`${LATE_MEETINGS} WHERE l.meeting_id = $1 AND l.check_on IS NOT NULL FOR UPDATE OF l SKIP LOCKED`, [
    id,
  ]);
}

/** Stores on which day the round must be looked at next, or that it need not be. */
export function setLateCheck(tx: Transaction, id: string, day: string | null): void {
  tx.send('UPDATE late_checks SET check_on = $2 WHERE meeting_id = $1', [id, day]);
}

/** Has the round looked at again, because something of it may be outstanding again. */
export function repeatLateCheck(tx: Transaction, id: string): void {
  tx.send('UPDATE late_checks SET check_on = m.due_on FROM meetings m WHERE m.id = $1 AND meeting_id = m.id', [id]);
}

/** Stores on which day each of the rounds must be looked at first. */
export function storeLateChecks(tx: Transaction, rows: readonly LateCheck[]): void {
  if (rows.length === 0) return;
  tx.send(
    `INSERT INTO late_checks (meeting_id, check_on, day_set_on) SELECT * FROM unnest($1::uuid[], $2::date[], $3::date[])
     ON CONFLICT (meeting_id) DO UPDATE SET check_on = EXCLUDED.check_on, day_set_on = EXCLUDED.day_set_on`,
    columnsOf(rows, 'meeting_id', 'check_on', 'day_set_on'),
  );
}
