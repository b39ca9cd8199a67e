import type pg from 'pg';
import type { OutboxColumns } from '../../../lib/events/outbox.ts';
import { connectionOf, pipelinedTransaction } from '../../../lib/db/pipelined-transaction.ts';
import type { Connection, Statements } from '../../../lib/db/statements.ts';
import { CONTRIBUTION_MOVES } from '../domain/contribution-states.ts';
import type { ContributionRow } from './contribution.entity.ts';

/**
 * Both statements decide contributions to a pool only while they are pending, so that a request and the sweeper, or two
 * that tell of the same cash, never both do.
 * Locks: contributions by id, then dues by meeting and member, as where dues are taken; a due is never held while
 * waiting for a contribution.
 */
const MARK_PAID = `
  WITH pending AS (
    SELECT id, meeting_id, member_id, amount_minor FROM contributions
    WHERE id = ANY($1::uuid[]) AND status = '${CONTRIBUTION_MOVES.pay.from[0]}' ORDER BY id FOR UPDATE
  ), owed AS (
    SELECT p.id, p.amount_minor, d.meeting_id, d.member_id FROM pending p JOIN dues d USING (meeting_id, member_id)
    ORDER BY d.meeting_id, d.member_id FOR UPDATE OF d
  ), counted AS (
    UPDATE dues d SET paid_minor = d.paid_minor + o.amount_minor FROM owed o
    WHERE d.meeting_id = o.meeting_id AND d.member_id = o.member_id
    RETURNING o.id, coalesce(d.due_minor - d.paid_minor, 0) AS outstanding_minor
  ), decided AS (
    UPDATE contributions c SET status = '${CONTRIBUTION_MOVES.pay.to}', decided_at = $2,
      outstanding_minor = counted.outstanding_minor
    FROM counted WHERE c.id = counted.id RETURNING c.*
  ), told AS (
    INSERT INTO outbox (event_id, association_id, type, event)
    SELECT facts.event_id, facts.association_id, facts.type, facts.event
    FROM decided JOIN unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::json[])
      AS facts (contribution_id, event_id, association_id, type, event) ON facts.contribution_id = decided.id
  )
  SELECT * FROM decided`;

const MARK_ALL_PAID = { name: 'contribution.mark_all_paid', text: MARK_PAID };

const GIVE_BACK = `
  WITH pending AS (
    SELECT id, meeting_id, member_id, amount_minor FROM contributions
    WHERE id = $1 AND status = '${CONTRIBUTION_MOVES.pay.from[0]}' FOR UPDATE
  ), counted AS (
    UPDATE dues d SET taken_minor = d.taken_minor - p.amount_minor FROM pending p
    WHERE d.meeting_id = p.meeting_id AND d.member_id = p.member_id
    RETURNING coalesce(d.due_minor - d.paid_minor, 0) AS outstanding_minor
  ), decided AS (
    UPDATE contributions c SET status = $7, failure_code = $8, decided_at = $2,
      outstanding_minor = counted.outstanding_minor
    FROM pending p, counted WHERE c.id = p.id RETURNING c.id
  ), told AS (
    INSERT INTO outbox (event_id, association_id, type, event)
    SELECT facts.* FROM decided, unnest($3::uuid[], $4::uuid[], $5::text[], $6::json[]) AS facts
  )
  SELECT id FROM decided`;

/** Keeps the answer of the request in the transaction that decides. */
export type KeepAnswer = (transaction: Statements, row: ContributionRow) => Promise<void>;

/** A contribution whose money has moved, with the events that tell of it. */
export interface MovedContribution {
  id: string;
  events: OutboxColumns;
  /** Where the request has an Idempotency-Key. */
  keep?: KeepAnswer | undefined;
}

/**
 * Marks pending contributions as paid, counts them into their dues and writes their events. No two may be of the same
 * due.
 * @returns each as it is now; undefined if it was decided before
 */
export async function markAllPaid(
  pool: pg.Pool,
  moved: readonly MovedContribution[],
  now: Date,
): Promise<(ContributionRow | undefined)[]> {
  const mark = async (connection: Connection): Promise<(ContributionRow | undefined)[]> => {
    const rows = await connection.rows<ContributionRow>(MARK_ALL_PAID, paidValues(moved, now));
    const byId = new Map(rows.map((row) => [row.id, row]));
    return moved.map(({ id }) => byId.get(id));
  };
  // Where no answer is to be kept, the statement is a transaction by itself.
  if (moved.every(({ keep }) => keep === undefined)) return mark(connectionOf(pool));
  return pipelinedTransaction(pool, async (transaction) => {
    const paid = await mark(transaction);
    for (const [index, row] of paid.entries()) {
      if (row !== undefined) await moved[index]?.keep?.(transaction.closing, row);
    }
    return paid;
  });
}

function paidValues(moved: readonly MovedContribution[], now: Date): unknown[] {
  return [
    moved.map(({ id }) => id),
    now,
    moved.flatMap(({ id, events }) => events.event_ids.map(() => id)),
    moved.flatMap(({ events }) => events.event_ids),
    moved.flatMap(({ events }) => events.association_ids),
    moved.flatMap(({ events }) => events.types),
    moved.flatMap(({ events }) => events.events),
  ];
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
    name: 'contribution.give_back',
    text: GIVE_BACK,
    values: [id, now, ...valuesOf(events), move.to, failure_code],
  });
  return rowCount === 1;
}

function valuesOf(events: OutboxColumns): unknown[] {
  return [events.event_ids, events.association_ids, events.types, events.events];
}
