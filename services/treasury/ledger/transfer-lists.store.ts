/** Lists of transfers with filters. */
import type { TransferKind, TransferRecord } from '../../../lib/contracts/treasury.ts';
import type { Db } from '../../../lib/db/db.ts';
import type { Part, Position } from '../../../lib/paging/cursors.ts';
import { RECORD_COLUMNS, recordOf, type RecordRow } from './ledger-reads.store.ts';
import type { Period } from './period.rules.ts';

/** Selects transfers by their own columns. */
export interface TransferFilter extends Period {
  kind: TransferKind | undefined;
}

/** A transfer with its position in a list. */
export interface Listed {
  transfer: TransferRecord;
  position: Position;
}

/**
 * Number of entries that are looked at for transfers that fulfil the filters: about 10 ms. No index has the entries of an
 * account by kind or time, as each posting would have to write to it.
 */
export const ENTRIES_READ_MAX = 2_000;

const SEQ_MAX = '9223372036854775807';

/**
 * Returns the SQL of a common table with the kinds of the transfers of the association $1, as processes of a later release may
 * have posted others than this one knows. It finds each with one look-up in the index by kind.
 * @param only the kind that the table has instead, unless it is null
 */
export const kindsTable = (only: string): string => `kinds AS (
  SELECT coalesce(${only}::text, (
    SELECT kind FROM transfers WHERE association_id = $1 AND seq IS NOT NULL ORDER BY kind LIMIT 1)) AS wanted
  UNION ALL
  SELECT (SELECT kind FROM transfers WHERE association_id = $1 AND seq IS NOT NULL AND kind > wanted ORDER BY kind LIMIT 1)
  FROM kinds WHERE wanted IS NOT NULL AND ${only}::text IS NULL)`;

/**
 * Lists an association's transfers by kind and time, the one posted last first.
 * @param after [posted_at, seq]
 */
export async function listByKind(
  db: Db,
  association_id: string,
  { kind, since, until }: TransferFilter,
  after: Position | null,
  limit: number,
): Promise<Listed[]> {
  const [posted_at = until?.toISOString() ?? 'infinity', seq = SEQ_MAX] = after ?? [];
  // A page of each kind. Only the index by kind has this order and finds this position, so that no other row is read.
  const rows = await db.rows<RecordRow>(
    `WITH RECURSIVE ${kindsTable('$2')}
     SELECT ${RECORD_COLUMNS} FROM kinds CROSS JOIN LATERAL (
       SELECT * FROM transfers
       WHERE association_id = $1 AND transfers.kind = kinds.wanted AND transfers.seq IS NOT NULL
         AND transfers.posted_at >= coalesce($3::timestamptz, '-infinity')
         AND (transfers.posted_at, transfers.seq) < ($4::timestamptz, $5::bigint)
       ORDER BY transfers.posted_at DESC, transfers.seq DESC LIMIT $6
     ) AS transfers
     ORDER BY transfers.posted_at DESC, transfers.seq DESC LIMIT $6`,
    [association_id, kind, since, posted_at, seq, limit],
  );
  return rows.map(recordOf).map((transfer) => {
    return { transfer, position: [transfer.posted_at, transfer.seq.toString()] };
  });
}

/** The condition on the parameters of kind, first and last instant. */
const fulfils = (kind: string, since: string, until: string) =>
  `kind = coalesce(${kind}, kind) AND transfers.posted_at >= coalesce(${since}::timestamptz, '-infinity')
   AND transfers.posted_at <= coalesce(${until}::timestamptz, 'infinity')`;

// OFFSET 0 makes the planner read the entries, then the transfer of each entry by its key.
const BY_KEY = 'CROSS JOIN LATERAL (SELECT * FROM transfers WHERE id = entries.transfer_id OFFSET 0) AS transfers';

/**
 * Lists the transfers with an entry of a member, newest first.
 * @param account the account that a leg must have; null for any
 * @param after [seq]
 */
export async function listOfMember(
  db: Db,
  chain_id: string,
  { member_id, account, kind, since, until }: TransferFilter & { member_id: string; account: string | null },
  after: Position | null,
  limit: number,
): Promise<Listed[]> {
  const rows = await db.rows<RecordRow>(
    `SELECT ${RECORD_COLUMNS}
     FROM (SELECT DISTINCT transfer_id FROM entries WHERE member_id = $1 OFFSET 0) AS entries ${BY_KEY}
     WHERE chain_id = $2 AND transfers.seq < $3::bigint AND ${fulfils('$4', '$5', '$6')}
       AND ($7::text IS NULL OR EXISTS (
         SELECT FROM json_array_elements(legs) AS leg WHERE leg ->> 'account' = $7))
     ORDER BY transfers.seq DESC LIMIT $8`,
    [member_id, chain_id, after?.[0] ?? SEQ_MAX, kind, since, until, account, limit],
  );
  return rows.map(recordOf).map((transfer) => ({ transfer, position: [transfer.seq.toString()] }));
}

/**
 * Lists the transfers with an entry of an account, newest first.
 * @param chain_id the chain of the transfers; null for all, as wallets have entries of several chains
 * @param after [entry_no]
 */
export async function listOfAccount(
  db: Db,
  account_id: string,
  { chain_id, kind, since, until }: TransferFilter & { chain_id: string | null },
  after: Position | null,
  limit: number,
): Promise<Part<Listed>> {
  const before_no = after === null ? (await readEntryCount(db, account_id)) + 1n : BigInt(after[0] ?? 0);
  const first_no = before_no - BigInt(ENTRIES_READ_MAX);
  // A transfer may have several entries of the account, one after another. It is listed once, for its last entry.
  const rows = await db.rows<RecordRow & { entry_no: bigint }>(
    `SELECT entry_no, ${RECORD_COLUMNS}
     FROM entries ${BY_KEY}
     WHERE account_id = $1 AND entry_no >= $2 AND entry_no < $3 AND chain_id = coalesce($4, chain_id) AND ${fulfils('$5', '$6', '$7')}
       AND (SELECT transfer_id FROM entries AS next WHERE account_id = $1 AND next.entry_no = entries.entry_no + 1)
         IS DISTINCT FROM entries.transfer_id
     ORDER BY entry_no DESC LIMIT $8`,
    [account_id, first_no, before_no, chain_id, kind, since, until, limit],
  );
  return {
    rows: rows.map(({ entry_no, ...row }) => ({ transfer: recordOf(row), position: [entry_no.toString()] })),
    continue_at: first_no > 1n ? [first_no.toString()] : undefined,
  };
}

/** Reads the number of the last entry of an account; 0 if there is no such account. */
async function readEntryCount(db: Db, account_id: string): Promise<bigint> {
  const found = await db.first<{ entry_count: bigint }>('SELECT entry_count FROM accounts WHERE account_id = $1', [
    account_id,
  ]);
  return found?.entry_count ?? 0n;
}
