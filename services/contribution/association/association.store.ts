/** Queries for other services about an association or a member. */
import type { Answer } from '../../../lib/contracts/action.ts';
import type { Remains } from '../../../lib/contracts/approvals.ts';
import type { obligations } from '../../../lib/contracts/contribution.ts';
import type { MeetingReference } from '../../../lib/contracts/fields.ts';
import type { Db } from '../../../lib/db/db.ts';
import { sqlList, statesWhere } from '../../../lib/saga/states.ts';
import { CYCLE_STATES, RUNNING, STARTING } from '../cycles/cycle.table.ts';
import { FINE_DUE, sumOfFines } from '../fines/fine.table.ts';
import { MEETING_STATES } from '../meetings/meeting.table.ts';
import { IN_FLIGHT } from '../payments/contribution.table.ts';
import { SHEETS_IN_FLIGHT } from '../sheets/sheet.table.ts';

const LIVE_CYCLES = sqlList(statesWhere(CYCLE_STATES, ({ live }) => live));
const UNDECIDED_CYCLES = sqlList(statesWhere(CYCLE_STATES, ({ undecided }) => undecided));
const LIVE_MEETINGS = sqlList(statesWhere(MEETING_STATES, ({ live }) => live));

/**
 * Returns whether the association has an unfinished cycle or meeting, unpaid arrears or fines, or a contribution or sheet without
 * outcome. A starting cycle counts as `undecided`: it may be refused because of the closure, so it must not make the closure fail
 * too.
 */
export async function findRemains(db: Db, association_id: string): Promise<Remains> {
  const found = await db.first<{ remains: Remains }>(
    `WITH live_cycles AS (
       SELECT status IN (${UNDECIDED_CYCLES}) AS undecided FROM cycles
       WHERE association_id = $1 AND status IN (${LIVE_CYCLES}))
     SELECT CASE
       WHEN EXISTS (SELECT FROM live_cycles WHERE NOT undecided)
         OR EXISTS (SELECT FROM meetings WHERE association_id = $1 AND status IN (${LIVE_MEETINGS}))
         OR EXISTS (SELECT FROM arrears WHERE association_id = $1 AND paid_minor < amount_minor)
         OR EXISTS (SELECT FROM fines WHERE association_id = $1 AND status IN (${FINE_DUE}))
         OR EXISTS (SELECT FROM contributions WHERE association_id = $1 AND status IN (${IN_FLIGHT}))
         OR EXISTS (SELECT FROM sheet_submissions WHERE association_id = $1 AND status IN (${SHEETS_IN_FLIGHT}))
         THEN 'something'
       WHEN EXISTS (SELECT FROM live_cycles) THEN 'undecided'
       ELSE 'nothing' END AS remains`,
    [association_id],
  );
  return found?.remains ?? 'something';
}

/** The lines of a member on sheets that are not decided; $1 is the association, $2 the member. */
const ON_SUBMITTED_SHEET = `
  SELECT FROM sheet_submissions s JOIN submitted_lines l ON l.submission_id = s.id
  WHERE s.association_id = $1 AND s.status IN (${SHEETS_IN_FLIGHT}) AND l.member_id = $2`;

/** Whether a member has paid on a sheet that is not decided. */
export async function isOnSubmittedSheet(db: Db, association_id: string, member_id: string): Promise<boolean> {
  const found = await db.first<{ found: boolean }>(`SELECT EXISTS (${ON_SUBMITTED_SHEET}) AS found`, [
    association_id,
    member_id,
  ]);
  return found?.found === true;
}

/**
 * Reads whether a member takes part in a running cycle, and whether they have unpaid arrears or fines, or have paid on a sheet
 * that is not decided.
 * @param cycle_id reads this cycle only, and counts it as running from its start; null: reads all cycles
 */
export async function findObligations(
  db: Db,
  association_id: string,
  member_id: string,
  cycle_id: string | null,
): Promise<Answer<typeof obligations>> {
  const found = await db.first<Answer<typeof obligations>>(
    `SELECT EXISTS (
       SELECT FROM cycles c WHERE c.association_id = $1 AND ($3::uuid IS NULL OR c.id = $3)
         AND (c.status IN (${STARTING}) AND $3 IS NOT NULL
           OR c.status IN (${RUNNING}) AND EXISTS (
             SELECT FROM cycle_members m WHERE m.cycle_id = c.id AND m.member_id = $2))
     ) AS cycle_running, EXISTS (
       SELECT FROM arrears WHERE association_id = $1 AND debtor_id = $2 AND paid_minor < amount_minor
     ) OR EXISTS (
       SELECT FROM fines WHERE association_id = $1 AND member_id = $2 AND status IN (${FINE_DUE})
     ) OR EXISTS (
       ${ON_SUBMITTED_SHEET}
     ) AS has_arrears`,
    [association_id, member_id, cycle_id],
  );
  if (found === undefined) throw new Error('Expected exactly one row');
  return found;
}

