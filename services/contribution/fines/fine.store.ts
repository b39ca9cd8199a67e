/** Fines in the database. Lock order: meeting, payment, fine. */
import { columnsOf } from '../../../lib/db/columns.ts';
import type { Db, Transaction } from '../../../lib/db/db.ts';
import { columnList } from '../../../lib/db/table.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Position } from '../../../lib/paging/cursors.ts';
import { FINABLE, type AttendanceRow } from '../attendance/attendance.table.ts';
import type { Debtor, FinedSoFar } from './fine.rules.ts';
import {
  FINE_DUE,
  FINE_IN_FLIGHT,
  fines,
  statusWithPaid,
  sumOfFines,
  type FineRow,
  type FineStatus,
} from './fine.table.ts';

/**
 * Finds a fine.
 * @throws not_found even if another association has the fine
 */
export async function findFine(db: Db, association_id: string, id: string): Promise<FineRow> {
  const row = await db.orm.findOneBy(fines, { id, association_id });
  if (row === null) throw problem('not_found');
  return row;
}

/** Locks a fine until the transaction ends. */
export async function lockFine(tx: Transaction, id: string): Promise<FineRow> {
  const row = await tx.first<FineRow>('SELECT * FROM fines WHERE id = $1 FOR UPDATE', [id]);
  if (row === undefined) throw new Error(`Fine ${id} was not found, but fines are never deleted`);
  return row;
}

/** What a new fine gets; nothing of it is paid, and it is due. */
const COLUMNS = [
  'id',
  'association_id',
  'member_id',
  'code',
  'meeting_id',
  'period',
  'reason',
  'currency',
  'amount_minor',
  'rules_version',
  'assessed_by_member_id',
  'assessed_at',
] as const;

export type NewFine = Pick<FineRow, (typeof COLUMNS)[number]>;

const INSERT_FINES = {
  name: 'contribution.insert_fines',
  text: `
    INSERT INTO fines AS f (${COLUMNS.join(', ')}, taken_minor, paid_minor, status)
    SELECT ${COLUMNS.join(', ')}, 0, 0, 'due'
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::integer[], $7::text[], $8::text[],
      $9::bigint[], $10::integer[], $11::uuid[], $12::timestamptz[]) AS asked (${COLUMNS.join(', ')})
    ON CONFLICT DO NOTHING RETURNING ${columnList(fines, 'f')}`,
};

/** Stores fines, except those that a member already has for the same meeting and period. Returns those that it stored. */
export async function insertFines(tx: Transaction, rows: readonly NewFine[]): Promise<FineRow[]> {
  if (rows.length === 0) return [];
  return tx.rows(INSERT_FINES, columnsOf(rows, ...COLUMNS));
}

/** Which fines a list shows; null shows all. */
export interface FineFilter {
  association_id: string;
  member_id: string | null;
  status: FineStatus | null;
  meeting_id: string | null;
}

/** Lists fines, newest first. The statement has only the conditions that are set, so that PostgreSQL plans for these. */
export async function listFines(
  db: Db,
  filter: FineFilter,
  before: Position | null,
  limit: number,
): Promise<FineRow[]> {
  const values: unknown[] = [limit];
  const value = (given: unknown) => `$${String(values.push(given))}`;
  const conditions = Object.entries(filter)
    .filter(([, given]) => given !== null)
    .map(([name, given]) => `${name} = ${value(given)}`);
  if (before !== null) conditions.push(`(assessed_at, id) < (${before.map(value).join(', ')})`);
  return db.rows(
    `SELECT * FROM fines WHERE ${conditions.join(' AND ')} ORDER BY assessed_at DESC, id DESC LIMIT $1`,
    values,
  );
}

const DEBTORS_OF_OPEN = `
  SELECT cm.member_id, cm.due_minor - coalesce(d.taken_minor, 0) AS outstanding_minor
  FROM meetings m JOIN cycle_members cm ON cm.cycle_id = m.cycle_id
  LEFT JOIN dues d ON d.meeting_id = m.id AND d.member_id = cm.member_id
  WHERE m.id = $1 AND coalesce(d.taken_minor, 0) < cm.due_minor`;

const DEBTORS_OF_SETTLED = `
  SELECT debtor_id AS member_id, sum(amount_minor - taken_minor)::bigint AS outstanding_minor
  FROM arrears WHERE meeting_id = $1 AND taken_minor < amount_minor GROUP BY debtor_id`;

/**
 * Lists the members who owe something for a meeting: of their due or, once it has settled, of arrears. What is in flight is
 * not outstanding, so a payment that waits for its approval is not late.
 */
