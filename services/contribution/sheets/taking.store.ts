/**
 * What the lines of a sheet take of dues and fines, all in a few statements. Lock order as of other payments: contributions by
 * id, dues by member, fines by id.
 */
import { columnsOf } from '../../../lib/db/columns.ts';
import type { Db, Transaction } from '../../../lib/db/db.ts';
import { columnList } from '../../../lib/db/table.ts';
import { fines, statusWithPaid, type FineRow } from '../fines/fine.table.ts';
import {
  contributions,
  PENDING,
  type ContributionRow,
  type ContributionStatus,
} from '../payments/contribution.table.ts';
import type { SubmissionRow, SubmittedLine } from './sheet.table.ts';

const TAKE_DUES = {
  name: 'contribution.take_dues_of_sheet',
  text: `
    WITH asked AS (
      SELECT id, member_id, amount_minor
      FROM unnest($2::uuid[], $3::uuid[], $4::bigint[]) AS asked (id, member_id, amount_minor)
    ), terms AS (
      SELECT sums.member_id, sums.amount_minor, m.cycle_id, cm.due_minor
      FROM (SELECT member_id, sum(amount_minor)::bigint AS amount_minor FROM asked GROUP BY member_id) AS sums
      JOIN meetings m ON m.id = $1
      LEFT JOIN cycle_members cm ON cm.cycle_id = m.cycle_id AND cm.member_id = sums.member_id
    ), taken AS (
      INSERT INTO dues AS d (meeting_id, member_id, due_minor, taken_minor, paid_minor)
      SELECT $1, member_id, due_minor, amount_minor, 0 FROM terms
      WHERE cycle_id IS NULL OR amount_minor <= due_minor
      ORDER BY member_id
      ON CONFLICT (meeting_id, member_id) DO UPDATE SET taken_minor = d.taken_minor + EXCLUDED.taken_minor
        WHERE d.due_minor IS NULL OR d.taken_minor + EXCLUDED.taken_minor <= d.due_minor
      RETURNING member_id, coalesce(d.due_minor - d.taken_minor, 0) AS outstanding_minor
    ), stored AS (
      INSERT INTO contributions (id, association_id, meeting_id, member_id, paid_by_member_id, method, amount_minor,
        currency, status, outstanding_minor, created_at, last_attempt_at)
      SELECT id, $5, $1, member_id, member_id, 'cash', amount_minor, $6, 'pending', outstanding_minor, $7, $7
      FROM taken JOIN asked USING (member_id)
    )
    SELECT member_id FROM taken`,
};

/**
 * Takes the dues of the lines and stores their contributions, as pending and in cash. The caller has share-locked the meeting and
 * found it open. Several lines of one member are taken together.
 * @returns the members whose due was taken; for the others, nothing was done
 */
export async function takeDues(
  tx: Transaction,
  { meeting_id, association_id, currency, submitted_at }: SubmissionRow,
  lines: readonly SubmittedLine[],
): Promise<Set<string>> {
  const paying = lines.filter(({ contribution_id }) => contribution_id !== null);
  if (paying.length === 0) return new Set();
  const rows = await tx.rows<{ member_id: string }>(TAKE_DUES, [
    meeting_id,
    ...columnsOf(paying, 'contribution_id', 'member_id', 'amount_minor'),
    association_id,
    currency,
    submitted_at,
  ]);
  return new Set(rows.map(({ member_id }) => member_id));
}

/** Reads what is left of the dues of members for a meeting, by member; 0 for those who are not in its cycle. */
export async function readLeft(
  db: Db,
  meeting_id: string,
  member_ids: readonly string[],
): Promise<Map<string, bigint>> {
  const rows = await db.rows<{ member_id: string; left_minor: bigint }>(
    `SELECT asked.member_id, coalesce(cm.due_minor - coalesce(d.taken_minor, 0), 0) AS left_minor
     FROM unnest($2::uuid[]) AS asked (member_id)
     JOIN meetings m ON m.id = $1
     LEFT JOIN cycle_members cm ON cm.cycle_id = m.cycle_id AND cm.member_id = asked.member_id
     LEFT JOIN dues d ON d.meeting_id = m.id AND d.member_id = asked.member_id`,
    [meeting_id, member_ids],
  );
  return new Map(rows.map(({ member_id, left_minor }) => [member_id, left_minor]));
}

/** Locks fines until the transaction ends, and reads them. */
export async function lockFines(tx: Transaction, ids: readonly string[]): Promise<FineRow[]> {
  if (ids.length === 0) return [];
  return tx.rows('SELECT * FROM fines WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE', [ids]);
}

/** Takes these amounts of locked fines. */
export function takeFines(tx: Transaction, amounts: ReadonlyMap<string, bigint>): void {
  if (amounts.size === 0) return;
  tx.send(
    `UPDATE fines SET taken_minor = taken_minor + asked.amount_minor
     FROM unnest($1::uuid[], $2::bigint[]) AS asked (id, amount_minor) WHERE fines.id = asked.id`,
    [[...amounts.keys()], [...amounts.values()]],
  );
}

