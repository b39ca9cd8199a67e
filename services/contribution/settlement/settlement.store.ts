/**
 * Locks of what ends a meeting: meeting, settlement, cycle, dues, arrears, in this order. Every step of an attempt is
 * conditional on the meeting still holding that attempt, so one that was given up for dead and goes on does nothing.
 */
import type { Db, Transaction } from '../../../lib/db/db.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { sqlList, statesWhere } from '../../../lib/saga/states.ts';
import { isLastRound, RUNNING } from '../cycles/cycle.table.ts';
import type { CycleRow } from '../cycles/cycle.table.ts';
import { ENDING, MEETING_STATES } from '../meetings/meeting.table.ts';
import type { MeetingPath, MeetingRow } from '../meetings/meeting.table.ts';
import { NO_FUNDS } from './monies.rules.ts';
import type { Funds } from './monies.rules.ts';
import type { Situation } from './settlement.rules.ts';
import { PLANNED, SETTLED, SHOWN_SETTLEMENTS } from './settlement.table.ts';
import type { SettlementRow } from './settlement.table.ts';

interface SituationRow extends MeetingRow {
  rotation_order: CycleRow['rotation_order'];
  rules_version: number | null;
  is_last_round: boolean | null;
  earlier_round_open: boolean;
  /** The members whose hands are paid in it, one for each hand, in rotation order. */
  hands: string[];
  /** Their creditors from earlier settlements. */
  creditor_ids: string[];
  /** Where it is the last of a cycle of savings, all members of the cycle, in natural order. */
  saver_ids: string[];
}

const SITUATION = {
  name: 'contribution.situation',
  text: `
    WITH hands AS MATERIALIZED (
      SELECT h.position, h.member_id FROM meetings r
      JOIN cycle_hands h ON h.cycle_id = r.cycle_id AND h.round = r.round
      WHERE r.id = $1 AND r.association_id = $2
    )
    SELECT m.*, c.rotation_order, c.rules_version, ${isLastRound('c', 'm')} AS is_last_round,
      EXISTS (
        SELECT FROM meetings WHERE cycle_id = c.id AND round < m.round
          AND status IN (${sqlList(statesWhere(MEETING_STATES, ({ live }) => live))})
      ) AS earlier_round_open,
      ARRAY(SELECT member_id FROM hands ORDER BY position) AS hands,
      ARRAY(
        SELECT DISTINCT creditor_id FROM arrears
        WHERE association_id = m.association_id AND debtor_id = ANY(ARRAY(SELECT member_id FROM hands))
          AND paid_minor < amount_minor
      ) AS creditor_ids,
      ARRAY(
        SELECT member_id FROM cycle_members
        WHERE cycle_id = c.id AND c.rotation_order IS NULL AND ${isLastRound('c', 'm')} ORDER BY ordinal
      ) AS saver_ids
    FROM meetings m LEFT JOIN cycles c ON c.id = m.cycle_id WHERE m.id = $1 AND m.association_id = $2`,
};

/**
 * Reads which members settling the meeting that a path names may pay. Whether an earlier round is open is read at the
 * same moment: once none is, nothing new can come to be owed before this round has settled, so the payees are all that
 * there will be.
 * @throws not_found also where the meeting belongs to another association
 */
export async function readSituation(db: Db, { association_id, meeting_id }: MeetingPath): Promise<Situation> {
  const row = await db.first<SituationRow>(SITUATION, [meeting_id, association_id]);
  if (row === undefined) throw problem('not_found');
  const { rotation_order, rules_version, earlier_round_open, hands, creditor_ids, saver_ids, ...rest } = row;
  const { is_last_round, ...meeting } = rest;
  const cycle = { meeting, rules_version, earlier_round_open, is_last_round: is_last_round === true };
  if (meeting.cycle_id === null) return { ...cycle, kind: 'treasury', hands, debtor_ids: [], payee_ids: [] };
  if (rotation_order === null) return { ...cycle, kind: 'savings', hands, debtor_ids: [], payee_ids: saver_ids };
  const debtor_ids = creditor_ids.length === 0 ? [] : [...new Set(hands)];
  return { ...cycle, kind: 'rotation', hands, debtor_ids, payee_ids: [...new Set([...hands, ...creditor_ids])] };
}