export async function listDebtors(db: Db, meeting_id: string, isSettled: boolean): Promise<Debtor[]> {
  return db.rows(isSettled ? DEBTORS_OF_SETTLED : DEBTORS_OF_OPEN, [meeting_id]);
}

/** Whether a payment for the meeting is in flight, whose failure would make a due outstanding again. */
export async function isInFlight(db: Db, meeting_id: string): Promise<boolean> {
  const row = await db.first<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM dues WHERE meeting_id = $1 AND paid_minor < taken_minor)
         OR EXISTS (SELECT FROM arrears WHERE meeting_id = $1 AND paid_minor < taken_minor) AS found`,
    [meeting_id],
  );
  return row?.found === true;
}

/** Reads what the members have been fined for a meeting. */
export async function listFined(db: Db, meeting_id: string): Promise<FinedSoFar[]> {
  return db.rows(
    `SELECT member_id, code, max(period) AS period, ${sumOfFines('amount_minor')} AS amount_minor
     FROM fines WHERE meeting_id = $1 GROUP BY member_id, code`,
    [meeting_id],
  );
}

/** Reads the attendance of a meeting that may be fined, with what each member still owes for it. */
export async function listFinable(
  db: Db,
  meeting_id: string,
): Promise<(Pick<AttendanceRow, 'member_id' | 'status'> & Debtor)[]> {
  return db.rows(
    `SELECT a.member_id, a.status, greatest(coalesce(cm.due_minor - coalesce(d.paid_minor, 0), 0), 0) AS outstanding_minor
     FROM attendance a JOIN meetings m ON m.id = a.meeting_id
     LEFT JOIN cycle_members cm ON cm.cycle_id = m.cycle_id AND cm.member_id = a.member_id
     LEFT JOIN dues d ON d.meeting_id = m.id AND d.member_id = a.member_id
     WHERE a.meeting_id = $1 AND a.status IN (${FINABLE})`,
    [meeting_id],
  );
}

/** Lists the members who were absent or late. */
export async function listFinableIds(db: Db, meeting_id: string): Promise<string[]> {
  const rows = await db.rows<{ member_id: string }>(
    `SELECT member_id FROM attendance WHERE meeting_id = $1 AND status IN (${FINABLE})`,
    [meeting_id],
  );
  return rows.map(({ member_id }) => member_id);
}

/** Takes an amount of a fine that is due. Returns false, with nothing changed, if that much is not left. */
export async function takeFine(tx: Transaction, id: string, amount_minor: bigint): Promise<boolean> {
  const taken = await tx.run(
    `UPDATE fines SET taken_minor = taken_minor + $2
     WHERE id = $1 AND status IN (${FINE_DUE}) AND taken_minor + $2 <= amount_minor`,
    [id, amount_minor],
  );
  return taken === 1;
}

/** Gives back what a payment took of a fine. The same transaction must end the payment. */
export function giveFineBack(tx: Transaction, id: string, amount_minor: bigint): void {
  tx.send('UPDATE fines SET taken_minor = taken_minor - $2 WHERE id = $1', [id, amount_minor]);
}

/** Marks what a payment took of a fine as paid. Returns the fine as it is now. */
export async function markFinePaid(tx: Transaction, id: string, amount_minor: bigint): Promise<FineRow> {
  const row = await tx.first<FineRow>(
    `UPDATE fines SET paid_minor = paid_minor + $2,
       status = ${statusWithPaid('fines', '$2')}
     WHERE id = $1 RETURNING *`,
    [id, amount_minor],
  );
  if (row === undefined) throw new Error(`Fine ${id} was not found, but fines are never deleted`);
  return row;
}

/** Whether a wallet's payment of the fine, or a reversal of one, has no outcome yet. It has one within seconds. */
export async function isBeingPaid(db: Db, fine_id: string): Promise<boolean> {
  const row = await db.first<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM fine_payments WHERE fine_id = $1 AND status IN (${FINE_IN_FLIGHT}))
         OR EXISTS (SELECT FROM submitted_lines l JOIN sheet_submissions s ON s.id = l.submission_id
                    WHERE l.fine_id = $1 AND s.status = 'reversing') AS found`,
    [fine_id],
  );
  return row?.found === true;
}

/** Waives the rest of a locked fine. */
export function storeWaiver(tx: Transaction, id: string, approval_id: string): void {
  tx.send(`UPDATE fines SET status = 'waived', waived_by_approval_id = $2 WHERE id = $1`, [id, approval_id]);
}
