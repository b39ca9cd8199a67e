import type pg from 'pg';
import type { EntityManager } from 'typeorm';
import { CONTRIBUTION_MOVES } from '../domain/contribution-states.ts';
import type { MeetingStatus } from '../domain/meeting-states.ts';

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

/**
 * Takes an amount of a member's due and stores the pending contribution, or neither, in one statement. The meeting's
 * row is share-locked first, so that a settlement that has begun sees either the contribution or no trace of it; the
 * due's row decides between payments of the same due. Locks: meeting, due.
 */
const TAKE_DUE = `
  WITH meeting AS (
    SELECT id, association_id, cycle_id, status, currency FROM meetings WHERE id = $1::uuid FOR SHARE
  ), terms AS (
    SELECT m.*, cm.hands * c.contribution_amount_minor AS due_minor
    FROM meeting m LEFT JOIN cycles c ON c.id = m.cycle_id
    LEFT JOIN cycle_members cm ON cm.cycle_id = m.cycle_id AND cm.member_id = $2::uuid
  ), taken AS (
    INSERT INTO dues AS d (meeting_id, member_id, due_minor, taken_minor, paid_minor)
    SELECT id, $2::uuid, due_minor, $3::bigint, 0 FROM terms
    WHERE status = 'open' AND (cycle_id IS NULL OR $3::bigint <= due_minor)
    ON CONFLICT (meeting_id, member_id) DO UPDATE SET taken_minor = d.taken_minor + EXCLUDED.taken_minor
      WHERE d.due_minor IS NULL OR d.taken_minor + EXCLUDED.taken_minor <= d.due_minor
    RETURNING coalesce(d.due_minor - d.taken_minor, 0) AS outstanding_minor
  ), stored AS (
    INSERT INTO contributions (id, association_id, meeting_id, member_id, paid_by_member_id, payer_user_id, wallet_id,
      method, amount_minor, currency, status, outstanding_minor, created_at, driven_at)
    SELECT $4::uuid, association_id, id, $2::uuid, $5::uuid, $6::text, $7::text,
      CASE WHEN $7::text IS NULL THEN 'cash' ELSE 'wallet' END, $3::bigint,
      currency, '${CONTRIBUTION_MOVES.pay.from[0]}', outstanding_minor, $8::timestamptz, $8::timestamptz
    FROM terms, taken
  )
  SELECT status AS meeting_status, (SELECT outstanding_minor FROM taken) AS outstanding_minor
  FROM terms`;

/** Runs it. The meeting must exist. */
export async function takeDue(pool: pg.Pool, contribution: NewContribution): Promise<TakeResult> {
  const values = valuesOf(contribution);
  const { rows } = await pool.query<TakeResult>({ name: 'take-due', text: TAKE_DUE, values });
  return resultOf(contribution, rows);
}

/** The same in the caller's transaction. */
export async function takeDueWithin(manager: EntityManager, contribution: NewContribution): Promise<TakeResult> {
  return resultOf(contribution, await manager.query(TAKE_DUE, valuesOf(contribution)));
}

function valuesOf(contribution: NewContribution): unknown[] {
  return [
    contribution.meeting_id,
    contribution.member_id,
    contribution.amount_minor,
    contribution.id,
    contribution.paid_by_member_id,
    contribution.payer_user_id,
    contribution.wallet_id,
    contribution.now,
  ];
}

function resultOf({ meeting_id }: NewContribution, [row]: TakeResult[]): TakeResult {
  if (row === undefined) throw new Error(`Meeting ${meeting_id} is gone; meetings are never deleted`);
  return row;
}
