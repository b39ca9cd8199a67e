/** Reversals in the database. Lock order: reversal, meeting, submission or payment, contributions by id, dues, fines by id. */
import type { Db, Transaction } from '../../../lib/db/db.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import { sqlList, statesBefore } from '../../../lib/saga/states.ts';
import { statusWithPaid, type FinePaymentRow } from '../fines/fine.table.ts';
import type { ContributionRow } from '../payments/contribution.table.ts';
import type { SubmittedLine } from '../sheets/sheet.table.ts';
import { REVERSAL_STATES, type ReversalRow, type ReversalStatus } from './reversal.table.ts';

/** What a transfer has paid: a contribution, a payment of a fine, or a meeting sheet with its lines. */
export interface PaidByTransfer {
  meeting_id: string | null;
  contributions: Pick<ContributionRow, 'id'>[];
  finePayments: FinePaymentRow[];
  sheet: { id: string; fine_lines: Pick<FinePaymentRow, 'fine_id' | 'amount_minor'>[] } | null;
}

/** Finds what a transfer of the association has paid; undefined if that is nothing. */
export async function findPaidBy(
  db: Db,
  association_id: string,
  transfer_id: string,
): Promise<PaidByTransfer | undefined> {
  const values = [transfer_id, association_id];
  const paid: PaidByTransfer = { meeting_id: null, contributions: [], finePayments: [], sheet: null };
  const contributions = await db.rows<ContributionRow>(
    `SELECT * FROM contributions c WHERE id = $1 AND association_id = $2 AND kind = 'pool'
       -- The line of a sheet has the transfer of the sheet.
       AND NOT EXISTS (SELECT FROM submitted_lines WHERE contribution_id = c.id)`,
    values,
  );
  if (contributions[0] !== undefined) return { ...paid, contributions, meeting_id: contributions[0].meeting_id };
  const finePayments = await db.rows<FinePaymentRow>(
    'SELECT * FROM fine_payments WHERE id = $1 AND association_id = $2',
    values,
  );
  if (finePayments.length > 0) return { ...paid, finePayments };
  const sheet = await db.first<{ meeting_id: string }>(
    'SELECT meeting_id FROM sheet_submissions WHERE id = $1 AND association_id = $2',
    values,
  );
  return sheet && { ...paid, meeting_id: sheet.meeting_id, ...(await readLines(db, transfer_id)) };
}

async function readLines(db: Db, submission_id: string): Promise<Pick<PaidByTransfer, 'contributions' | 'sheet'>> {
  const lines = await db.rows<Pick<SubmittedLine, 'contribution_id' | 'fine_id' | 'amount_minor'>>(
    'SELECT contribution_id, fine_id, amount_minor FROM submitted_lines WHERE submission_id = $1',
    [submission_id],
  );
  const contributions = lines.flatMap(({ contribution_id: id }) => (id === null ? [] : [{ id }]));
  const fine_lines = lines.flatMap(({ fine_id, amount_minor }) =>
    fine_id === null ? [] : [{ fine_id, amount_minor }],
  );
  return { contributions, sheet: { id: submission_id, fine_lines } };
}

/**
 * Stores that the correction takes back what its transfer has paid. Another transaction of the same correction is waited for.
 * @returns false if the correction has an outcome, or another one has taken it back
 */
export async function claimReversal(
  tx: Transaction,
  reversal: Omit<ReversalRow, 'refusal' | 'status'>,
): Promise<boolean> {
  const { correction_id, association_id, transfer_id, meeting_id } = reversal;
  const claimed = await tx.run(
    `INSERT INTO reversals (correction_id, association_id, transfer_id, meeting_id, status)
     VALUES ($1, $2, $3, $4, 'taken') ON CONFLICT DO NOTHING`,
    [correction_id, association_id, transfer_id, meeting_id],
  );
  return claimed === 1;
}

/** Finds and locks the reversal of a correction. */
export function lockReversal(tx: Transaction, correction_id: string): Promise<ReversalRow | undefined> {
  return tx.first('SELECT * FROM reversals WHERE correction_id = $1 FOR UPDATE', [correction_id]);
}

/**
 * Stores how the locked reversal ended.
 * @param refusal why nothing was taken back
 */
export async function endReversal(
  tx: Transaction,
  correction_id: string,
  end: Exclude<ReversalStatus, 'taken'>,
  refusal: Refusal | null = null,
): Promise<void> {
  const before = sqlList(statesBefore(REVERSAL_STATES, end));
  const ended = await tx.run(
    `UPDATE reversals SET status = $2, refusal = $3 WHERE correction_id = $1 AND status IN (${before})`,
    [correction_id, end, refusal && JSON.stringify(refusal)],
  );
  if (ended !== 1) throw new Error(`Reversal ${correction_id} has ended before`);
}

