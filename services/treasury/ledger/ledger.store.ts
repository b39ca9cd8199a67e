/** The statements with which the ledger writer locks, reads and writes; see ledger-writer.ts. */
import { isWalletAccount } from '../../../lib/contracts/accounts.ts';
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import { jsonColumn, jsonColumnOf, plainColumn } from '../../../lib/db/columns.ts';
import type { Db, Transaction } from '../../../lib/db/db.ts';
import type { OutboxColumns } from '../../../lib/events/outbox.ts';
import type { Changes, Expected, NewTransfer } from './batch.rules.ts';
import type { Account, ChainHead, Entry, Known, LedgerView } from './decide.rules.ts';
import type { TransferRow } from './ledger.table.ts';
import { collectTouched, type Posting } from './posting.rules.ts';

/** The first key of the advisory locks on chains. The number is arbitrary, but no other lock may use it. */
const CHAIN_LOCKS = 7_206;

// Every batch locks chains by key, then wallets by id. The fixed order prevents deadlocks. The lock of a chain covers
// its head and its accounts, even accounts that do not exist yet; two chains may share a key. The reads begin after the
// locks are taken, so they see all that earlier holders of the locks have committed.
const LOCK_CHAINS = {
  name: 'ledger.lock_chains',
  text: `SELECT count(pg_advisory_xact_lock($1, key))
         FROM (SELECT DISTINCT hashtext(chain_id) AS key FROM unnest($2::text[]) AS chain_id ORDER BY key) AS keys`,
};

const LOCK_WALLETS = {
  name: 'ledger.lock_wallets',
  text: `SELECT FROM accounts WHERE account_id = ANY($1::text[]) ORDER BY account_id FOR NO KEY UPDATE`,
};

const LOAD_CHAINS = {
  name: 'ledger.load_chains',
  text: `SELECT chain_id, association_id, seq, hash, false AS fresh FROM chains WHERE chain_id = ANY($1::text[])`,
};

const LOAD_ACCOUNTS = {
  name: 'ledger.load_accounts',
  text: `SELECT account_id, association_id, name, money, currency, owner_user_id, balance, savings, entry_count,
                may_go_negative, false AS fresh
         FROM accounts WHERE account_id = ANY($1::text[])`,
};

const LOAD_KNOWN = {
  name: 'ledger.load_known',
  text: `SELECT id, seq, association_id, kind, legs, currency, reference, posted_at, prev_hash, hash, refusal,
                encode(request_hash, 'hex') AS fingerprint
         FROM transfers WHERE id = ANY($1::uuid[])`,
};

/** Locks the chains and wallets of the postings until the transaction ends, and loads them in the same round trip. */
export async function lockAndLoad(tx: Transaction, postings: readonly Posting[]): Promise<LedgerView> {
  const { chain_ids, account_ids } = collectTouched(postings);
  tx.send(LOCK_CHAINS, [CHAIN_LOCKS, chain_ids]);
  tx.send(LOCK_WALLETS, [account_ids.filter(isWalletAccount)]);
  const [chains, accounts, known] = await Promise.all([
    tx.rows<ChainHead>(LOAD_CHAINS, [chain_ids]),
    tx.rows<Account>(LOAD_ACCOUNTS, [account_ids]),
    tx.rows<KnownRow>(LOAD_KNOWN, [postings.map(({ id }) => id)]),
  ]);
  return {
    chains: new Map(chains.map((row) => [row.chain_id, row])),
    accounts: new Map(accounts.map((row) => [row.account_id, row])),
    known: new Map(known.map((row) => [row.id, knownOf(row)])),
  };
}

/** Adds the accounts to the view, except those that do not exist. */
export async function loadAccounts(db: Db, view: LedgerView, account_ids: string[]): Promise<void> {
  if (account_ids.length === 0) return;
  const found = await db.rows<Account>(LOAD_ACCOUNTS, [account_ids]);
  for (const account of found) view.accounts.set(account.account_id, account);
}

type KnownRow = Omit<TransferRow, 'chain_id' | 'member_id' | 'request_hash'> & { fingerprint: string };

/** Returns the outcome that a row stores. A posted transfer is exactly as it was hashed. */
function knownOf({ fingerprint, refusal, ...row }: KnownRow): Known {
  if (refusal !== null) return { fingerprint, outcome: { status: 'refused', refusal } };
  const transfer: TransferRecord = {
    ...row,
    seq: Number(row.seq),
    posted_at: row.posted_at.toISOString(),
    prev_hash: row.prev_hash ?? '',
    hash: row.hash ?? '',
  };
  return { fingerprint, outcome: { status: 'posted', transfer } };
}