const MEETINGS_OF_TRANSFERS = {
  name: 'contribution.meetings_of_transfers',
  // OFFSET 0 makes the planner read each meeting by its key. It might read all meetings instead.
  text: `SELECT m.id, m.round, m.title, m.due_on, moved.transfer_ids
         FROM (
           SELECT meeting_id, array_agg(id) AS transfer_ids FROM (
             SELECT id, meeting_id FROM contributions WHERE id = ANY($2::uuid[])
             UNION ALL
             SELECT id, meeting_id FROM settlements WHERE id = ANY($2::uuid[])
             UNION ALL
             SELECT id, meeting_id FROM sheet_submissions WHERE id = ANY($2::uuid[])
             UNION ALL
             SELECT p.id, f.meeting_id FROM fine_payments p JOIN fines f ON f.id = p.fine_id WHERE p.id = ANY($2::uuid[])
             UNION ALL
             SELECT r.correction_id, coalesce(r.meeting_id, f.meeting_id) FROM reversals r
             LEFT JOIN fine_payments p ON p.id = r.transfer_id LEFT JOIN fines f ON f.id = p.fine_id
             WHERE r.correction_id = ANY($2::uuid[])
           ) AS each WHERE meeting_id IS NOT NULL GROUP BY meeting_id
         ) AS moved
         CROSS JOIN LATERAL (SELECT * FROM meetings WHERE id = moved.meeting_id OFFSET 0) AS m
         WHERE m.association_id = $1`,
};

/**
 * Finds the meetings of transfers, each with the id of its contribution, settlement, cancellation, submitted sheet, payment of a
 * fine or correction.
 */
export async function findMeetingsOfTransfers(
  db: Db,
  association_id: string,
  transfer_ids: readonly string[],
): Promise<(MeetingReference & { transfer_ids: string[] })[]> {
  return db.rows(MEETINGS_OF_TRANSFERS, [association_id, transfer_ids]);
}

/** Daily rounds for almost three years. Most members have arrears from very few rounds, and few fines. */
const ARREARS_MAX_ROUNDS = 1_000;

/** A fine that a member owes, with its meeting. */
export interface DueFine {
  fine_id: string;
  code: string;
  reason: string | null;
  outstanding_minor: bigint;
  assessed_at: Date;
  /** The sum of all fines, even those beyond the limit of the list. */
  all_minor: bigint;
  meeting: MeetingReference | null;
}

const FINES_OF_MEMBER = {
  name: 'contribution.fines_of_member',
  text: `
    SELECT f.id AS fine_id, f.code, f.reason, f.amount_minor - f.paid_minor AS outstanding_minor, f.assessed_at,
      ${sumOfFines('f.amount_minor - f.paid_minor', 'OVER ()')} AS all_minor,
      CASE WHEN m.id IS NOT NULL THEN json_build_object(
        'id', m.id, 'round', m.round, 'title', m.title, 'due_on', m.due_on) END AS meeting
    FROM fines f LEFT JOIN meetings m ON m.id = f.meeting_id
    WHERE f.association_id = $1 AND f.member_id = $2 AND f.status IN (${FINE_DUE})
    ORDER BY f.assessed_at, f.id LIMIT $3`,
};

/** Lists the fines that a member owes, the oldest first. */
export async function listFinesOfMember(db: Db, association_id: string, member_id: string): Promise<DueFine[]> {
  return db.rows(FINES_OF_MEMBER, [association_id, member_id, ARREARS_MAX_ROUNDS]);
}

/** What a member owes and is owed from one settled round. */
export interface RoundArrears extends MeetingReference {
  since: Date;
  owes_minor: bigint;
  is_owed_minor: bigint;
  /** The sums over all rounds, even those beyond the limit of the list. */
  owes_all_minor: bigint;
  is_owed_all_minor: bigint;
}

const ARREARS_OF_MEMBER = {
  name: 'contribution.arrears_of_member',
  text: `
    WITH unpaid AS (
      SELECT meeting_id, settled_at, amount_minor - paid_minor AS owes_minor, 0::bigint AS is_owed_minor FROM arrears
      WHERE association_id = $1 AND debtor_id = $2 AND paid_minor < amount_minor
      UNION ALL
      SELECT meeting_id, settled_at, 0, amount_minor - paid_minor FROM arrears
      WHERE association_id = $1 AND creditor_id = $2 AND paid_minor < amount_minor
    ), rounds AS (
      SELECT meeting_id, min(settled_at) AS since, sum(owes_minor)::bigint AS owes_minor,
        sum(is_owed_minor)::bigint AS is_owed_minor, sum(sum(owes_minor)) OVER ()::bigint AS owes_all_minor,
        sum(sum(is_owed_minor)) OVER ()::bigint AS is_owed_all_minor
      FROM unpaid GROUP BY meeting_id ORDER BY since, meeting_id LIMIT $3
    )
    SELECT m.id, m.round, m.title, m.due_on, since, owes_minor, is_owed_minor, owes_all_minor, is_owed_all_minor
    FROM rounds JOIN meetings m ON m.id = meeting_id ORDER BY since, m.id`,
};

/** Lists what a member owes and is owed from each settled round, the oldest first. */
export async function listArrearsOfMember(db: Db, association_id: string, member_id: string): Promise<RoundArrears[]> {
  return db.rows(ARREARS_OF_MEMBER, [association_id, member_id, ARREARS_MAX_ROUNDS]);
}
