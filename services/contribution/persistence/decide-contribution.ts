import type pg from 'pg';
import type { EntityManager } from 'typeorm';
import type { OutboxColumns } from '../../../lib/events/outbox.ts';
import { CONTRIBUTION_MOVES } from '../domain/contribution-states.ts';
import type { ContributionRow } from './contribution.entity.ts';

/**
 * Both statements decide a contribution to a pool only while it is pending, so that its request and the sweeper, or two
 * that tell of the same cash, never both do.
 * Locks: contribution, due; a due is never held while waiting for a contribution.
 */
const PENDING = `
  pending AS (
    SELECT id, meeting_id, member_id, amount_minor FROM contributions
    WHERE id = $1 AND status = '${CONTRIBUTION_MOVES.pay.from[0]}' FOR UPDATE
  )`;

const TELL = `
  told AS (
    INSERT INTO outbox (event_id, association_id, type, event)
    SELECT facts.* FROM decided, unnest($3::uuid[], $4::uuid[], $5::text[], $6::json[]) AS facts
  )`;

const MARK_PAID = `
  WITH ${PENDING}, counted AS (
    UPDATE dues d SET paid_minor = d.paid_minor + p.amount_minor FROM pending p
    WHERE d.meeting_id = p.meeting_id AND d.member_id = p.member_id
    RETURNING coalesce(d.due_minor - d.paid_minor, 0) AS outstanding_minor
  ), decided AS (
    UPDATE contributions c SET status = '${CONTRIBUTION_MOVES.pay.to}', decided_at = $2,
      outstanding_minor = counted.outstanding_minor
    FROM pending p, counted WHERE c.id = p.id RETURNING c.*
  ), ${TELL}
  SELECT * FROM decided`;

const GIVE_BACK = `
  WITH ${PENDING}, counted AS (
    UPDATE dues d SET taken_minor = d.taken_minor - p.amount_minor FROM pending p
    WHERE d.meeting_id = p.meeting_id AND d.member_id = p.member_id
    RETURNING coalesce(d.due_minor - d.paid_minor, 0) AS outstanding_minor
  ), decided AS (
    UPDATE contributions c SET status = $7, failure_code = $8, decided_at = $2,
      outstanding_minor = counted.outstanding_minor
    FROM pending p, counted WHERE c.id = p.id RETURNING c.id
  ), ${TELL}
  SELECT id FROM decided`;

/**
 * Marks a pending contribution as paid, counts it into its due and writes its event.
 * @returns the contribution as it is now; undefined if it was decided before
 */
export async function markPaid(
  pool: pg.Pool,
  id: string,
  now: Date,
  events: OutboxColumns,
): Promise<ContributionRow | undefined> {
  const { rows } = await pool.query<ContributionRow>({
    name: 'mark-paid',
    text: MARK_PAID,
    values: [id, now, ...valuesOf(events)],
  });
  return rows[0];
}

/** The same in the caller's transaction, but for the event. */
export async function markPaidWithin(
  manager: EntityManager,
  id: string,
  now: Date,
): Promise<ContributionRow | undefined> {
  const rows: ContributionRow[] = await manager.query(MARK_PAID, [id, now, [], [], [], []]);
  return rows[0];
}

/**
 * Ends a pending contribution unpaid and gives back what it took of its due.
 * @param events none for one that was answered with a 4xx
 * @returns false if it was decided before
 */
export async function giveBack(
  pool: pg.Pool,
  id: string,
  now: Date,
  move: typeof CONTRIBUTION_MOVES.fail | typeof CONTRIBUTION_MOVES.refuse,
  failure_code: string,
  events: OutboxColumns,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'give-back',
    text: GIVE_BACK,
    values: [id, now, ...valuesOf(events), move.to, failure_code],
  });
  return rowCount === 1;
}

function valuesOf(events: OutboxColumns): unknown[] {
  return [events.event_ids, events.association_ids, events.types, events.events];
}
