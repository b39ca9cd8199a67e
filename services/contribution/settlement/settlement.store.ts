/**
 * Stores settlements. Every transaction that ends a meeting locks in this order: meeting, settlement, cycle, dues, arrears.
 * Every step requires that the meeting still has the step's `attempt_id`, so an attempt changes nothing after recovery has
 * opened its meeting again.
 */
import type { FineRule } from '../../../lib/contracts/membership.ts';
import type { Db, Transaction } from '../../../lib/db/db.ts';
import { columnList, type RowOf } from '../../../lib/db/table.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { sqlList, statesWhere } from '../../../lib/saga/states.ts';
import { arePayingArrears, listOpenArrears } from '../arrears/arrears.store.ts';
import { isLastRound, RUNNING, type CycleRow } from '../cycles/cycle.table.ts';
import { SETTLING, MEETING_STATES, meetings, type MeetingPath, type MeetingRow } from '../meetings/meeting.table.ts';
import { findInFlight, listMissing, listSavings, readFunds, type InFlight } from '../payments/contribution.store.ts';
import { NO_FUNDS, type Funds } from './funds.rules.ts';
import type { MeetingToSettle, SettlementFacts } from './settlement.rules.ts';
import {
  PLANNED,
  SETTLED,
  settlements,
  SHOWN_SETTLEMENTS,
  type settlementFineRules,
  type SettlementFines,
  type SettlementRow,
  type StoredPayout,
} from './settlement.table.ts';

interface MeetingToSettleRow extends MeetingRow {
  rotation_order: CycleRow['rotation_order'];
  rules_version: number | null;
  fine_rules: FineRule[] | null;
  is_last_round: boolean | null;
  earlier_round_open: boolean;
  /** The members of the hands that this round pays, in rotation order. */
  hands: string[];
  /** Their creditors from earlier settlements. */
  creditor_ids: string[];
  /** All members of the cycle, in join order, if this is the last round of savings. */
  saver_ids: string[];
}

const MEETING_TO_SETTLE = {
  name: 'contribution.meeting_to_settle',
  text: `
    WITH hands AS MATERIALIZED (
      SELECT h.position, h.member_id FROM meetings r
      JOIN cycle_hands h ON h.cycle_id = r.cycle_id AND h.round = r.round
      WHERE r.id = $1 AND r.association_id = $2
    )
    SELECT ${columnList(meetings, 'm')}, c.rotation_order, c.rules_version,
      coalesce(c.rules -> 'fines', CASE WHEN c.id IS NOT NULL THEN '[]'::jsonb END) AS fine_rules, ${isLastRound('c', 'm')} AS is_last_round,
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
 * Reads a meeting with the data of its cycle in one statement. Once no earlier round is open, no arrears are added until
 * this round settles, so the payees are complete.
 * @throws not_found even if another association has the meeting
 */
export async function readMeetingToSettle(
  db: Db,
  { association_id, meeting_id }: MeetingPath,
): Promise<MeetingToSettle> {
  const row = await db.first<MeetingToSettleRow>(MEETING_TO_SETTLE, [meeting_id, association_id]);
  if (row === undefined) throw problem('not_found');
  const {
    rotation_order,
    rules_version,
    fine_rules,
    is_last_round,
    earlier_round_open,
    hands,
    creditor_ids,
    saver_ids,
    ...meeting
  } = row;
  const found = {
    meeting,
    rules_version,
    fine_rules,
    is_last_round: is_last_round === true,
    earlier_round_open,
    hands,
  };
  if (meeting.cycle_id === null) return { ...found, kind: 'treasury', debtor_ids: [], payee_ids: [] };
  if (rotation_order === null) return { ...found, kind: 'savings', debtor_ids: [], payee_ids: saver_ids };
  const debtor_ids = creditor_ids.length === 0 ? [] : [...new Set(hands)];
  return { ...found, kind: 'rotation', debtor_ids, payee_ids: [...new Set([...hands, ...creditor_ids])] };
}

/** Sets `settling_since` to null, so that recovery does not open the meeting again. */
const INSERT_PLAN = {
  name: 'contribution.insert_plan',
  text: `
    WITH closed AS (
      UPDATE meetings SET status = 'settling', attempt_id = $1, settling_since = NULL WHERE id = $4
    )
    INSERT INTO settlements (id, kind, association_id, meeting_id, status, currency, collected_minor, expected_minor,
      paid_out_minor, to_treasury_minor, savings_emoney_minor, savings_cash_minor, payouts, legs, claims,
      rules_version, settled_by_member_id, created_at, last_attempt_at)
    VALUES ($1, $2, $3, $4, 'planned', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17)`,
};

/** Stores a plan for its locked meeting, and closes the meeting to contributions. */
export function insertPlan(tx: Transaction, plan: SettlementRow): void {
  tx.send(INSERT_PLAN, [
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

/** Stores the rules of fines that a planned settlement applies when it is carried out. */
export function insertFineRules(
  tx: Transaction,
  { settlement_id, rules, not_fined }: RowOf<typeof settlementFineRules>,
): void {
  if (rules.length === 0) return;
  const values = [settlement_id, JSON.stringify(rules), not_fined];
  tx.send('INSERT INTO settlement_fine_rules (settlement_id, rules, not_fined) VALUES ($1, $2, $3)', values);
}

/** The effects of a plan that was carried out. */
export interface EndedMeeting {
  /** Null outside a cycle. */
  cycle_id: string | null;
  /** The number of the cycle, if this was its last round; otherwise null. */
  completed_number: number | null;
  /** Whether the plan sets off arrears. */
  has_set_off: boolean;
  /** The rules of fines that it applies; null if there are none. */
  fines: SettlementFines | null;
}

/** Rounds settle in order, so a cycle completes with its last round. */
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
      FROM ended WHERE m.id = $2 AND m.attempt_id = $1 AND m.status IN (${SETTLING})
      RETURNING m.cycle_id, m.round, settles
    ), completed AS (
      UPDATE cycles c SET status = 'completed'
      FROM closed WHERE settles AND c.id = closed.cycle_id AND ${isLastRound('c', 'closed')} AND c.status IN (${RUNNING})
      RETURNING c.number
    )
    SELECT closed.settles IS NOT NULL AS is_closed, closed.cycle_id,
      (SELECT number FROM completed) AS completed_number,
      EXISTS (SELECT FROM arrears_allocations WHERE payment_id = $1) AS has_set_off,
      (SELECT json_build_object('rules', rules, 'not_fined', not_fined)
       FROM settlement_fine_rules WHERE settlement_id = $1) AS fines
    FROM ended LEFT JOIN closed ON true`,
};