/** Without `settling_since` the meeting is not one that recovery opens again. */
const STORE_PLAN = {
  name: 'contribution.store_plan',
  text: `
    WITH closed AS (
      UPDATE meetings SET status = 'settling', attempt_id = $1, settling_since = NULL WHERE id = $4
    )
    INSERT INTO settlements (id, kind, association_id, meeting_id, status, currency, collected_minor, expected_minor,
      paid_out_minor, to_treasury_minor, savings_emoney_minor, savings_cash_minor, payouts, legs, claims,
      rules_version, settled_by_member_id, created_at, last_attempt_at)
    VALUES ($1, $2, $3, $4, 'planned', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17)`,
};

/** Stores the plan of an attempt for the locked meeting, which is closed to contributions if it was not before. */
export function storePlan(tx: Transaction, plan: SettlementRow): void {
  tx.send(STORE_PLAN, [
    plan.id,
    plan.kind,
    plan.association_id,
    plan.meeting_id,
    plan.currency,
    plan.collected_minor,
    plan.expected_minor,
    plan.paid_out_minor,
    plan.to_treasury_minor,
    plan.savings_emoney_minor,
    plan.savings_cash_minor,
    JSON.stringify(plan.payouts),
    JSON.stringify(plan.legs),
    JSON.stringify(plan.claims),
    plan.rules_version,
    plan.settled_by_member_id,
    plan.created_at,
  ]);
}

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
      UPDATE settlements s SET status = 'settled', settled_at = $3
      FROM locked WHERE s.id = $1 AND s.meeting_id = locked.id AND s.status IN (${PLANNED})
      RETURNING s.kind = 'settlement' AS settles
    ), closed AS (
      UPDATE meetings m SET
        status = CASE WHEN settles THEN 'settled' ELSE 'cancelled' END,
        settled_at = CASE WHEN settles THEN $3::timestamptz END
      FROM ended WHERE m.id = $2 AND m.attempt_id = $1 AND m.status IN (${ENDING})
      RETURNING m.cycle_id, m.round, settles
    ), completed AS (
      UPDATE cycles c SET status = 'completed'
      FROM closed WHERE settles AND c.id = closed.cycle_id AND ${isLastRound('c', 'closed')} AND c.status IN (${RUNNING})
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
  tx: Transaction,
  { id, meeting_id }: SettlementRow,
  now: Date,
): Promise<Ending | undefined> {
  const row = await tx.first<Ending & { is_closed: boolean }>(END_MEETING, [id, meeting_id, now]);
  if (row === undefined) return undefined;
  const { is_closed, ...ending } = row;
  if (!is_closed) throw new Error(`Plan ${id} is stored, but its meeting is not settling by it`);
  return ending;
}

const REFUSE_PLAN = {
  name: 'contribution.refuse_plan',
  text: `UPDATE settlements SET status = 'refused', failure_code = $2 WHERE id = $1 AND status IN (${PLANNED}) RETURNING *`,
};

/** Marks a plan as refused by the ledger; undefined if it was decided before. */
export async function refusePlan(tx: Transaction, id: string, failure_code: ErrorCode) {
  return tx.first<SettlementRow>(REFUSE_PLAN, [id, failure_code]);
}

const SAVINGS_OF = {
  name: 'contribution.savings_of',
  text: `SELECT coalesce(sum(s.savings_emoney_minor), 0)::bigint AS emoney_minor,
           coalesce(sum(s.savings_cash_minor), 0)::bigint AS cash_minor
         FROM settlements s JOIN meetings m ON m.id = s.meeting_id
         WHERE m.cycle_id = $1 AND s.status IN (${SETTLED})`,
};

/** What the settled rounds of a cycle brought to the treasury as savings. */
export async function readSavings(db: Db, cycle_id: string): Promise<Funds> {
  return (await db.first<Funds>(SAVINGS_OF, [cycle_id])) ?? NO_FUNDS;
}

/** The settlement of a meeting that clients may see. */
export async function findShownSettlement(
  db: Db,
  { association_id, meeting_id }: MeetingPath,
): Promise<SettlementRow | undefined> {
  return db.first(
    `SELECT * FROM settlements
     WHERE association_id = $1 AND meeting_id = $2 AND status IN (${SHOWN_SETTLEMENTS}) AND kind = 'settlement'`,
    [association_id, meeting_id],
  );
}
