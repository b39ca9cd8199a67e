/**
 * Stores what is owed from settled rounds. A transaction that takes or pays arrears first locks their rows, ordered by
 * debtor, age, meeting and rank, so that a payment and a set-off of the same arrears wait for each other.
 * Lock order: meeting, settlement or contribution, arrears.
 */
import { storedMetadata } from '../../../lib/contracts/metadata.ts';
import { columnsOf } from '../../../lib/db/columns.ts';
import type { Db, Transaction } from '../../../lib/db/db.ts';
import { insertRows, updateRow } from '../../../lib/db/table.ts';
import { contributionMetadata, contributions, contributionStatements } from '../payments/contribution.table.ts';
import type { ContributionRow } from '../payments/contribution.table.ts';
import type { SettlementRow } from '../settlement/settlement.table.ts';
import type { Allocation, OpenArrear } from './arrears.rules.ts';
import type { ArrearRow } from './arrears.table.ts';

/** The order in which arrears are locked, and in which the arrears of one debtor are paid off. */
const OLDEST_FIRST = 'a.debtor_id, a.settled_at, a.meeting_id, a.rank';

/** Stores the arrears that a settlement leaves. Each debtor gets a row in `dues`, to which their payments refer. */
export function insertArrears(
  tx: Transaction,
  { meeting_id, association_id, claims }: SettlementRow,
  settled_at: Date,
): void {
  if (claims.length === 0) return;
  tx.send(
    `INSERT INTO dues (meeting_id, member_id, due_minor, taken_minor, paid_minor)
     SELECT m.id, cm.member_id, cm.due_minor, 0, 0
     FROM meetings m JOIN cycle_members cm ON cm.cycle_id = m.cycle_id
     WHERE m.id = $1 AND cm.member_id = ANY($2) ON CONFLICT DO NOTHING`,
    [meeting_id, claims.map((claim) => claim.debtor_id)],
  );
  tx.send(
    `INSERT INTO arrears (meeting_id, association_id, settled_at, debtor_id, creditor_id, rank, amount_minor)
     SELECT $1::uuid, $2::uuid, $3::timestamptz, claims.*
     FROM unnest($4::uuid[], $5::uuid[], $6::integer[], $7::bigint[]) AS claims`,
    [meeting_id, association_id, settled_at, ...columnsOf(claims, 'debtor_id', 'creditor_id', 'rank', 'amount_minor')],
  );
}

const LOCK_ARREARS = {
  name: 'contribution.lock_arrears',
  text: `SELECT FROM arrears a
         WHERE association_id = $1 AND debtor_id = ANY($2::uuid[]) AND paid_minor < amount_minor
         ORDER BY ${OLDEST_FIRST} FOR UPDATE`,
};

/** Locks the unpaid arrears of these members until the transaction ends. */
export async function lockArrears(tx: Transaction, association_id: string, debtor_ids: readonly string[]) {
  await tx.run(LOCK_ARREARS, [association_id, debtor_ids]);
}

const OPEN_ARREARS = {
  name: 'contribution.open_arrears',
  text: `SELECT meeting_id, debtor_id, creditor_id, amount_minor - taken_minor AS left_minor FROM arrears a
         WHERE association_id = $1 AND debtor_id = ANY($2::uuid[]) AND paid_minor < amount_minor
           AND taken_minor < amount_minor
         ORDER BY ${OLDEST_FIRST}`,
};

/** Lists the arrears of these members that no payment has taken, each debtor's oldest first. */
export async function listOpenArrears(
  db: Db,
  association_id: string,
  debtor_ids: readonly string[],
): Promise<OpenArrear[]> {
  return db.rows(OPEN_ARREARS, [association_id, debtor_ids]);
}

const ARE_PAYING_ARREARS = {
  name: 'contribution.are_paying_arrears',
  text: `SELECT EXISTS (
           SELECT FROM arrears WHERE association_id = $1 AND debtor_id = ANY($2::uuid[]) AND paid_minor < taken_minor
             AND paid_minor < amount_minor) AS paying`,
};