/**
 * Marks a plan as carried out, its meeting as settled or cancelled, and the cycle as completed after its last round.
 * @returns undefined, with nothing changed, if it was decided before
 */
export async function endMeeting(
  tx: Transaction,
  { id, meeting_id }: SettlementRow,
  now: Date,
): Promise<EndedMeeting | undefined> {
  const row = await tx.first<EndedMeeting & { is_closed: boolean }>(END_MEETING, [id, meeting_id, now]);
  if (row === undefined) return undefined;
  const { is_closed, ...ending } = row;
  if (!is_closed) throw new Error(`Plan ${id} was not carried out: its meeting has another attempt`);
  return ending;
}

const REFUSE_PLAN = {
  name: 'contribution.refuse_plan',
  text: `UPDATE settlements s SET status = 'refused', failure_code = $2 WHERE id = $1 AND status IN (${PLANNED})
         RETURNING ${columnList(settlements, 's')}`,
};

/**
 * Marks a plan as refused by the ledger.
 * @returns undefined, with nothing changed, if it was decided before
 */
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

/** Reads the savings that the settled rounds of a cycle have brought to the treasury. */
export async function readSavings(db: Db, cycle_id: string): Promise<Funds> {
  return (await db.first<Funds>(SAVINGS_OF, [cycle_id])) ?? NO_FUNDS;
}

const SAVINGS_OF_TRANSFERS = {
  name: 'contribution.savings_of_transfers',
  text: `SELECT coalesce(sum(savings_emoney_minor), 0)::bigint AS emoney_minor,
           coalesce(sum(savings_cash_minor), 0)::bigint AS cash_minor
         FROM settlements WHERE association_id = $1 AND id = ANY($2::uuid[])`,
};

/** Reads by how much transfers, which have the ids of their settlements, have changed the savings in the treasury. */
export async function readSavingsOfTransfers(
  db: Db,
  association_id: string,
  transfer_ids: readonly string[],
): Promise<Funds> {
  return (await db.first<Funds>(SAVINGS_OF_TRANSFERS, [association_id, transfer_ids])) ?? NO_FUNDS;
}

/** The amounts that decide a settlement, and whether payments in flight may still change them. */
export interface CurrentFacts extends SettlementFacts {
  in_flight: InFlight;
  /** Whether a payment is in flight of arrears that may be set off. */
  are_paying_arrears: boolean;
}

/**
 * Reads what was paid and what is owed, in one round trip. It reads the payments in flight first, as each statement sees
 * what is committed when the statement begins. If none are in flight, and the caller has locked the meeting and the
 * arrears, the other amounts can no longer change.
 */
export async function readFacts(
  db: Db,
  { meeting, kind, is_last_round, debtor_ids }: MeetingToSettle,
): Promise<CurrentFacts> {
  const { id, association_id, cycle_id } = meeting;
  const hasDebtors = debtor_ids.length > 0;
  const returnsSavings = kind === 'savings' && is_last_round;
  const [in_flight, are_paying_arrears, collected, missing, open, earlier, saved] = await Promise.all([
    findInFlight(db, id),
    hasDebtors ? arePayingArrears(db, association_id, debtor_ids) : false,
    readFunds(db, id),
    kind === 'rotation' && cycle_id !== null ? listMissing(db, cycle_id, id) : [],
    hasDebtors ? listOpenArrears(db, association_id, debtor_ids) : [],
    returnsSavings && cycle_id !== null ? readSavings(db, cycle_id) : NO_FUNDS,
    returnsSavings && cycle_id !== null ? listSavings(db, cycle_id) : [],
  ]);
  return { in_flight, are_paying_arrears, collected, missing, open, earlier, saved };
}

/** Finds the settlement of a meeting, if clients may see it. */
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

/** What a settlement has paid to a member by one method. */
export interface PaidOut {
  member_id: string;
  method: StoredPayout['method'];
  amount_minor: bigint;
}

const LIST_PAID_OUT = {
  name: 'contribution.list_paid_out',
  text: `
    SELECT payout.member_id, payout.method, sum(payout.amount_minor)::bigint AS amount_minor
    FROM settlements s
    CROSS JOIN LATERAL jsonb_to_recordset(s.payouts) AS payout (member_id uuid, method text, amount_minor bigint)
    WHERE s.meeting_id = $1 AND s.status IN (${SETTLED}) AND s.kind = 'settlement' AND payout.member_id > $2::uuid
    GROUP BY payout.member_id, payout.method ORDER BY payout.member_id, payout.method DESC LIMIT $3`,
};

/** Lists what the settlement of a meeting has paid to members after this one, by id, e-money first; nothing until it is settled. */
export async function listPaidOut(db: Db, meeting_id: string, after_id: string, limit: number): Promise<PaidOut[]> {
  return db.rows(LIST_PAID_OUT, [meeting_id, after_id, limit]);
}
