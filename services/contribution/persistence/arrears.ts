import type { EntityManager } from 'typeorm';
import type { Connection, Statements } from '../../../lib/db/statements.ts';
import type { Allocation, OpenArrear } from '../domain/arrears.ts';
import type { StoredClaim } from './settlement.entity.ts';

/*
 * What is owed from settled rounds. Whoever takes or pays arrears locks their rows first, in the order debtor, age,
 * meeting, rank, so that a payment and a set-off of the same debts come one after the other. Locks: meeting,
 * settlement or contribution, arrears.
 */

/** In which order arrears are locked, and those of one debtor paid off. */
const OLDEST_FIRST = 'a.debtor_id, a.settled_at, a.meeting_id, a.rank';

/** Stores what a settlement leaves owed. Each debtor gets a row of dues, which his payments refer to. */
export async function insertArrears(
  statements: Statements,
  meeting: { id: string; association_id: string },
  claims: readonly StoredClaim[],
  settled_at: Date,
): Promise<void> {
  if (claims.length === 0) return;
  const debtors = claims.map((claim) => claim.debtor_id);
  await statements.query(
    `INSERT INTO dues (meeting_id, member_id, due_minor, taken_minor, paid_minor)
     SELECT m.id, cm.member_id, cm.hands * c.contribution_amount_minor, 0, 0
     FROM meetings m JOIN cycles c ON c.id = m.cycle_id JOIN cycle_members cm ON cm.cycle_id = c.id
     WHERE m.id = $1 AND cm.member_id = ANY($2) ON CONFLICT DO NOTHING`,
    [meeting.id, debtors],
  );
  await statements.query(
    `INSERT INTO arrears (meeting_id, association_id, settled_at, debtor_id, creditor_id, rank, amount_minor)
     SELECT $1::uuid, $2::uuid, $3::timestamptz, claims.*
     FROM unnest($4::uuid[], $5::uuid[], $6::integer[], $7::bigint[]) AS claims`,
    [
      meeting.id,
      meeting.association_id,
      settled_at,
      debtors,
      claims.map((claim) => claim.creditor_id),
      claims.map((claim) => claim.rank),
      claims.map((claim) => claim.amount_minor),
    ],
  );
}

const LOCK_ARREARS = {
  name: 'contribution.lock_arrears',
  text: `SELECT FROM arrears a
         WHERE association_id = $1 AND debtor_id = ANY($2::uuid[]) AND paid_minor < amount_minor
         ORDER BY ${OLDEST_FIRST} FOR UPDATE`,
};

/** Keeps everyone else from taking of these members' arrears until the transaction ends. */
export async function lockArrears(
  connection: Connection,
  association_id: string,
  debtor_ids: readonly string[],
): Promise<void> {
  await connection.rows(LOCK_ARREARS, [association_id, debtor_ids]);
}

const OPEN_ARREARS = {
  name: 'contribution.open_arrears',
  text: `SELECT meeting_id, debtor_id, creditor_id, amount_minor - taken_minor AS left_minor FROM arrears a
         WHERE association_id = $1 AND debtor_id = ANY($2::uuid[]) AND paid_minor < amount_minor
           AND taken_minor < amount_minor
         ORDER BY ${OLDEST_FIRST}`,
};

/** What these members owe in the association and nobody has begun to pay, those of one debtor oldest first. */
export async function openArrears(
  connection: Connection,
  association_id: string,
  debtor_ids: readonly string[],
): Promise<OpenArrear[]> {
  return connection.rows(OPEN_ARREARS, [association_id, debtor_ids]);
}

const ARE_PAYING_ARREARS = {
  name: 'contribution.are_paying_arrears',
  text: `SELECT EXISTS (
           SELECT FROM arrears WHERE association_id = $1 AND debtor_id = ANY($2::uuid[]) AND paid_minor < taken_minor
             AND paid_minor < amount_minor) AS paying`,
};

/** Whether one of these members is paying arrears of his just now: what comes of it decides what is set off. */
export async function arePayingArrears(
  connection: Connection,
  association_id: string,
  debtor_ids: readonly string[],
): Promise<boolean> {
  const [answer] = await connection.rows<{ paying: boolean }>(ARE_PAYING_ARREARS, [association_id, debtor_ids]);
  return answer?.paying === true;
}

/**
 * Locks what a member owes from one meeting.
 * @returns what of it nobody has begun to pay (nothing where that is all), in the order in which it is paid off;
 *   undefined if he never owed anything from it
 */
