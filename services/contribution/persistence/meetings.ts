import type { EntityManager } from 'typeorm';
import type { MeetingStatus } from '../domain/meeting-states.ts';
import { MeetingEntity } from './meeting.entity.ts';
import type { MeetingRow } from './meeting.entity.ts';

export async function insertMeeting(manager: EntityManager, row: MeetingRow): Promise<void> {
  await manager.insert(MeetingEntity, row);
}

export async function findMeeting(
  manager: EntityManager,
  association_id: string,
  id: string,
): Promise<MeetingRow | null> {
  return manager.findOneBy(MeetingEntity, { id, association_id });
}

export interface MeetingFilter {
  association_id: string;
  status: MeetingStatus | null;
  cycle_id: string | null;
}

/** Where a page of meetings ended: due_on, round (0 outside a cycle), id. */
export type MeetingPosition = [due_on: string, round: string, id: string];

/** An association's meetings in natural order: by day, then round. */
export async function listMeetingRows(
  manager: EntityManager,
  filter: MeetingFilter,
  after: MeetingPosition | null,
  limit: number,
): Promise<MeetingRow[]> {
  const [due_on, round, id] = after ?? [null, null, null];
  return manager.query(
    `SELECT * FROM meetings
     WHERE association_id = $1 AND ($2::text IS NULL OR status = $2) AND ($3::uuid IS NULL OR cycle_id = $3)
       AND ($4::date IS NULL OR (due_on, coalesce(round, 0), id) > ($4, $5::integer, $6::uuid))
     ORDER BY due_on, coalesce(round, 0), id LIMIT $7`,
    [filter.association_id, filter.status, filter.cycle_id, due_on, round, id, limit],
  );
}

/** What has been paid for each of these meetings, in minor units; absent where nothing was. */
export async function collectedFor(manager: EntityManager, meeting_ids: string[]): Promise<Map<string, bigint>> {
  const rows: { meeting_id: string; collected_minor: bigint }[] = await manager.query(
    `SELECT meeting_id, sum(paid_minor)::bigint AS collected_minor FROM dues
     WHERE meeting_id = ANY($1) GROUP BY meeting_id`,
    [meeting_ids],
  );
  return new Map(rows.map((row) => [row.meeting_id, row.collected_minor]));
}

/** One hand that is paid in a round. */
export interface TurnRow {
  meeting_id: string;
  member_id: string;
}

/** The hands that are paid at each of these meetings, in rotation order. */
export async function turnsAt(manager: EntityManager, meeting_ids: string[]): Promise<Map<string, TurnRow[]>> {
  const rows: TurnRow[] = await manager.query(
    `SELECT m.id AS meeting_id, h.member_id
     FROM meetings m JOIN cycle_hands h ON h.cycle_id = m.cycle_id AND h.round = m.round
     WHERE m.id = ANY($1) ORDER BY m.id, h.position`,
    [meeting_ids],
  );
  return Map.groupBy(rows, (row) => row.meeting_id);
}