/** Whether a payment of these members' arrears is in flight. Its outcome decides what can be set off. */
export async function arePayingArrears(db: Db, association_id: string, debtor_ids: readonly string[]) {
  const row = await db.first<{ paying: boolean }>(ARE_PAYING_ARREARS, [association_id, debtor_ids]);
  return row?.paying === true;
}

/**
 * Locks the arrears of a member from one meeting.
 * @returns what no payment has taken of each, which may be zero, in the order in which they are paid off; undefined if the
 *   member never had arrears from this meeting
 */
export async function lockArrearsFromMeeting(
  tx: Transaction,
  meeting_id: string,
  debtor_id: string,
): Promise<OpenArrear[] | undefined> {
  const rows = await tx.rows<OpenArrear>(
    `SELECT meeting_id, debtor_id, creditor_id, amount_minor - taken_minor AS left_minor FROM arrears a
     WHERE meeting_id = $1 AND debtor_id = $2 ORDER BY ${OLDEST_FIRST} FOR UPDATE`,
    [meeting_id, debtor_id],
  );
  return rows.length === 0 ? undefined : rows;
}

/** A part of a contribution or a settlement that pays off arrears. The wallet is null for a settlement. */
export type TakenPart = Allocation & { wallet_id: string | null };

/** Takes parts of arrears for a payment. The caller must have locked the arrears. */
export function takeArrears(tx: Transaction, payment_id: string, parts: readonly TakenPart[]): void {
  if (parts.length === 0) return;
  const columns = columnsOf(parts, 'meeting_id', 'debtor_id', 'creditor_id', 'amount_minor');
  tx.send(
    `UPDATE arrears a SET taken_minor = a.taken_minor + part.amount_minor
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[])
       AS part (meeting_id, debtor_id, creditor_id, amount_minor)
     WHERE (a.meeting_id, a.debtor_id, a.creditor_id) = (part.meeting_id, part.debtor_id, part.creditor_id)`,
    columns,
  );
  tx.send(
    `INSERT INTO arrears_allocations (payment_id, meeting_id, debtor_id, creditor_id, amount_minor, wallet_id)
     SELECT $1::uuid, parts.* FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[], $6::text[]) AS parts`,
    [payment_id, ...columns, parts.map((part) => part.wallet_id)],
  );
}

/** Marks the arrears that a payment took as paid, or gives them back, in the transaction that decides the payment. */
export function decideAllocations(tx: Transaction, payment_id: string, decision: 'paid' | 'given_back'): void {
  tx.send(
    `SELECT 1 FROM arrears a JOIN arrears_allocations x USING (meeting_id, debtor_id, creditor_id)
     WHERE x.payment_id = $1 ORDER BY ${OLDEST_FIRST} FOR UPDATE OF a`,
    [payment_id],
  );
  tx.send(
    `UPDATE arrears a
     SET paid_minor = a.paid_minor + CASE WHEN $2 THEN x.amount_minor ELSE 0 END,
       taken_minor = a.taken_minor - CASE WHEN $2 THEN 0 ELSE x.amount_minor END
     FROM arrears_allocations x WHERE x.payment_id = $1
       AND (a.meeting_id, a.debtor_id, a.creditor_id) = (x.meeting_id, x.debtor_id, x.creditor_id)`,
    [payment_id, decision === 'paid'],
  );
}

/** Stores a contribution that pays arrears, and takes the arrears. */
export async function insertArrearsPayment(
  tx: Transaction,
  payment: ContributionRow,
  parts: readonly TakenPart[],
  statement?: string,
): Promise<void> {
  takeArrears(tx, payment.id, parts);
  await insertRows(tx, contributions, [payment]);
  const metadata = storedMetadata(payment.metadata);
  if (metadata !== null) await insertRows(tx, contributionMetadata, [{ contribution_id: payment.id, metadata }]);
  if (statement !== undefined)
    await insertRows(tx, contributionStatements, [{ contribution_id: payment.id, statement }]);
}

