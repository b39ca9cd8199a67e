import type { Leg, TransferKind } from '../../../lib/contracts/treasury.ts';
import type { Db } from '../../../lib/db/db.ts';
import { sqlList, statesWhere } from '../../../lib/saga/states.ts';
import { accountIdOf, associationChain, isExternal } from '../ledger/chain.rules.ts';
import { paidWallets, type ReversedTransfer } from './correction.rules.ts';
import { CORRECTION_STATES, type Correction } from './correction.table.ts';

/** A posted transfer that may be corrected. */
export interface PostedTransfer {
  id: string;
  association_id: string | null;
  kind: TransferKind;
  legs: Leg[];
  currency: string;
  member_id: string | null;
  /** The owner of the wallet whose deposit or withdrawal it is; null for a transfer of an association. */
  owner_user_id: string | null;
}

/** Finds a posted transfer. */
export function findPosted(db: Db, id: string): Promise<PostedTransfer | undefined> {
  return db.first(
    `SELECT t.id, t.association_id, t.kind, t.legs, t.currency, t.member_id, a.owner_user_id
     FROM transfers t LEFT JOIN accounts a ON a.account_id = t.chain_id WHERE t.id = $1 AND t.seq IS NOT NULL`,
    [id],
  );
}

/** The last entries of the transfer in each account, as many as it has legs there: they are found from the newest on. */
const MEMBERS_OF = `
  SELECT asked.name, entry.member_id
  FROM unnest($1::text[], $2::text[], $3::integer[]) AS asked (name, account_id, legs)
  CROSS JOIN LATERAL (
    SELECT entry_no, member_id FROM entries
    WHERE entries.account_id = asked.account_id AND transfer_id = $4 ORDER BY entry_no DESC LIMIT asked.legs
  ) AS entry
  ORDER BY asked.name, entry.entry_no`;

/**
 * Reads what a reversal of the transfer needs.
 * @throws Error if the association has no such transfer
 */
export async function readReversed(db: Db, association_id: string, id: string): Promise<ReversedTransfer> {
  const posted = await findPosted(db, id);
  if (posted?.association_id !== association_id) throw new Error(`Transfer ${id} was not found`);
  const { legs, currency, member_id } = posted;
  const counts = new Map<string, number>();
  for (const { account } of legs) {
    if (isExternal(account)) counts.set(account, (counts.get(account) ?? 0) + 1);
  }
  const names = [...counts.keys()];
  const account_ids = names.map((name) => accountIdOf(associationChain(association_id), name));
  const rows = await db.rows<{ name: string; member_id: string | null }>(MEMBERS_OF, [
    names,
    account_ids,
    [...counts.values()],
    id,
  ]);
  const grouped = Map.groupBy(rows, ({ name }) => name);
  const members = new Map([...grouped].map(([name, each]) => [name, each.map((entry) => entry.member_id)]));
  const owner = await db.first<{ owner_user_id: string | null }>(
    'SELECT owner_user_id FROM accounts WHERE account_id = ANY($1::text[]) LIMIT 1',
    [paidWallets(legs)],
  );
  return { id, association_id, legs, currency, member_id, members, owner_user_id: owner?.owner_user_id ?? null };
}

/** SQL conditions on the states that prevent another correction of the transfer, and on those that clients see. */
const EXCLUDING = `NOT IN (${sqlList(statesWhere(CORRECTION_STATES, ({ excludes }) => !excludes))})`;
const SHOWN = `NOT IN (${sqlList(statesWhere(CORRECTION_STATES, ({ shown }) => shown === null))})`;

/** Whether the transfer is reversed, or a correction of it is not decided yet. */
export async function isCorrected(db: Db, transfer_id: string): Promise<boolean> {
  const row = await db.first<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM corrections WHERE transfer_id = $1 AND status ${EXCLUDING}) AS found`,
    [transfer_id],
  );
  return row?.found === true;
}

/** Finds a correction that clients may see. */
export function findShownCorrection(db: Db, association_id: string, id: string): Promise<Correction | undefined> {
  return db.first(`SELECT * FROM corrections WHERE id = $1 AND association_id = $2 AND status ${SHOWN}`, [
    id,
    association_id,
  ]);
}

/**
 * Lists an association's corrections, newest first.
 * @param before the id of a correction: only older ones are listed, as UUIDv7 ids sort by creation
 */
export function listShownCorrections(
  db: Db,
  association_id: string,
  before: string | null,
  limit: number,
): Promise<Correction[]> {
  // NULLS LAST: only the index of the shown corrections has this order. By the primary key, all refused ones would be read.
  return db.rows(
    `SELECT * FROM corrections WHERE association_id = $1 AND status ${SHOWN} AND ($2::uuid IS NULL OR id < $2)
     ORDER BY id DESC NULLS LAST LIMIT $3`,
    [association_id, before, limit],
  );
}
