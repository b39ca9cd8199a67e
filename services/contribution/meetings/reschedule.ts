import type { EntityManager } from 'typeorm';
import type { MeetingRow } from './meeting.table.ts';

/*
 * Moving a meeting to another day. Locks: the round before, the meeting, the round after, in the order of rounds. Two who
 * move neighbouring rounds share a lock, so the second sees where the first has put its round. Every other transaction
 * waits for a single meeting of a cycle (gathered payments share-lock several, but wait for none); where it only refers
 * to one (FOR KEY SHARE, as an insertion of dues does), these locks are in nobody's way.
 */

/** The days between which a round may lie; null where there is no neighbour on that side. */
export interface Neighbours {
  before: string | null;
  after: string | null;
}

export interface LockedMeeting {
  meeting: MeetingRow;
  neighbours: Neighbours;
}

/** Takes the meeting and the rounds next to it, if it is a round, for a decision about its day. */
export async function lockWithNeighbours(manager: EntityManager, found: MeetingRow): Promise<LockedMeeting> {
  const rows: MeetingRow[] = await manager.query(
    `SELECT * FROM meetings
     WHERE id = $1 OR cycle_id = $2 AND round BETWEEN $3::integer - 1 AND $3::integer + 1
     ORDER BY round FOR NO KEY UPDATE`,
    [found.id, found.cycle_id, found.round],
  );
  const meeting = rows.find((row) => row.id === found.id);
  if (meeting === undefined) throw new Error(`Meeting ${found.id} is gone; meetings are never deleted`);
  const dayAt = (round: number) => rows.find((row) => row.round === round)?.due_on ?? null;
  const neighbours =
    found.round === null
      ? { before: null, after: null }
      : { before: dayAt(found.round - 1), after: dayAt(found.round + 1) };
  return { meeting, neighbours };
}

/** Writes the day and the title of a meeting that the caller has locked. */
export async function updateMeeting(
  manager: EntityManager,
  { id, due_on, title }: Pick<MeetingRow, 'id' | 'due_on' | 'title'>,
): Promise<void> {
  await manager.query('UPDATE meetings SET due_on = $2, title = $3 WHERE id = $1', [id, due_on, title]);
}