/** A part of a contribution to arrears, and the wallet that receives it. */
export interface CreditorPart {
  creditor_id: string;
  wallet_id: string;
  amount_minor: bigint;
}

/** Lists the parts of a contribution to arrears, in the order in which they are paid off. */
export async function listCreditorParts(db: Db, contribution_id: string): Promise<CreditorPart[]> {
  return db.rows(
    `SELECT x.creditor_id, x.wallet_id, x.amount_minor
     FROM arrears a JOIN arrears_allocations x USING (meeting_id, debtor_id, creditor_id)
     WHERE x.payment_id = $1 ORDER BY ${OLDEST_FIRST}`,
    [contribution_id],
  );
}

/** Marks an undecided contribution to arrears as paid; undefined if its state has changed since it was read. */
export async function payArrears(
  tx: Transaction,
  { id, status }: ContributionRow,
  now: Date,
): Promise<ContributionRow | undefined> {
  const paid = await updateRow<ContributionRow>(tx, contributions, { id, status }, { status: 'paid', decided_at: now });
  if (paid === undefined) return undefined;
  decideAllocations(tx, id, 'paid');
  return storeOutstanding(tx, id);
}

/** Gives back the arrears that an unpaid contribution took. The same transaction must end the contribution. */
export async function giveArrearsBack(tx: Transaction, id: string): Promise<void> {
  decideAllocations(tx, id, 'given_back');
  await storeOutstanding(tx, id);
}

/** Writes what the member still owes from the meeting into the contribution's row. */
async function storeOutstanding(tx: Transaction, id: string): Promise<ContributionRow | undefined> {
  return tx.first(
    `UPDATE contributions c SET outstanding_minor = (
       SELECT coalesce(sum(amount_minor - paid_minor), 0) FROM arrears
       WHERE meeting_id = c.meeting_id AND debtor_id = c.member_id
     ) WHERE id = $1 RETURNING *`,
    [id],
  );
}

/** Which arrears are listed; null: all. */
export interface ArrearsFilter {
  association_id: string;
  debtor_id: string | null;
  creditor_id: string | null;
}

/** The order of the list: those of one settlement by meeting, debtor and creditor. */
const IN_ORDER = 'settled_at, meeting_id, debtor_id, creditor_id';

/** The sort key of the last arrears of a page. */
export type ArrearsPosition = [settled_at: string, meeting_id: string, debtor_id: string, creditor_id: string];

/** What one member still owes another from one round. */
export type UnpaidArrear = Pick<ArrearRow, 'meeting_id' | 'debtor_id' | 'creditor_id' | 'settled_at'> & {
  unpaid_minor: bigint;
};

/** Lists what is not paid, the oldest first, after a position. */
export async function listUnpaidArrears(
  db: Db,
  { association_id, debtor_id, creditor_id }: ArrearsFilter,
  after: ArrearsPosition | null,
  limit: number,
): Promise<UnpaidArrear[]> {
  const values: unknown[] = [association_id, limit];
  const value = (given: unknown) => `$${String(values.push(given))}`;
  // The statement has only conditions for the filters that are set, so that PostgreSQL plans for these.
  const conditions = [
    'association_id = $1 AND paid_minor < amount_minor',
    ...(debtor_id === null ? [] : [`debtor_id = ${value(debtor_id)}`]),
    ...(creditor_id === null ? [] : [`creditor_id = ${value(creditor_id)}`]),
    ...(after === null ? [] : [`(${IN_ORDER}) > (${after.map(value).join(', ')})`]),
  ];
  return db.rows(
    `SELECT meeting_id, debtor_id, creditor_id, settled_at, amount_minor - paid_minor AS unpaid_minor FROM arrears
     WHERE ${conditions.join(' AND ')} ORDER BY ${IN_ORDER} LIMIT $2`,
    values,
  );
}
