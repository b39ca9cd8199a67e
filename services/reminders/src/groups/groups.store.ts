/** The SQL of what the events say of associations, members and meetings: the tables of these names. */
import type { Sql } from '@association-service/contracts/subscriber';

export interface Group {
  name: string;
  currency: string;
  time_zone: string;
}

/** The zone of associations that have named none. */
const UTC = 'UTC';

export async function storeGroup(
  db: Pick<Sql, 'run'>,
  association_id: string,
  { name, currency, time_zone = UTC }: { name: string; currency: string; time_zone?: string | undefined },
): Promise<void> {
  await db.run(
    `INSERT INTO associations (association_id, name, currency, time_zone) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
    [association_id, name, currency, time_zone],
  );
}

/** Changes the name of an association, if it is known. */
export async function renameGroup(db: Pick<Sql, 'run'>, association_id: string, name: string): Promise<void> {
  await db.run('UPDATE associations SET name = $2 WHERE association_id = $1', [association_id, name]);
}

export async function readGroups(db: Sql, association_ids: readonly string[]): Promise<Map<string, Group>> {
  const rows = await db.rows<Group & { association_id: string }>(
    'SELECT association_id, name, currency, time_zone FROM associations WHERE association_id = ANY($1)',
    [association_ids],
  );
  return new Map(rows.map(({ association_id, ...group }) => [association_id, group]));
}

export interface KnownMember {
  member_id: string;
  user_id: string;
  is_active: boolean;
}

/**
 * Stores what an event says of a member.
 * @param left_at null if they are one now
 */
export async function storeMember(
  db: Pick<Sql, 'run'>,
  association_id: string,
  { member_id, user_id, left_at }: { member_id: string; user_id: string; left_at: Date | null },
): Promise<void> {
  await db.run(
    `INSERT INTO members (association_id, member_id, user_id, left_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (member_id) DO UPDATE SET user_id = excluded.user_id, left_at = excluded.left_at`,
    [association_id, member_id, user_id, left_at],
  );
}

/** Stores active members that no event has named. */
export async function learnMembers(
  db: Pick<Sql, 'run'>,
  association_id: string,
  members: readonly { member_id: string; user_id: string }[],
): Promise<void> {
  await db.run(
    `INSERT INTO members (association_id, member_id, user_id)
     SELECT $1, member_id, user_id FROM unnest($2::uuid[], $3::text[]) AS known (member_id, user_id)
     ON CONFLICT DO NOTHING`,
    [association_id, members.map(({ member_id }) => member_id), members.map(({ user_id }) => user_id)],
  );
}

export async function readMembers(
  db: Sql,
  association_id: string,
  member_ids: readonly string[],
): Promise<Map<string, KnownMember>> {
  const rows = await db.rows<KnownMember>(
    'SELECT member_id, user_id, left_at IS NULL AS is_active FROM members WHERE association_id = $1 AND member_id = ANY($2)',
    [association_id, member_ids],
  );
  return new Map(rows.map((row) => [row.member_id, row]));
}

/** Reads which of these members have left or were expelled. */
export async function readFormer(db: Sql, member_ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.rows<{ member_id: string }>(
    'SELECT member_id FROM members WHERE member_id = ANY($1) AND left_at IS NOT NULL',
    [member_ids],
  );
  return new Set(rows.map(({ member_id }) => member_id));
}

/** Deletes those who left or were expelled before an instant, a part at a time. */
export function pruneFormer(db: Sql, before: Date, rows_max: number): Promise<number> {
  return db.run(
    `DELETE FROM members WHERE member_id IN (
       SELECT member_id FROM members WHERE left_at < $1 ORDER BY left_at LIMIT $2)`,
    [before, rows_max],
  );
}

export interface Meeting {
  meeting_id: string;
  association_id: string;
  due_on: string;
  status: 'open' | 'settled' | 'cancelled';
}

export async function storeMeeting(
  db: Pick<Sql, 'run'>,
  { meeting_id, association_id, due_on }: Omit<Meeting, 'status'>,
  now: Date,
): Promise<void> {
  await db.run(
    `INSERT INTO meetings (meeting_id, association_id, due_on, status, learned_at, is_planned)
     VALUES ($1, $2, $3, 'open', $4, false)
     ON CONFLICT DO NOTHING`,
    [meeting_id, association_id, due_on, now],
  );
}

/**
 * Moves a meeting to another day.
 * @returns false if it was on this day already
 */
export async function moveMeeting(
  db: Pick<Sql, 'run'>,
  { meeting_id, association_id, due_on }: Omit<Meeting, 'status'>,
  now: Date,
): Promise<boolean> {
  const changed = await db.run(
    `INSERT INTO meetings (meeting_id, association_id, due_on, status, learned_at, is_planned)
     VALUES ($1, $2, $3, 'open', $4, false)
     ON CONFLICT (meeting_id) DO UPDATE SET
       due_on = excluded.due_on, learned_at = excluded.learned_at, is_planned = false
     WHERE meetings.due_on <> excluded.due_on`,
    [meeting_id, association_id, due_on, now],
  );
  return changed === 1;
}

export async function endMeeting(
  db: Pick<Sql, 'run'>,
  meeting_id: string,
  status: 'settled' | 'cancelled',
): Promise<void> {
  await db.run('UPDATE meetings SET status = $2 WHERE meeting_id = $1', [meeting_id, status]);
}

const MEETING_COLUMNS = 'meeting_id, association_id, due_on::text AS due_on, status';

/** Reads meetings whose occasions are not stored yet. */
export function readUnplanned(db: Sql, limit: number): Promise<Meeting[]> {
  return db.rows<Meeting>(`SELECT ${MEETING_COLUMNS} FROM meetings WHERE NOT is_planned ORDER BY meeting_id LIMIT $1`, [
    limit,
  ]);
}

/** Reads since when the oldest meeting waits whose occasions are not stored yet; undefined if none does. */
export async function readOldestUnplanned(db: Sql): Promise<Date | undefined> {
  const row = await db.first<{ oldest_at: Date | null }>(
    'SELECT min(learned_at) AS oldest_at FROM meetings WHERE NOT is_planned',
  );
  return row?.oldest_at ?? undefined;
}

/**
 * Notes that the occasions of a meeting are stored.
 * @returns false if it was moved meanwhile
 */
export async function markPlanned(db: Pick<Sql, 'run'>, { meeting_id, due_on }: Meeting): Promise<boolean> {
  const changed = await db.run(
    'UPDATE meetings SET is_planned = true WHERE meeting_id = $1 AND due_on = $2 AND NOT is_planned',
    [meeting_id, due_on],
  );
  return changed === 1;
}

export async function readMeetings(db: Sql, meeting_ids: readonly string[]): Promise<Map<string, Meeting>> {
  const rows = await db.rows<Meeting>(`SELECT ${MEETING_COLUMNS} FROM meetings WHERE meeting_id = ANY($1)`, [
    meeting_ids,
  ]);
  return new Map(rows.map((row) => [row.meeting_id, row]));
}
