/** The statements with which the ledger writer locks, reads and writes; see ledger-writer.ts. */
import { isWalletAccount } from '../../../lib/contracts/accounts.ts';
import { metadataMember } from '../../../lib/contracts/metadata.ts';
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import { json, Parameters, plain, quoted, type Columns } from '../../../lib/db/columns.ts';
import type { Db, Transaction } from '../../../lib/db/db.ts';
import type { OutboxRow } from '../../../lib/events/outbox.ts';
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
  text: `SELECT count(pg_advisory_xact_lock(${String(CHAIN_LOCKS)}, key))
         FROM (SELECT DISTINCT hashtext(chain_id) AS key FROM unnest($1::text[]) AS chain_id ORDER BY key) AS keys`,
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
  text: `SELECT id, seq, association_id, kind, legs, currency, reference, posted_at, prev_hash, hash, refusal, metadata,
                encode(request_hash, 'hex') AS fingerprint
         FROM transfers WHERE id = ANY($1::uuid[])`,
};

/** Locks the chains and wallets of the postings until the transaction ends, and loads them in the same round trip. */
export async function lockAndLoad(tx: Transaction, postings: readonly Posting[]): Promise<LedgerView> {
  const { chain_ids, account_ids } = collectTouched(postings);
  tx.send(LOCK_CHAINS, [chain_ids]);
  tx.send(LOCK_WALLETS, [account_ids.filter(isWalletAccount)]);
  return loadView(tx, postings);
}