/**
 * The pending contributions of a submission and their dues, locked; $1 is the submission. The ids are an array, and the status
 * is compared afterwards, so that the contributions are found by their primary key: see MARK_ALL_PAID.
 */
const LOCKED_DUES = `
  locked AS (
    SELECT id, meeting_id, member_id, amount_minor, status FROM contributions
    WHERE id = ANY(ARRAY(SELECT contribution_id FROM submitted_lines WHERE submission_id = $1)) ORDER BY id FOR UPDATE
  ), pending AS (
    SELECT * FROM locked WHERE status IN (${PENDING})
  ), sums AS (
    SELECT meeting_id, member_id, sum(amount_minor)::bigint AS amount_minor FROM pending GROUP BY meeting_id, member_id
  ), owed AS (
    SELECT d.meeting_id, d.member_id, sums.amount_minor FROM dues d JOIN sums USING (meeting_id, member_id)
    ORDER BY d.meeting_id, d.member_id FOR UPDATE OF d
  )`;

/** The fines of a submission with the sums of its lines, locked; $1 is the submission. */
const LOCKED_FINES = `
  sums AS (
    SELECT fine_id, sum(amount_minor)::bigint AS amount_minor FROM submitted_lines
    WHERE submission_id = $1 AND fine_id IS NOT NULL GROUP BY fine_id
  ), owed AS (
    SELECT f.id, sums.amount_minor FROM fines f JOIN sums ON sums.fine_id = f.id ORDER BY f.id FOR UPDATE OF f
  )`;

const PAY_DUES = {
  name: 'contribution.pay_dues_of_sheet',
  text: `
    WITH ${LOCKED_DUES}, counted AS (
      UPDATE dues d SET paid_minor = d.paid_minor + owed.amount_minor FROM owed
      WHERE d.meeting_id = owed.meeting_id AND d.member_id = owed.member_id
      RETURNING d.member_id, coalesce(d.due_minor - d.paid_minor, 0) AS outstanding_minor
    )
    UPDATE contributions c SET status = 'paid', decided_at = $2, outstanding_minor = counted.outstanding_minor
    FROM pending JOIN counted USING (member_id) WHERE c.id = pending.id
    RETURNING ${columnList(contributions, 'c')}`,
};

/** Marks the contributions of a submission as paid, and adds them to their dues. Returns them as they are now. */
export async function payDues(tx: Transaction, submission_id: string, now: Date): Promise<ContributionRow[]> {
  return tx.rows(PAY_DUES, [submission_id, now]);
}

const PAY_FINES = {
  name: 'contribution.pay_fines_of_sheet',
  text: `
    WITH ${LOCKED_FINES}
    UPDATE fines f SET paid_minor = f.paid_minor + owed.amount_minor,
      status = ${statusWithPaid('f', 'owed.amount_minor')}
    FROM owed WHERE f.id = owed.id RETURNING ${columnList(fines, 'f')}`,
};

/** Marks what a submission took of fines as paid. Returns the fines as they are now. */
export async function payFines(tx: Transaction, submission_id: string): Promise<FineRow[]> {
  return tx.rows(PAY_FINES, [submission_id]);
}

const GIVE_DUES_BACK = {
  name: 'contribution.give_dues_of_sheet_back',
  text: `
    WITH ${LOCKED_DUES}, given AS (
      UPDATE dues d SET taken_minor = d.taken_minor - owed.amount_minor FROM owed
      WHERE d.meeting_id = owed.meeting_id AND d.member_id = owed.member_id
      RETURNING d.member_id, coalesce(d.due_minor - d.paid_minor, 0) AS outstanding_minor
    )
    UPDATE contributions c
    SET status = $2, failure_code = $3, decided_at = $4, outstanding_minor = given.outstanding_minor
    FROM pending JOIN given USING (member_id) WHERE c.id = pending.id
    RETURNING ${columnList(contributions, 'c')}`,
};

/** Ends the contributions of a submission unpaid, and gives their dues back. Returns them as they are now. */
export async function giveDuesBack(
  tx: Transaction,
  submission_id: string,
  status: ContributionStatus & ('failed' | 'refused'),
  code: string,
  now: Date,
): Promise<ContributionRow[]> {
  return tx.rows(GIVE_DUES_BACK, [submission_id, status, code, now]);
}

const GIVE_FINES_BACK = {
  name: 'contribution.give_fines_of_sheet_back',
  text: `
    WITH ${LOCKED_FINES}
    UPDATE fines f SET taken_minor = f.taken_minor - owed.amount_minor FROM owed WHERE f.id = owed.id`,
};

/** Gives back what a submission took of fines. */
export function giveFinesBack(tx: Transaction, submission_id: string): void {
  tx.send(GIVE_FINES_BACK, [submission_id]);
}