export async function lockArrearsOf(
  manager: EntityManager,
  meeting_id: string,
  debtor_id: string,
): Promise<OpenArrear[] | undefined> {
  const rows: OpenArrear[] = await manager.query(
    `SELECT meeting_id, debtor_id, creditor_id, amount_minor - taken_minor AS left_minor FROM arrears a
     WHERE meeting_id = $1 AND debtor_id = $2 ORDER BY ${OLDEST_FIRST} FOR UPDATE`,
    [meeting_id, debtor_id],
  );
  return rows.length === 0 ? undefined : rows;
}

/** Takes parts of arrears, whose rows the caller has locked, for a payment. */
export async function takeArrears(
  statements: Statements,
  payment_id: string,
  parts: readonly (Allocation & { wallet_id: string | null })[],
): Promise<void> {
  if (parts.length === 0) return;
  const columns = [
    parts.map((part) => part.meeting_id),
    parts.map((part) => part.debtor_id),
    parts.map((part) => part.creditor_id),
    parts.map((part) => part.amount_minor),
  ];
  await statements.query(
    `UPDATE arrears a SET taken_minor = a.taken_minor + part.amount_minor
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[])
       AS part (meeting_id, debtor_id, creditor_id, amount_minor)
     WHERE (a.meeting_id, a.debtor_id, a.creditor_id) = (part.meeting_id, part.debtor_id, part.creditor_id)`,
    columns,
  );
  await statements.query(
    `INSERT INTO arrears_allocations (payment_id, meeting_id, debtor_id, creditor_id, amount_minor, wallet_id)
     SELECT $1::uuid, parts.* FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[], $6::text[]) AS parts`,
    [payment_id, ...columns, parts.map((part) => part.wallet_id)],
  );
}

/** Counts what a payment took as paid, or gives it back. The caller has decided the payment in this transaction. */
export async function decideTaken(
  statements: Statements,
  payment_id: string,
  decision: 'paid' | 'given_back',
): Promise<void> {
  await statements.query(
    `SELECT 1 FROM arrears a JOIN arrears_allocations x USING (meeting_id, debtor_id, creditor_id)
     WHERE x.payment_id = $1 ORDER BY ${OLDEST_FIRST} FOR UPDATE OF a`,
    [payment_id],
  );
  await statements.query(
    `UPDATE arrears a
     SET paid_minor = a.paid_minor + CASE WHEN $2 THEN x.amount_minor ELSE 0 END,
       taken_minor = a.taken_minor - CASE WHEN $2 THEN 0 ELSE x.amount_minor END
     FROM arrears_allocations x WHERE x.payment_id = $1
       AND (a.meeting_id, a.debtor_id, a.creditor_id) = (x.meeting_id, x.debtor_id, x.creditor_id)`,
    [payment_id, decision === 'paid'],
  );
}

/** A part of a payment of arrears, and the wallet that it goes to. */
export interface PaidPart {
  creditor_id: string;
  wallet_id: string;
  amount_minor: bigint;
}

/** The parts of a contribution that pays arrears, in the order in which they are paid off. */
export async function partsOf(manager: EntityManager, contribution_id: string): Promise<PaidPart[]> {
  return manager.query(
    `SELECT x.creditor_id, x.wallet_id, x.amount_minor
     FROM arrears a JOIN arrears_allocations x USING (meeting_id, debtor_id, creditor_id)
     WHERE x.payment_id = $1 ORDER BY ${OLDEST_FIRST}`,
    [contribution_id],
  );
}

/** What a member still owes from one meeting, in minor units. */
export async function arrearsLeft(manager: EntityManager, meeting_id: string, debtor_id: string): Promise<bigint> {
  const [row]: { left_minor: bigint }[] = await manager.query(
    `SELECT coalesce(sum(amount_minor - paid_minor), 0)::bigint AS left_minor FROM arrears
     WHERE meeting_id = $1 AND debtor_id = $2`,
    [meeting_id, debtor_id],
  );
  return row?.left_minor ?? 0n;
}

/** Whether the member owes anything in the association. */
export async function hasArrears(manager: EntityManager, association_id: string, member_id: string): Promise<boolean> {
  const [answer]: { owes: boolean }[] = await manager.query(
    `SELECT EXISTS (
       SELECT FROM arrears WHERE association_id = $1 AND debtor_id = $2 AND paid_minor < amount_minor) AS owes`,
    [association_id, member_id],
  );
  return answer?.owes === true;
}
