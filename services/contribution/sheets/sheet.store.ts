/** Meeting sheets in the database. Lock order: sheet, meeting, submission, contributions by id, dues, fines. */
import { columnsOf } from '../../../lib/db/columns.ts';
import type { Db, Transaction } from '../../../lib/db/db.ts';
import { columnList, findRow, insertRows, updateStatement } from '../../../lib/db/table.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Position } from '../../../lib/paging/cursors.ts';
import type { MeetingPath } from '../meetings/meeting.table.ts';
import { CONFIRMED_SHEETS, sheets, sheetSubmissions, submittedLines } from './sheet.table.ts';
import type { SheetRow, ShownSheetRow, SubmissionRow, SubmittedLine } from './sheet.table.ts';

/** The path parameters that identify a sheet. */
export interface SheetPath extends MeetingPath {
  sheet_id: string;
}

const SHOWN = `
  SELECT ${columnList(sheets, 's')}, p.status AS submission_status, p.approval_id, p.decision, p.refusal, p.submitted_at, p.decided_at
  FROM sheets s LEFT JOIN sheet_submissions p ON p.id = s.submission_id`;

const FIND_SHEET = { name: 'contribution.find_sheet', text: `${SHOWN} WHERE s.id = $1` };

/**
 * Finds a sheet.
 * @returns undefined if there is none
 * @throws not_found if the sheet is of another meeting
 */
export async function findSheet(db: Db, path: SheetPath): Promise<ShownSheetRow | undefined> {
  const row = await db.first<ShownSheetRow>(FIND_SHEET, [path.sheet_id]);
  if (row === undefined) return undefined;
  if (row.meeting_id !== path.meeting_id || row.association_id !== path.association_id) throw problem('not_found');
  return row;
}

/** As findSheet(), and throws not_found if there is no sheet. */
export async function readSheet(db: Db, path: SheetPath): Promise<ShownSheetRow> {
  const row = await findSheet(db, path);
  if (row === undefined) throw problem('not_found');
  return row;
}

/** Finds the sheet of a meeting that was confirmed last, by its submission. */
export async function findConfirmedSheet(db: Db, meeting_id: string): Promise<ShownSheetRow | undefined> {
  return db.first(
    `${SHOWN} WHERE s.id = (
       SELECT sheet_id FROM sheet_submissions WHERE meeting_id = $1 AND status IN (${CONFIRMED_SHEETS})
       ORDER BY submitted_at DESC LIMIT 1)`,
    [meeting_id],
  );
}

/** Reads the sheet of a submission. */
export async function readSheetOf(db: Db, { sheet_id, ...path }: SubmissionRow): Promise<ShownSheetRow> {
  const { association_id, meeting_id } = path;
  return readSheet(db, { association_id, meeting_id, sheet_id });
}

const LOCK_SHEET = { name: 'contribution.lock_sheet', text: 'SELECT FROM sheets WHERE id = $1 FOR UPDATE' };

/** Locks a sheet until the transaction ends. Await a later statement: it sees the sheet as the lock found it. */
export function lockSheet(tx: Transaction, id: string): void {
  tx.send(LOCK_SHEET, [id]);
}

/** Lists the sheets of a meeting, newest first. */
export async function listSheets(
  db: Db,
  meeting_id: string,
  before: Position | null,
  limit: number,
): Promise<ShownSheetRow[]> {
  return db.rows(
    `${SHOWN} WHERE s.meeting_id = $1 AND ($2::timestamptz IS NULL OR (s.created_at, s.id) < ($2, $3::uuid))
     ORDER BY s.created_at DESC, s.id DESC LIMIT $4`,
    [meeting_id, ...(before ?? [null, null]), limit],
  );
}

/** Stores a new sheet. Another transaction that stores one with the same id waits, and fails: see isRace(). */
export async function insertSheet(tx: Transaction, sheet: SheetRow): Promise<void> {
  await insertRows(tx, sheets, [sheet]);
}

/** Replaces the content of a locked draft. */
export function replaceSheet(tx: Transaction, { id, ...changes }: SheetRow): void {
  const { lines, attendance, counted_minor, box_minor, note, sheet_hash, recorded_by_member_id } = changes;
  const content = { lines, attendance, counted_minor, box_minor, note, sheet_hash, recorded_by_member_id };
  tx.send(...updateStatement<SheetRow>(sheets, { id }, { ...content, submission_id: null }));
}

const STORE_SUBMISSION = {
  name: 'contribution.store_submission',
  text: `
    WITH submission AS (
      INSERT INTO sheet_submissions (id, sheet_id, association_id, meeting_id, currency, status, approval_id,
        submitted_by_member_id, submitted_at, last_attempt_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) RETURNING id
    ), lines AS (
      INSERT INTO submitted_lines (submission_id, line, kind, member_id, amount_minor, contribution_id, fine_id)
      SELECT submission.id, line, kind, member_id, amount_minor, contribution_id, fine_id FROM submission, unnest(
        $11::integer[], $12::text[], $13::uuid[], $14::bigint[], $15::uuid[], $16::uuid[])
        AS asked (line, kind, member_id, amount_minor, contribution_id, fine_id)
    )
    UPDATE sheets SET submission_id = submission.id, recorded_by_member_id = $8, box_minor = $10
    FROM submission WHERE sheets.id = $2`,
};

/** Stores a submission with its lines, and that it is the last one of its locked sheet. */
export function storeSubmission(
  tx: Transaction,
  submission: SubmissionRow,
  lines: readonly SubmittedLine[],
  box_minor: bigint,
): void {
  tx.send(STORE_SUBMISSION, [
    submission.id,
    submission.sheet_id,
    submission.association_id,
    submission.meeting_id,
    submission.currency,
    submission.status,
    submission.approval_id,
    submission.submitted_by_member_id,
    submission.submitted_at,
    box_minor,
    ...columnsOf(lines, 'line', 'kind', 'member_id', 'amount_minor', 'contribution_id', 'fine_id'),
  ]);
}

/** Finds the submission that an approval decides on. */
export async function findSubmissionOf(db: Db, approval_id: string): Promise<SubmissionRow | undefined> {
  return findRow(db, sheetSubmissions, { approval_id });
}

const LIST_LINES = {
  name: 'contribution.list_lines',
  text: `SELECT ${columnList(submittedLines, 'l')} FROM submitted_lines l WHERE submission_id = $1 ORDER BY line`,
};

/** Lists the lines of a submission, in the order of the sheet. */
export async function listLines(db: Db, submission_id: string): Promise<SubmittedLine[]> {
  return db.rows(LIST_LINES, [submission_id]);
}