/**
 * Returns the SQL that writes all rows of a batch in one statement, so that a batch costs little more than one
 * transfer. parametersOf() returns its parameters: $1 posted_at; $2 to $14 transfers; $15 to $20 entries; $21 to $24
 * existing accounts; $25 to $33 new accounts; $34 to $36 existing chains; $37 to $40 new chains; $41 to $44 events. The
 * parameters of the guard follow.
 * @param guard a condition; nothing is written unless it is true
 */
const rowsIf = (guard: string): string => `
    posted AS (
      INSERT INTO transfers (posted_at, id, chain_id, seq, association_id, kind, legs, currency, reference, member_id,
                             prev_hash, hash, request_hash, refusal)
      SELECT $1::timestamptz, id, chain_id, seq, association_id, kind, legs, currency, reference, member_id, prev_hash, hash,
             decode(fingerprint, 'hex'), refusal
      FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::uuid[], $6::text[], ${jsonColumnOf('$7')}, $8::text[],
                  $9::text[], $10::uuid[], $11::text[], $12::text[], $13::text[], ${jsonColumnOf('$14')})
        AS new (id, chain_id, seq, association_id, kind, legs, currency, reference, member_id, prev_hash, hash,
                fingerprint, refusal)
      WHERE ${guard}
    ), entered AS (
      INSERT INTO entries (account_id, entry_no, transfer_id, amount, balance_after, member_id)
      SELECT * FROM unnest($15::text[], $16::bigint[], $17::uuid[], $18::bigint[], $19::bigint[], $20::uuid[])
      WHERE ${guard}
    ), balanced AS (
      UPDATE accounts SET balance = new.balance, savings = new.savings, entry_count = new.entry_count
      FROM unnest($21::text[], $22::bigint[], $23::bigint[], $24::bigint[])
        AS new (account_id, balance, savings, entry_count)
      WHERE accounts.account_id = new.account_id AND ${guard}
    ), opened AS (
      INSERT INTO accounts (created_at, account_id, balance, savings, entry_count, association_id, name, money, currency,
                            may_go_negative)
      SELECT $1::timestamptz, *
      FROM unnest($25::text[], $26::bigint[], $27::bigint[], $28::bigint[], $29::uuid[], $30::text[], $31::text[],
                  $32::text[], $33::boolean[])
      WHERE ${guard}
    ), headed AS (
      UPDATE chains SET seq = new.seq, hash = new.hash
      FROM unnest($34::text[], $35::bigint[], $36::text[]) AS new (chain_id, seq, hash)
      WHERE chains.chain_id = new.chain_id AND ${guard}
    ), begun AS (
      INSERT INTO chains (chain_id, seq, hash, association_id)
      SELECT * FROM unnest($37::text[], $38::bigint[], $39::text[], $40::uuid[])
      WHERE ${guard}
    ), events AS (
      INSERT INTO outbox (event_id, association_id, type, event)
      SELECT event_id, association_id, type, event
      FROM unnest($41::uuid[], $42::uuid[], $43::text[], ${jsonColumnOf('$44')})
        WITH ORDINALITY AS new (event_id, association_id, type, event, position)
      WHERE ${guard}
      ORDER BY position
    )`;

const WRITE = { name: 'ledger.write', text: `WITH ${rowsIf('true')} SELECT` };

/**
 * Writes only if the ledger is in the expected state (see Expected) and has no transfer with an id of the batch. If
 * another transaction holds the lock of a chain, nothing is written, because a statement that waited for the lock would
 * still read the state before it. A change between this check and the write violates the unique key of (chain, seq),
 * (account, entry) or the id.
 */
const WRITE_IF_UNCHANGED = {
  name: 'ledger.write_if_unchanged',
  text: `
    WITH unchanged AS MATERIALIZED (
      SELECT (SELECT bool_and(pg_try_advisory_xact_lock($45, key))
              FROM (SELECT DISTINCT hashtext(chain_id) AS key FROM unnest($46::text[]) AS chain_id ORDER BY key) AS keys)
        AND NOT EXISTS (
          SELECT FROM unnest($46::text[], $47::text[]) AS expected (chain_id, hash)
          LEFT JOIN chains USING (chain_id) WHERE chains.hash IS DISTINCT FROM expected.hash::char(64))
        AND NOT EXISTS (
          SELECT FROM unnest($48::text[], $49::bigint[], $50::bigint[], $51::bigint[])
            AS expected (account_id, entry_count, balance, savings)
          LEFT JOIN accounts USING (account_id)
          WHERE coalesce(accounts.entry_count, 0) <> expected.entry_count
            OR coalesce(accounts.balance, 0) <> expected.balance OR coalesce(accounts.savings, 0) <> expected.savings)
        AND NOT EXISTS (SELECT FROM transfers WHERE id = ANY($2::uuid[])) AS yes
    ), ${rowsIf('(SELECT yes FROM unchanged)')}
    SELECT yes FROM unchanged`,
};

