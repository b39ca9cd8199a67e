import type { Db, Transaction } from '../../../lib/db/db.ts';
import { columnList, findRow } from '../../../lib/db/table.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { SETTLING, meetings } from './meeting.table.ts';
import type { MeetingPath, MeetingRow, MeetingStatus, ShownMeetingRow } from './meeting.table.ts';

/**
 * Finds a meeting.
 * @throws not_found even if another association has the meeting
 */
export async function findMeeting(db: Db, { association_id, meeting_id: id }: MeetingPath): Promise<MeetingRow> {
  const meeting = await findRow(db, meetings, { id, association_id });
  if (meeting === undefined) throw problem('not_found');
  return meeting;
}

const SHOWN_COLUMNS = `
  m.*,
  (SELECT coalesce(sum(d.paid_minor), 0)::bigint FROM dues d WHERE d.meeting_id = m.id) AS collected_minor,
  ARRAY(
    SELECT h.member_id FROM cycle_hands h WHERE h.cycle_id = m.cycle_id AND h.round = m.round ORDER BY h.position
  ) AS turns`;

/**
 * Finds a meeting with what clients see of it.
 * @throws not_found even if another association has the meeting
 */
export async function findShownMeeting(db: Db, { association_id, meeting_id }: MeetingPath): Promise<ShownMeetingRow> {
  const row = await db.first<ShownMeetingRow>(
    `SELECT ${SHOWN_COLUMNS} FROM meetings m WHERE m.id = $1 AND m.association_id = $2`,
    [meeting_id, association_id],
  );
  if (row === undefined) throw problem('not_found');
  return row;
}

/** Selects meetings of a list; null selects all statuses or cycles. */
export interface MeetingFilter {
  association_id: string;
  status: MeetingStatus | null;
  cycle_id: string | null;
}

/** The sort key of the last meeting of a page; the round is 0 outside a cycle. */
export type MeetingPosition = [due_on: string, round: string, id: string];

/** Lists an association's meetings in date order, those of one day by round. */
export async function listShownMeetings(
  db: Db,
  { association_id, status, cycle_id }: MeetingFilter,
  after: MeetingPosition | null,
  limit: number,
): Promise<ShownMeetingRow[]> {
  return db.rows(
    `SELECT ${SHOWN_COLUMNS} FROM meetings m
     WHERE m.association_id = $1 AND ($2::text IS NULL OR m.status = $2) AND ($3::uuid IS NULL OR m.cycle_id = $3)
       AND ($4::date IS NULL OR (m.due_on, coalesce(m.round, 0), m.id) > ($4, $5::integer, $6::uuid))
     ORDER BY m.due_on, coalesce(m.round, 0), m.id LIMIT $7`,
    [association_id, status, cycle_id, ...(after ?? [null, null, null]), limit],
  );
}

const LOCK_MEETING = {
  name: 'contribution.lock_meeting',
  text: `SELECT ${columnList(meetings, 'm')} FROM meetings m WHERE id = $1 FOR UPDATE`,
};

/** Locks the meeting until the transaction ends. */
export async function lockMeeting(db: Db, id: string): Promise<MeetingRow> {
  const row = await db.first<MeetingRow>(LOCK_MEETING, [id]);
  if (row === undefined) throw new Error(`Meeting ${id} was not found, but meetings are never deleted`);
  return row;
}

export interface LockedMeeting {
  meeting: MeetingRow;
  /** The days of the previous and the next round; null if there is none. */
  neighbours: { before: string | null; after: string | null };
}

/**
 * Locks a meeting and, if it is a round, its neighbours, for a change of its day. If two requests move neighbouring rounds,
 * the second one sees the new day of the first.
 *
 * Lock order: by round. No other transaction waits for more than one meeting of a cycle, so there are no deadlocks. Foreign
 * keys (FOR KEY SHARE) do not conflict with this lock.
 */