/** A step of a reversal: the states before and after it, and by how many times its amount the due or fine changes. */
interface Change {
  from: 'paid' | 'reversing';
  to: 'paid' | 'reversing' | 'reversed';
  taken: -1 | 0;
  paid: -1 | 0 | 1;
}

/** What is taken back is not paid, but stays taken until the ledger has decided. */
export const TAKE_BACK: Change = { from: 'paid', to: 'reversing', taken: 0, paid: -1 };
export const REVERSE: Change = { from: 'reversing', to: 'reversed', taken: -1, paid: 0 };
export const RESTORE: Change = { from: 'reversing', to: 'paid', taken: 0, paid: 1 };

/**
 * Changes all that a transfer has paid.
 * @returns false if a part of it was not in the state before; the caller rolls back
 */
export async function changePaidBy(tx: Transaction, paid: PaidByTransfer, change: Change): Promise<boolean> {
  const { contributions, finePayments, sheet } = paid;
  if (sheet !== null && !(await changeSheet(tx, sheet.id, change))) return false;
  const changed = await changeContributions(tx, contributions, change);
  if (changed < contributions.length) return false;
  for (const { id, fine_id, amount_minor } of finePayments) {
    if (!(await changeFinePayment(tx, id, change))) return false;
    await changeFine(tx, fine_id, amount_minor, change);
  }
  const fine_lines = sheet?.fine_lines.toSorted((a, b) => (a.fine_id < b.fine_id ? -1 : 1)) ?? [];
  for (const { fine_id, amount_minor } of fine_lines) await changeFine(tx, fine_id, amount_minor, change);
  return true;
}

/** A sheet that is paid is confirmed. */
async function changeSheet(tx: Transaction, id: string, { from, to }: Change): Promise<boolean> {
  const statusOf = (state: Change['to']) => (state === 'paid' ? 'confirmed' : state);
  const changed = await tx.run('UPDATE sheet_submissions SET status = $3 WHERE id = $1 AND status = $2', [
    id,
    statusOf(from),
    statusOf(to),
  ]);
  return changed === 1;
}

const CHANGE_CONTRIBUTIONS = `
  WITH moved AS (
    SELECT id, meeting_id, member_id, amount_minor FROM contributions
    WHERE id = ANY($1::uuid[]) AND status = $2 ORDER BY id FOR UPDATE
  ), sums AS (
    SELECT meeting_id, member_id, sum(amount_minor)::bigint AS amount_minor FROM moved GROUP BY 1, 2
  ), owed AS (
    SELECT meeting_id, member_id, sums.amount_minor FROM sums JOIN dues d USING (meeting_id, member_id)
    ORDER BY meeting_id, member_id FOR UPDATE OF d
  ), counted AS (
    UPDATE dues d SET taken_minor = d.taken_minor + $4 * o.amount_minor, paid_minor = d.paid_minor + $5 * o.amount_minor
    FROM owed o WHERE d.meeting_id = o.meeting_id AND d.member_id = o.member_id
    RETURNING d.meeting_id, d.member_id, coalesce(d.due_minor - d.paid_minor, 0) AS outstanding_minor
  )
  UPDATE contributions c SET status = $3, outstanding_minor = counted.outstanding_minor
  FROM moved JOIN counted USING (meeting_id, member_id) WHERE c.id = moved.id`;

/** Changes contributions and their dues. Returns how many were in the state before. */
async function changeContributions(
  tx: Transaction,
  rows: readonly Pick<ContributionRow, 'id'>[],
  { from, to, taken, paid }: Change,
): Promise<number> {
  if (rows.length === 0) return 0;
  return tx.run(CHANGE_CONTRIBUTIONS, [rows.map(({ id }) => id), from, to, taken, paid]);
}

async function changeFinePayment(tx: Transaction, id: string, { from, to }: Change): Promise<boolean> {
  return (await tx.run('UPDATE fine_payments SET status = $3 WHERE id = $1 AND status = $2', [id, from, to])) === 1;
}

/** Changes what is taken and paid of a fine. */
async function changeFine(tx: Transaction, id: string, amount_minor: bigint, { taken, paid }: Change): Promise<void> {
  await tx.run(
    `UPDATE fines SET taken_minor = taken_minor + $2, paid_minor = paid_minor + $3,
       status = ${statusWithPaid('fines', '$3')}
     WHERE id = $1`,
    [id, BigInt(taken) * amount_minor, BigInt(paid) * amount_minor],
  );
}