/** Writes the changes in the transaction that called lockAndLoad(). The statement is sent together with its COMMIT. */
export function write(tx: Transaction, changes: Changes, events: OutboxColumns): void {
  tx.send(WRITE, parametersOf(changes, events));
}

/**
 * Writes the changes in a separate transaction, or nothing if the ledger is not in the expected state.
 * @returns whether they were written
 */
export async function writeIfUnchanged(
  db: Db,
  changes: Changes,
  events: OutboxColumns,
  { chains, accounts }: Expected,
): Promise<boolean> {
  const expected = [CHAIN_LOCKS, ...chains.map(plainColumn), ...accounts.map(plainColumn)];
  const found = await db.first<{ yes: boolean }>(WRITE_IF_UNCHANGED, [...parametersOf(changes, events), ...expected]);
  return found?.yes === true;
}

/** Returns the parameters of rowsIf(), except those of its guard. */
function parametersOf({ posted_at, transfers, entries, accounts, chains }: Changes, events: OutboxColumns): unknown[] {
  const [fresh_accounts, moved_accounts] = partition(accounts);
  const [fresh_chains, moved_chains] = partition(chains);
  return [
    posted_at,
    ...transferColumns(transfers),
    ...entryColumns(entries),
    ...balanceColumns(moved_accounts),
    ...balanceColumns(fresh_accounts),
    plainColumn(fresh_accounts.map((account) => account.association_id)),
    plainColumn(fresh_accounts.map((account) => account.name)),
    plainColumn(fresh_accounts.map((account) => account.money)),
    plainColumn(fresh_accounts.map((account) => account.currency)),
    plainColumn(fresh_accounts.map((account) => account.may_go_negative)),
    ...headColumns(moved_chains),
    ...headColumns(fresh_chains),
    plainColumn(fresh_chains.map((chain) => chain.association_id)),
    plainColumn(events.event_ids),
    plainColumn(events.association_ids),
    plainColumn(events.types),
    jsonColumn(events.events),
  ];
}

/** Separates new rows from existing ones. Both are sorted by key, so that all batches update rows in the same order. */
function partition<T extends Account | ChainHead>(rows: T[]): [fresh: T[], existing: T[]] {
  const ordered = rows.length > 1 ? rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) : rows;
  return [ordered.filter((row) => row.fresh), ordered.filter((row) => !row.fresh)];
}

function keyOf(row: Account | ChainHead): string {
  return 'account_id' in row ? row.account_id : row.chain_id;
}

function transferColumns(transfers: NewTransfer[]): unknown[] {
  return [
    plainColumn(transfers.map(({ posting }) => posting.id)),
    plainColumn(transfers.map(({ posting }) => posting.chain_id)),
    plainColumn(transfers.map(({ place }) => (place === null ? null : String(place.seq)))),
    plainColumn(transfers.map(({ posting }) => posting.association_id)),
    plainColumn(transfers.map(({ posting }) => posting.kind)),
    jsonColumn(transfers.map(({ legs }) => JSON.stringify(legs))),
    plainColumn(transfers.map(({ posting }) => posting.currency)),
    // References are written by users, so they may contain characters that plainColumn() refuses.
    transfers.map(({ posting }) => posting.reference),
    plainColumn(transfers.map(({ posting }) => posting.member_id)),
    plainColumn(transfers.map(({ place }) => place?.prev_hash ?? null)),
    plainColumn(transfers.map(({ place }) => place?.hash ?? null)),
    plainColumn(transfers.map(({ fingerprint }) => fingerprint)),
    jsonColumn(transfers.map(({ refusal }) => (refusal === null ? null : JSON.stringify(refusal)))),
  ];
}

function entryColumns(entries: Entry[]): string[] {
  return [
    plainColumn(entries.map(({ account }) => account.account_id)),
    plainColumn(entries.map(({ account }) => account.entry_count)),
    plainColumn(entries.map(({ transfer_id }) => transfer_id)),
    plainColumn(entries.map(({ amount }) => amount)),
    plainColumn(entries.map(({ account }) => account.balance)),
    plainColumn(entries.map(({ member_id }) => member_id)),
  ];
}

function balanceColumns(accounts: Account[]): string[] {
  return [
    plainColumn(accounts.map(({ account_id }) => account_id)),
    plainColumn(accounts.map(({ balance }) => balance)),
    plainColumn(accounts.map(({ savings }) => savings)),
    plainColumn(accounts.map(({ entry_count }) => entry_count)),
  ];
}

function headColumns(chains: ChainHead[]): string[] {
  return [
    plainColumn(chains.map(({ chain_id }) => chain_id)),
    plainColumn(chains.map(({ seq }) => seq)),
    plainColumn(chains.map(({ hash }) => hash)),
  ];
}