export async function lockWithNeighbours(db: Db, { id, cycle_id, round }: MeetingRow): Promise<LockedMeeting> {
  const rows = await db.rows<MeetingRow>(
    `SELECT * FROM meetings
     WHERE id = $1 OR cycle_id = $2 AND round BETWEEN $3::integer - 1 AND $3::integer + 1
     ORDER BY round FOR NO KEY UPDATE`,
    [id, cycle_id, round],
  );
  const meeting = rows.find((row) => row.id === id);
  if (meeting === undefined) throw new Error(`Meeting ${id} was not found, but meetings are never deleted`);
  const dayAt = (other: number) => rows.find((row) => row.round === other)?.due_on ?? null;
  const neighbours =
    round === null ? { before: null, after: null } : { before: dayAt(round - 1), after: dayAt(round + 1) };
  return { meeting, neighbours };
}

const SHARE_MEETING = {
  name: 'contribution.share_meeting',
  text: `SELECT ${columnList(meetings, 'm')} FROM meetings m WHERE id = $1 FOR SHARE`,
};

/** Share-locks a meeting until the transaction ends, so that it is not settled or cancelled meanwhile. */
export async function shareMeeting(tx: Transaction, id: string): Promise<MeetingRow> {
  const row = await tx.first<MeetingRow>(SHARE_MEETING, [id]);
  if (row === undefined) throw new Error(`Meeting ${id} was not found, but meetings are never deleted`);
  return row;
}

/** Writes the day and the title of a locked meeting. */
export function updateMeeting(tx: Transaction, { id, due_on, title }: MeetingRow): void {
  tx.send('UPDATE meetings SET due_on = $2, title = $3 WHERE id = $1', [id, due_on, title]);
}

/** The database's clock, which is the same for all processes. Not now(): the transaction may have waited for a lock. */
const BEGIN_SETTLING = {
  name: 'contribution.begin_settling',
  text: `UPDATE meetings SET status = 'settling', attempt_id = $2, settling_since = clock_timestamp() WHERE id = $1`,
};

/** Closes a meeting to new contributions. The caller must have locked it, and found it open. */
export function beginSettling(tx: Transaction, meeting_id: string, attempt_id: string): void {
  tx.send(BEGIN_SETTLING, [meeting_id, attempt_id]);
}

/** Tells recovery that the attempt, which has stored no plan yet, is not abandoned. */
export async function renewSettling(db: Db, meeting_id: string, attempt_id: string): Promise<void> {
  await db.run(
    `UPDATE meetings SET settling_since = clock_timestamp()
     WHERE id = $1 AND attempt_id = $2 AND settling_since IS NOT NULL`,
    [meeting_id, attempt_id],
  );
}

const REOPEN = `UPDATE meetings SET status = 'open', attempt_id = NULL, settling_since = NULL WHERE status IN (${SETTLING})`;
const REOPEN_MEETING = { name: 'contribution.reopen_meeting', text: `${REOPEN} AND id = $1 AND attempt_id = $2` };
const REOPEN_UNPLANNED = {
  name: 'contribution.reopen_unplanned',
  text: `${REOPEN_MEETING.text} AND settling_since IS NOT NULL`,
};

/** Opens the meeting of a refused plan again, unless another attempt has closed it since. */
export function reopenMeeting(tx: Transaction, meeting_id: string, attempt_id: string): void {
  tx.send(REOPEN_MEETING, [meeting_id, attempt_id]);
}

/** Opens the meeting again, unless another attempt has closed it since, or a repeat of this one has stored its plan. */
export function reopenUnplanned(tx: Transaction, meeting_id: string, attempt_id: string): void {
  tx.send(REOPEN_UNPLANNED, [meeting_id, attempt_id]);
}

/** Opens all meetings again whose attempt has stored no plan, and was abandoned for this long. */
export async function reopenAbandonedMeetings(db: Db, abandoned_after_ms: number): Promise<void> {
  await db.run(`${REOPEN} AND settling_since < clock_timestamp() - $1 * interval '1 millisecond'`, [
    abandoned_after_ms,
  ]);
}
