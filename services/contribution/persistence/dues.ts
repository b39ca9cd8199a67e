import type { EntityManager } from 'typeorm';
import type { Connection, Statements } from '../../../lib/db/statements.ts';
import type { Missing } from '../domain/claims.ts';
import type { Share } from '../domain/split.ts';

/**
 * What one member owes for a meeting and has paid, in minor units; `ordinal` is his place in the list, after
 * which the next page goes on. What was paid
 * after the meeting settled, to those to whom he owed, counts as paid; `arrears_minor` is what he still owes them.
 */
export interface DueRow {
  member_id: string;
  due_minor: bigint;
  paid_minor: bigint;
  arrears_minor: bigint;
  ordinal: string;
}

const MISSING_FOR = {
  name: 'contribution.missing_for',
  text: `SELECT cm.member_id, cm.hands * c.contribution_amount_minor - coalesce(d.paid_minor, 0) AS outstanding_minor,
           first.position
         FROM cycle_members cm JOIN cycles c ON c.id = cm.cycle_id
         JOIN (
           SELECT member_id, min(position) AS position FROM cycle_hands WHERE cycle_id = $1 GROUP BY member_id
         ) first ON first.member_id = cm.member_id
         LEFT JOIN dues d ON d.meeting_id = $2 AND d.member_id = cm.member_id
         WHERE cm.cycle_id = $1 AND coalesce(d.paid_minor, 0) < cm.hands * c.contribution_amount_minor
         ORDER BY cm.ordinal`,
};

/** Who has not paid all of a round, in natural order. */
export async function missingFor(connection: Connection, cycle_id: string, meeting_id: string): Promise<Missing[]> {
  return connection.rows(MISSING_FOR, [cycle_id, meeting_id]);
}

const SAVED_IN = {
  name: 'contribution.saved_in',
  text: `SELECT cm.member_id, sum(d.paid_minor)::bigint AS amount_minor
         FROM cycle_members cm JOIN meetings m ON m.cycle_id = cm.cycle_id
         JOIN dues d ON d.meeting_id = m.id AND d.member_id = cm.member_id
         WHERE cm.cycle_id = $1 AND d.paid_minor > 0 GROUP BY cm.member_id, cm.ordinal ORDER BY cm.ordinal`,
};

/** What was paid for each member over all rounds of a cycle, in natural order; who paid nothing is left out. */
export async function savedIn(connection: Connection, cycle_id: string): Promise<Share[]> {
  return connection.rows(SAVED_IN, [cycle_id]);
}

/** Takes back what was counted for a meeting whose contributions have been refunded. */
export async function clearPaid(statements: Statements, meeting_id: string): Promise<void> {
  await statements.query('UPDATE dues SET taken_minor = 0, paid_minor = 0 WHERE meeting_id = $1', [meeting_id]);
}

/** How much more may be taken of a member's due, in minor units: what is in flight counts as taken. */
export async function leftToTake(manager: EntityManager, meeting_id: string, member_id: string): Promise<bigint> {
  const [row]: { left_minor: bigint }[] = await manager.query(
    `SELECT cm.hands * c.contribution_amount_minor - coalesce(d.taken_minor, 0) AS left_minor
     FROM meetings m JOIN cycles c ON c.id = m.cycle_id
     JOIN cycle_members cm ON cm.cycle_id = c.id AND cm.member_id = $2
     LEFT JOIN dues d ON d.meeting_id = m.id AND d.member_id = $2
     WHERE m.id = $1`,
    [meeting_id, member_id],
  );
  return row?.left_minor ?? 0n;
}