/** Loads the chains and accounts of the postings, and what is stored under their ids. */
export async function loadView(db: Db, postings: readonly Posting[]): Promise<LedgerView> {
  const { chain_ids, account_ids } = collectTouched(postings);
  const [chains, accounts, known] = await Promise.all([
    db.rows<ChainHead>(LOAD_CHAINS, [chain_ids]),
    db.rows<Account>(LOAD_ACCOUNTS, [account_ids]),
    db.rows<KnownRow>(LOAD_KNOWN, [postings.map(({ id }) => id)]),
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
function knownOf({ fingerprint, refusal, metadata, ...row }: KnownRow): Known {
  if (refusal !== null) return { fingerprint, outcome: { status: 'refused', refusal } };
  const transfer: TransferRecord = {
    ...row,
    seq: Number(row.seq),
    posted_at: row.posted_at.toISOString(),
    prev_hash: row.prev_hash ?? '',
    hash: row.hash ?? '',
    ...metadataMember(metadata),
  };
  return { fingerprint, outcome: { status: 'posted', transfer } };
}

/** The rows that a batch writes. */
interface Written {
  posted_at: string;
  transfers: NewTransfer[];
  entries: Entry[];
  moved_accounts: Account[];
  fresh_accounts: Account[];
  moved_chains: ChainHead[];
  fresh_chains: ChainHead[];
  events: OutboxRow[];
}

const TRANSFER = {
  id: plain('uuid', ({ posting }) => posting.id),
  chain_id: plain('text', ({ posting }) => posting.chain_id),
  seq: plain('bigint', ({ place }) => (place === null ? null : String(place.seq))),
  association_id: plain('uuid', ({ posting }) => posting.association_id),
  kind: plain('text', ({ posting }) => posting.kind),
  legs: json(({ legs }) => JSON.stringify(legs)),
  currency: plain('text', ({ posting }) => posting.currency),
  // References are written by users, so they may contain characters that plain() refuses.
  reference: quoted('text', ({ posting }) => posting.reference),
  member_id: plain('uuid', ({ posting }) => posting.member_id),
  prev_hash: plain('text', ({ place }) => place?.prev_hash ?? null),
  hash: plain('text', ({ place }) => place?.hash ?? null),
  fingerprint: plain('text', ({ fingerprint }) => fingerprint),
  refusal: json(({ refusal }) => (refusal === null ? null : JSON.stringify(refusal))),
  metadata: json(({ posting: { metadata } }) => (metadata ? JSON.stringify(metadata) : null)),
} satisfies Columns<NewTransfer>;

const ENTRY = {
  account_id: plain('text', ({ account }) => account.account_id),
  entry_no: plain('bigint', ({ account }) => account.entry_count),
  transfer_id: plain('uuid', ({ transfer_id }) => transfer_id),
  amount: plain('bigint', ({ amount }) => amount),
  balance_after: plain('bigint', ({ account }) => account.balance),
  member_id: plain('uuid', ({ member_id }) => member_id),
} satisfies Columns<Entry>;

const BALANCE = {
  account_id: plain('text', ({ account_id }) => account_id),
  balance: plain('bigint', ({ balance }) => balance),
  savings: plain('bigint', ({ savings }) => savings),
  entry_count: plain('bigint', ({ entry_count }) => entry_count),
} satisfies Columns<Pick<Account, 'account_id' | 'balance' | 'savings' | 'entry_count'>>;

const ACCOUNT = {
  ...BALANCE,
  association_id: plain('uuid', ({ association_id }) => association_id),
  name: plain('text', ({ name }) => name),
  money: plain('text', ({ money }) => money),
  currency: plain('text', ({ currency }) => currency),
  may_go_negative: plain('boolean', ({ may_go_negative }) => may_go_negative),
} satisfies Columns<Account>;

const HEAD = {
  chain_id: plain('text', ({ chain_id }) => chain_id),
  seq: plain('bigint', ({ seq }) => seq),
  hash: plain('text', ({ hash }) => hash),
} satisfies Columns<ChainHead>;

const CHAIN = {
  ...HEAD,
  association_id: plain('uuid', ({ association_id }) => association_id),
} satisfies Columns<ChainHead>;

const EVENT = {
  event_id: plain('uuid', ({ event_id }) => event_id),
  association_id: plain('uuid', ({ association_id }) => association_id),
  type: plain('text', ({ type }) => type),
  event: json(({ event }) => event),
} satisfies Columns<OutboxRow>;

/**
 * Returns the SQL that writes all rows of a batch in one statement, so that a batch costs little more than one
 * transfer.
 * @param guard a condition; nothing is written unless it is true
 */
function writeRows<Input extends Written>(parameters: Parameters<Input>, guard: string): string {
  const posted_at = parameters.value('timestamptz', (written) => written.posted_at);
  const transfers = parameters.rows(TRANSFER, (written) => written.transfers);
  const entries = parameters.rows(ENTRY, (written) => written.entries);
  const moved_accounts = parameters.rows(BALANCE, (written) => written.moved_accounts);
  const fresh_accounts = parameters.rows(ACCOUNT, (written) => written.fresh_accounts);
  const moved_chains = parameters.rows(HEAD, (written) => written.moved_chains);
  const fresh_chains = parameters.rows(CHAIN, (written) => written.fresh_chains);
  const events = parameters.rows(EVENT, (written) => written.events);
  return `
    posted AS (
      INSERT INTO transfers (posted_at, id, chain_id, seq, association_id, kind, legs, currency, reference, member_id,
                             prev_hash, hash, request_hash, refusal, metadata)
      SELECT ${posted_at}, id, chain_id, seq, association_id, kind, legs, currency, reference, member_id, prev_hash, hash,
             decode(fingerprint, 'hex'), refusal, metadata
      FROM ${transfers.source} AS new (${transfers.names})
      WHERE ${guard}
    ), entered AS (
      INSERT INTO entries (${entries.names}) SELECT * FROM ${entries.source} WHERE ${guard}
    ), balanced AS (
      UPDATE accounts SET balance = new.balance, savings = new.savings, entry_count = new.entry_count
      FROM ${moved_accounts.source} AS new (${moved_accounts.names})
      WHERE accounts.account_id = new.account_id AND ${guard}
    ), opened AS (
      INSERT INTO accounts (created_at, ${fresh_accounts.names})
      SELECT ${posted_at}, * FROM ${fresh_accounts.source} WHERE ${guard}
    ), headed AS (
      UPDATE chains SET seq = new.seq, hash = new.hash
      FROM ${moved_chains.source} AS new (${moved_chains.names})
      WHERE chains.chain_id = new.chain_id AND ${guard}
    ), begun AS (
      INSERT INTO chains (${fresh_chains.names}) SELECT * FROM ${fresh_chains.source} WHERE ${guard}
    ), events AS (
      INSERT INTO outbox (${events.names})
      SELECT ${events.names} FROM ${events.source} WITH ORDINALITY AS new (${events.names}, position)
      WHERE ${guard}
      ORDER BY position
    )`;
}

const writeParameters = new Parameters<Written>();
const WRITE = { name: 'ledger.write', text: `WITH ${writeRows(writeParameters, 'true')} SELECT` };

/** Writes the changes in the transaction that called lockAndLoad(). The statement is sent together with its COMMIT. */
export function write(tx: Transaction, changes: Changes, events: OutboxRow[]): void {
  tx.send(WRITE, writeParameters.of(rowsOf(changes, events)));
}

const guardedParameters = new Parameters<Written & { expected: Expected }>();
const ids = guardedParameters.value('uuid[]', ({ transfers }) => TRANSFER.id.valueOf(transfers));
const heads = guardedParameters.rows({ chain_id: HEAD.chain_id, hash: HEAD.hash }, ({ expected }) => expected.chains);
const balances = guardedParameters.rows(BALANCE, ({ expected }) => expected.accounts);

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
      SELECT (SELECT bool_and(pg_try_advisory_xact_lock(${String(CHAIN_LOCKS)}, key))
              FROM (SELECT DISTINCT hashtext(chain_id) AS key FROM ${heads.source} AS expected (${heads.names})
                    ORDER BY key) AS keys)
        AND NOT EXISTS (
          SELECT FROM ${heads.source} AS expected (${heads.names})
          LEFT JOIN chains USING (chain_id) WHERE chains.hash IS DISTINCT FROM expected.hash::char(64))
        AND NOT EXISTS (
          SELECT FROM ${balances.source} AS expected (${balances.names})
          LEFT JOIN accounts USING (account_id)
          WHERE coalesce(accounts.entry_count, 0) <> expected.entry_count
            OR coalesce(accounts.balance, 0) <> expected.balance OR coalesce(accounts.savings, 0) <> expected.savings)
        AND NOT EXISTS (SELECT FROM transfers WHERE id = ANY(${ids})) AS yes
    ), ${writeRows(guardedParameters, '(SELECT yes FROM unchanged)')}
    SELECT yes FROM unchanged`,
};

/**
 * Writes the changes in a separate transaction, or nothing if the ledger is not in the expected state.
 * @returns whether they were written
 */
export async function writeIfUnchanged(
  db: Db,
  changes: Changes,
  events: OutboxRow[],
  expected: Expected,
): Promise<boolean> {
  const values = guardedParameters.of({ ...rowsOf(changes, events), expected });
  return (await db.first<{ yes: boolean }>(WRITE_IF_UNCHANGED, values))?.yes === true;
}

function rowsOf({ posted_at, transfers, entries, accounts, chains }: Changes, events: OutboxRow[]): Written {
  const [fresh_accounts, moved_accounts] = partition(accounts);
  const [fresh_chains, moved_chains] = partition(chains);
  return { posted_at, transfers, entries, moved_accounts, fresh_accounts, moved_chains, fresh_chains, events };
}

/** Separates new rows from existing ones. Both are sorted by key, so that all batches update rows in the same order. */
function partition<T extends Account | ChainHead>(rows: T[]): [fresh: T[], existing: T[]] {
  const ordered = rows.length > 1 ? rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) : rows;
  return [ordered.filter((row) => row.fresh), ordered.filter((row) => !row.fresh)];
}

function keyOf(row: Account | ChainHead): string {
  return 'account_id' in row ? row.account_id : row.chain_id;
}
