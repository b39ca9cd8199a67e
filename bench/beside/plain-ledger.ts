import pg from 'pg';
import type { TransferRecord } from '../../lib/contracts/treasury.ts';
import { Outbox } from '../../lib/events/outbox.ts';
import { KEY_PLANNING } from '../../lib/db/pools.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { accountIdOf } from '../../services/treasury/ledger/chain.rules.ts';
import { hashOf } from '../../services/treasury/ledger/chain.rules.ts';
import { fingerprintOf } from '../../services/treasury/ledger/posting.rules.ts';
import type { Posting } from '../../services/treasury/ledger/posting.rules.ts';
import type { HotAssociation } from '../apparatus/fill-ledger.ts';
import type { HotLedger } from '../apparatus/hot-ledger.ts';
import type { LedgerDatabase } from '../apparatus/ledger-server.ts';
import { contributionOf, headOf } from '../apparatus/treasury-ledger.ts';

const LOCK_CHAIN = {
  name: 'plain.lock_chain',
  text: 'SELECT seq, hash FROM chains WHERE chain_id = $1 FOR UPDATE',
};
const LOCK_ACCOUNTS = {
  name: 'plain.lock_accounts',
  text: `SELECT account_id, currency, owner_user_id, balance, savings, entry_count, may_go_negative
         FROM accounts WHERE account_id = ANY($1::text[]) ORDER BY account_id FOR UPDATE`,
};
const FIND_TRANSFER = {
  name: 'plain.find_transfer',
  text: `SELECT encode(request_hash, 'hex') AS fingerprint FROM transfers WHERE id = $1`,
};
const INSERT_TRANSFER = {
  name: 'plain.insert_transfer',
  text: `INSERT INTO transfers (id, chain_id, seq, association_id, kind, legs, currency, reference, member_id, posted_at,
                                prev_hash, hash, request_hash)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, decode($13, 'hex'))`,
};
const INSERT_ENTRIES = {
  name: 'plain.insert_entries',
  text: `INSERT INTO entries (account_id, entry_no, transfer_id, amount, balance_after, member_id)
         VALUES ($1, $2, $3, $4, $5, $6), ($7, $8, $3, $9, $10, NULL)`,
};
const UPDATE_ACCOUNTS = {
  name: 'plain.update_accounts',
  text: `UPDATE accounts SET balance = balance + moved.amount, entry_count = entry_count + 1
         FROM (VALUES ($1, $2::bigint), ($3, $4::bigint)) AS moved (account_id, amount)
         WHERE accounts.account_id = moved.account_id`,
};
const UPDATE_CHAIN = { name: 'plain.update_chain', text: 'UPDATE chains SET seq = $2, hash = $3 WHERE chain_id = $1' };
const INSERT_EVENT = {
  name: 'plain.insert_event',
  text: 'INSERT INTO outbox (event_id, association_id, type, event) VALUES ($1, $2, $3, $4)',
};

interface Head {
  seq: bigint;
  hash: string;
}

interface Account {
  account_id: string;
  currency: string;
  owner_user_id: string | null;
  balance: bigint;
  savings: bigint;
  entry_count: bigint;
  may_go_negative: boolean;
}

/**
 * The same rows in the same tables, in the way that needs no thought: a transaction for each transfer, which locks the
 * chain's head and the two accounts, looks whether the id has been, and writes.
 * @param connections how many transactions may be under way; the others wait for a connection
 */
export function plainLedger(
  database: LedgerDatabase,
  hot: HotAssociation,
  { clock, newId }: Runtime,
  connections: number,
): HotLedger {
  // As for ours: no plan of a small table is kept while it grows.
  const pool = new pg.Pool({ connectionString: database.url, max: connections, options: KEY_PLANNING });
  // A connection that is lost fails the transfer that is on it; without a listener it would end the process as well.
  pool.on('error', () => undefined);
  const outbox = new Outbox('treasury', clock, newId);
  return {
    name: 'plain',
    async transfer(id, payer) {
      const client = await pool.connect();
      let broken = true;
      try {
        await post(client, outbox, contributionOf(hot, id, payer), clock().toISOString());
        broken = false;
      } finally {
        client.release(broken);
      }
    },
    posted: () => headOf(pool, hot),
    stop: () => pool.end(),
  };
}

/** @throws if it cannot be posted; the connection is then to be closed, which rolls back */
async function post(client: pg.PoolClient, outbox: Outbox, posting: Posting, posted_at: string): Promise<void> {
  if (!('legs' in posting.movement)) throw new RangeError('Plain transfers have legs');
  const { id, chain_id, association_id, kind, currency, reference, member_id } = posting;
  const { legs } = posting.movement;
  const fingerprint = fingerprintOf(posting);
  await client.query('BEGIN');
  const { rows: heads } = await client.query<Head>(LOCK_CHAIN, [chain_id]);
  const account_ids = legs.map(({ account }) => accountIdOf(chain_id, account));
  const { rows: accounts } = await client.query<Account>(LOCK_ACCOUNTS, [account_ids]);
  const { rows: known } = await client.query<{ fingerprint: string }>(FIND_TRANSFER, [id]);
  if (known.length > 0) {
    await client.query('ROLLBACK');
    if (known[0]?.fingerprint !== fingerprint) throw new Error('The id stands for another transfer');
    return;
  }
  const [head] = heads;
  const moves = legs.map(({ amount_minor }, index) => {
    const account = accounts.find(({ account_id }) => account_id === account_ids[index]);
    return { account: checked(account, posting, amount_minor), amount: BigInt(amount_minor) };
  });
  const [paid, received] = moves;
  if (head === undefined || paid === undefined || received === undefined) throw new Error('The chain is not there');
  const unsealed = {
    ...{ id, seq: Number(head.seq) + 1, association_id, kind, legs, currency, reference, posted_at },
    prev_hash: head.hash,
  };
  const record: TransferRecord = { ...unsealed, hash: hashOf(unsealed) };
  await client.query(INSERT_TRANSFER, [
    ...[
      id,
      chain_id,
      record.seq,
      association_id,
      kind,
      JSON.stringify(legs),
      currency,
      reference,
      member_id,
      posted_at,
    ],
    ...[record.prev_hash, record.hash, fingerprint],
  ]);
  await client.query(INSERT_ENTRIES, [
    ...[paid.account.account_id, paid.account.entry_count + 1n, id, paid.amount, paid.account.balance + paid.amount],
    ...[member_id, received.account.account_id, received.account.entry_count + 1n, received.amount],
    received.account.balance + received.amount,
  ]);
  const moved = moves.flatMap(({ account, amount }) => [account.account_id, amount]);
  await client.query(UPDATE_ACCOUNTS, moved);
  await client.query(UPDATE_CHAIN, [chain_id, record.seq, record.hash]);
  const { event_ids, types, events } = outbox.columnsOf([{ type: 'transfer.posted', association_id, data: record }]);
  await client.query(INSERT_EVENT, [event_ids[0], association_id, types[0], events[0]]);
  await client.query('COMMIT');
}

/** The account, if the posting may move so much on it. */
function checked(account: Account | undefined, posting: Posting, amount_minor: number): Account {
  if (account === undefined || account.currency !== posting.currency) throw new Error('An account is not there');
  const isForeign = account.owner_user_id !== null && account.owner_user_id !== posting.payer_user_id;
  if (amount_minor < 0 && isForeign) throw new Error('The wallet is not the payer’s');
  if (account.balance + BigInt(amount_minor) < account.savings && !account.may_go_negative) {
    throw new Error('There is not enough in the account');
  }
  return account;
}
