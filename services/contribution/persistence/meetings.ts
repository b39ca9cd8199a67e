import type { EntityManager } from 'typeorm';
import type { Reader } from '../../../lib/db/statements.ts';
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

/** A meeting with what clients see beside its row. */
export interface ShownMeetingRow extends MeetingRow {
  /** What has been paid for it, in minor units. */
  collected_minor: bigint;
  /** The member of each hand that is paid at it, in rotation order. */
  turns: string[];
}

const SHOWN_COLUMNS = `
  m.*,
  (SELECT coalesce(sum(d.paid_minor), 0)::bigint FROM dues d WHERE d.meeting_id = m.id) AS collected_minor,
  ARRAY(
    SELECT h.member_id FROM cycle_hands h WHERE h.cycle_id = m.cycle_id AND h.round = m.round ORDER BY h.position
  ) AS turns`;

/** A meeting as clients see it; undefined if the association has none of this id. */
export async function findShownMeeting(
  manager: Reader,
  association_id: string,
  id: string,
): Promise<ShownMeetingRow | undefined> {
  const rows: ShownMeetingRow[] = await manager.query(
    `SELECT ${SHOWN_COLUMNS} FROM meetings m WHERE m.id = $1 AND m.association_id = $2`,
    [id, association_id],
  );
  return rows[0];
}

/** An association's meetings in natural order: by day, then round. */
export async function listShownMeetings(
  manager: EntityManager,
  filter: MeetingFilter,
  after: MeetingPosition | null,
  limit: number,
): Promise<ShownMeetingRow[]> {
  const [due_on, round, id] = after ?? [null, null, null];
  return manager.query(
    `SELECT ${SHOWN_COLUMNS} FROM meetings m
     WHERE m.association_id = $1 AND ($2::text IS NULL OR m.status = $2) AND ($3::uuid IS NULL OR m.cycle_id = $3)
       AND ($4::date IS NULL OR (m.due_on, coalesce(m.round, 0), m.id) > ($4, $5::integer, $6::uuid))
     ORDER BY m.due_on, coalesce(m.round, 0), m.id LIMIT $7`,
    [filter.association_id, filter.status, filter.cycle_id, due_on, round, id, limit],
  );
}
