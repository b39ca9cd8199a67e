import type { Connection, Transaction } from '../../../lib/db/statements.ts';
import { CYCLE_MOVES } from '../domain/cycle-states.ts';
import { MEETING_MOVES } from '../domain/meeting-states.ts';
import { SETTLEMENT_MOVES } from '../domain/settlement-states.ts';
import type { SettlementRow } from './settlement.entity.ts';
import { lockMeeting, reopenMeeting } from './settling.ts';

/* How a plan ends, once the ledger has answered. Locks as where it was made: see settling.ts. */

/** What became of the meeting and its cycle when their plan was carried out. */
export interface Ending {
  /** Null outside of one. */
  cycle_id: string | null;
  /** The number of the cycle that completed with its last round; null if it has not. */
  completed_number: number | null;
  /** Whether the plan has taken arrears. */
  has_set_off: boolean;
}

/** Rounds settle in order, so a cycle completes with its last one. */
const END_MEETING = {
  name: 'contribution.end_meeting',
  text: `
    WITH locked AS (
      SELECT id FROM meetings WHERE id = $2 FOR UPDATE
    ), ended AS (
      UPDATE settlements s SET status = '${SETTLEMENT_MOVES.settle.to}', settled_at = $3
      FROM locked WHERE s.id = $1 AND s.meeting_id = locked.id AND s.status = '${SETTLEMENT_MOVES.settle.from[0]}'
      RETURNING s.kind = 'settlement' AS settles
    ), closed AS (
      UPDATE meetings m SET
        status = CASE WHEN settles THEN '${MEETING_MOVES.settle.to}' ELSE '${MEETING_MOVES.cancel.to}' END,
        settled_at = CASE WHEN settles THEN $3::timestamptz END
      FROM ended WHERE m.id = $2 AND m.attempt_id = $1 AND m.status = '${MEETING_MOVES.settle.from[0]}'
      RETURNING m.cycle_id, m.round, settles
    ), completed AS (
      UPDATE cycles c SET status = '${CYCLE_MOVES.complete.to}'
      FROM closed WHERE settles AND c.id = closed.cycle_id AND c.rounds = closed.round
        AND c.status = '${CYCLE_MOVES.complete.from[0]}'
      RETURNING c.number
    )
    SELECT closed.settles IS NOT NULL AS is_closed, closed.cycle_id,
      (SELECT number FROM completed) AS completed_number,
      EXISTS (SELECT FROM arrears_allocations WHERE payment_id = $1) AS has_set_off
    FROM ended LEFT JOIN closed ON true`,
};

/**
 * Marks a plan as carried out, its meeting as what it ends as, and the cycle as completed if that was its last round.
 * @returns undefined, with nothing changed, if it was decided before
 */
export async function endMeeting(
  connection: Connection,
  { id, meeting_id }: SettlementRow,
  now: Date,
): Promise<Ending | undefined> {
  const [row] = await connection.rows<Ending & { is_closed: boolean }>(END_MEETING, [id, meeting_id, now]);
  if (row === undefined) return undefined;
  const { is_closed, ...ending } = row;
  if (!is_closed) throw new Error(`Plan ${id} is stored, but its meeting is not settling by it`);
  return ending;
}

const REFUSE_PLAN = {
  name: 'contribution.refuse_plan',
  text: `UPDATE settlements SET status = '${SETTLEMENT_MOVES.refuse.to}', failure_code = $2
         WHERE id = $1 AND status = '${SETTLEMENT_MOVES.refuse.from[0]}' RETURNING id`,
};

/** Marks a plan that the ledger refused for good, and opens its meeting again; false if it was decided before. */
export async function refusePlan(
  transaction: Transaction,
  { id, meeting_id }: SettlementRow,
  failure_code: string,
): Promise<boolean> {
  const [, refused] = await Promise.all([
    lockMeeting(transaction, meeting_id),
    transaction.rows(REFUSE_PLAN, [id, failure_code]),
  ]);
  if (refused.length === 0) return false;
  await reopenMeeting(transaction.closing, meeting_id, id);
  return true;
}
