import type pg from 'pg';
import type { EntityManager } from 'typeorm';
import { CONTRIBUTION_MOVES } from './contribution-states.ts';
import type { MeetingStatus } from '../meetings/meeting-states.ts';

/** A contribution to a meeting's pool that is to be made: by wallet, or, with neither wallet nor payer, in cash. */
export interface NewContribution {
  id: string;
  meeting_id: string;
  member_id: string;
  paid_by_member_id: string;
  payer_user_id: string | null;
  wallet_id: string | null;
  amount_minor: bigint;
  now: Date;
}

export interface TakeResult {
  meeting_status: MeetingStatus;
  /** Null when nothing was taken; otherwise the contribution is stored, and this is what is left of the due. */
  outstanding_minor: bigint | null;
}

type LockMeetings = 'FOR SHARE' | 'FOR SHARE SKIP LOCKED';

/**
 * Takes amounts of members' dues and stores the pending contributions, each with its due or not at all, in one
 * statement. The meetings' rows are share-locked first, so that a settlement that has begun sees either a contribution
 * or no trace of it; a due's row decides between payments of the same due, of which a batch holds one at most.
 * Locks: meetings by id, then dues by meeting and member.
 */
const takeDuesWith = (lock: LockMeetings): string => `
  WITH asked AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[], $5::uuid[], $6::text[], $7::text[],
                         $8::timestamptz[])
      AS asked (meeting_id, member_id, amount_minor, id, paid_by_member_id, payer_user_id, wallet_id, now)
  ), meeting AS (
    SELECT id, association_id, cycle_id, status, currency FROM meetings WHERE id = ANY($1::uuid[])
    ORDER BY id ${lock}
  ), terms AS (
    SELECT asked.*, m.association_id, m.cycle_id, m.status, m.currency,
      cm.hands * c.contribution_amount_minor AS due_minor
    FROM asked JOIN meeting m ON m.id = asked.meeting_id LEFT JOIN cycles c ON c.id = m.cycle_id
    LEFT JOIN cycle_members cm ON cm.cycle_id = m.cycle_id AND cm.member_id = asked.member_id
  ), taken AS (
    INSERT INTO dues AS d (meeting_id, member_id, due_minor, taken_minor, paid_minor)
    SELECT meeting_id, member_id, due_minor, amount_minor, 0 FROM terms
    WHERE status = 'open' AND (cycle_id IS NULL OR amount_minor <= due_minor)
    ORDER BY meeting_id, member_id
    ON CONFLICT (meeting_id, member_id) DO UPDATE SET taken_minor = d.taken_minor + EXCLUDED.taken_minor
      WHERE d.due_minor IS NULL OR d.taken_minor + EXCLUDED.taken_minor <= d.due_minor
    RETURNING meeting_id, member_id, coalesce(d.due_minor - d.taken_minor, 0) AS outstanding_minor
  ), stored AS (
    INSERT INTO contributions (id, association_id, meeting_id, member_id, paid_by_member_id, payer_user_id, wallet_id,
      method, amount_minor, currency, status, outstanding_minor, created_at, driven_at)
    SELECT id, association_id, meeting_id, member_id, paid_by_member_id, payer_user_id, wallet_id,
      CASE WHEN wallet_id IS NULL THEN 'cash' ELSE 'wallet' END, amount_minor,
      currency, '${CONTRIBUTION_MOVES.pay.from[0]}', outstanding_minor, now, now
    FROM taken JOIN terms USING (meeting_id, member_id)
  )
  SELECT terms.id, status AS meeting_status, outstanding_minor
  FROM terms LEFT JOIN taken USING (meeting_id, member_id)`;

const TAKE_DUE = takeDuesWith('FOR SHARE');
const TAKE_DUES = takeDuesWith('FOR SHARE SKIP LOCKED');

/**
 * Runs it for several, of which no two are of the same due. It waits for no meeting, as all would wait with it, and for
 * a due no longer than its pool does.
 * @returns undefined for those whose meeting is being settled, moved or cancelled just now: nothing was done for them
 */
export async function takeDues(
  pool: pg.Pool,
  contributions: readonly NewContribution[],
): Promise<(TakeResult | undefined)[]> {
  const values = valuesOf(contributions);
  const { rows } = await pool.query<Row>({ name: 'contribution.take_dues', text: TAKE_DUES, values });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return contributions.map(({ id }) => byId.get(id));
}

/** Runs it for one, and waits for whoever holds its meeting. The meeting must exist. */
export async function takeDue(pool: pg.Pool, contribution: NewContribution): Promise<TakeResult> {
  const values = valuesOf([contribution]);
  const { rows } = await pool.query<Row>({ name: 'contribution.take_due', text: TAKE_DUE, values });
  return resultOf(contribution, rows);
}

/** The same in the caller's transaction. */
export async function takeDueWithin(manager: EntityManager, contribution: NewContribution): Promise<TakeResult> {
  return resultOf(contribution, await manager.query(TAKE_DUE, valuesOf([contribution])));
}

type Row = TakeResult & { id: string };

function valuesOf(contributions: readonly NewContribution[]): unknown[][] {
  return [
    contributions.map((each) => each.meeting_id),
    contributions.map((each) => each.member_id),
    contributions.map((each) => each.amount_minor),
    contributions.map((each) => each.id),
    contributions.map((each) => each.paid_by_member_id),
    contributions.map((each) => each.payer_user_id),
    contributions.map((each) => each.wallet_id),
    contributions.map((each) => each.now),
  ];
}

function resultOf({ meeting_id }: NewContribution, [row]: Row[]): TakeResult {
  if (row === undefined) throw new Error(`Meeting ${meeting_id} is gone; meetings are never deleted`);
  return row;
}
