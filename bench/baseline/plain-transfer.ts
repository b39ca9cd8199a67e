/** The plain way to write the ledger's rows: a transaction per transfer and a prepared statement per table. */
import { createHash } from 'node:crypto';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import type { TransferLeg, TransferRecord } from '../../lib/contracts/treasury.ts';
// The parsers of pg-types read balances as bigints.
import '../../lib/db/pg-types.ts';
import { KEY_PLANNING } from '../../lib/db/pool-settings.ts';
import { CURRENCY } from '../harness/filled-group.ts';
import { AMOUNT_MINOR, chainLength, type HotLedger, type HotPool } from '../harness/hot-ledger.ts';
import { hashOf } from '../harness/service-internals.ts';

const FIND_TRANSFER = { name: 'find_transfer', text: 'SELECT request_hash FROM transfers WHERE id = $1' };

const LOCK_CHAIN = { name: 'lock_chain', text: 'SELECT seq, hash FROM chains WHERE chain_id = $1 FOR UPDATE' };

const LOCK_ACCOUNTS = {
  name: 'lock_accounts',
  text: `SELECT account_id, balance, entry_count FROM accounts
         WHERE account_id = ANY($1::text[]) ORDER BY account_id FOR NO KEY UPDATE`,
};

const WRITE_TRANSFER = {
  name: 'write_transfer',
  text: `INSERT INTO transfers (id, chain_id, seq, association_id, kind, legs, currency, member_id, posted_at, prev_hash,
           hash, request_hash)
         VALUES ($1, $2, $3, $2::text::uuid, $4, $5, $6, $7, $8, $9, $10, $11)`,
};

const WRITE_BALANCES = {
  name: 'write_balances',
  text: `UPDATE accounts SET balance = new.balance, entry_count = new.entry_count
         FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS new (account_id, balance, entry_count)
         WHERE accounts.account_id = new.account_id`,
};

const WRITE_ENTRIES = {
  name: 'write_entries',
  text: `INSERT INTO entries (transfer_id, account_id, entry_no, amount, balance_after, member_id)
         SELECT $1, new.* FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::uuid[]) AS new`,
};

const WRITE_HEAD = { name: 'write_head', text: 'UPDATE chains SET seq = $2, hash = $3 WHERE chain_id = $1' };

const WRITE_EVENT = {
  name: 'write_event',
  text: `INSERT INTO outbox (event_id, association_id, type, event) VALUES ($1, $2, $3, $4)`,
};

interface Account {
  account_id: string;
  balance: bigint;
  entry_count: bigint;
}

/** A transfer within an association whose chain and accounts exist. */
export interface PlainTransfer {
  id: string;
  association_id: string;
  kind: TransferRecord['kind'];
  currency: string;
  /** `member_id` is the member that an entry concerns. */
  legs: readonly TransferLeg[];
}

/**
 * Writes transfer, entries, balances, the chain's head and the event in the caller's transaction.
 * @throws if an account is missing or would be overdrawn
 */
export async function postPlainly(client: pg.ClientBase, plain: PlainTransfer): Promise<void> {
  const { id, association_id, kind, currency, legs } = plain;
  const account_ids = legs.map(({ account }) =>
    account.startsWith('pool:') ? `${association_id}/${account}` : account,
  );
  const { rows: heads } = await client.query<{ seq: bigint; hash: string }>(LOCK_CHAIN, [association_id]);
  const { rows: accounts } = await client.query<Account>(LOCK_ACCOUNTS, [account_ids]);
  const [head] = heads;
  if (head === undefined || accounts.length !== legs.length) throw new Error('An account or the chain does not exist');
  const before = new Map(accounts.map((account) => [account.account_id, account]));
  const amounts = legs.map((leg) => BigInt(leg.amount_minor));
  const balances = account_ids.map((account_id, at) => {
    const balance = (before.get(account_id)?.balance ?? 0n) + (amounts[at] ?? 0n);
    if (balance < 0n) throw new Error(`${account_id} would be overdrawn`);
    return balance;
  });
  const counts = account_ids.map((account_id) => (before.get(account_id)?.entry_count ?? 0n) + 1n);

  const unsealed = {
    id,
    seq: Number(head.seq) + 1,
    association_id,
    kind,
    currency,
    reference: null,
    legs: legs.map(({ account, amount_minor }) => ({ account, amount_minor })),
    posted_at: new Date().toISOString(),
    prev_hash: head.hash,
  };
  const record = { ...unsealed, hash: hashOf(unsealed) };
  const stored = JSON.stringify(record.legs);
  const { seq, posted_at, prev_hash, hash } = record;
  const request_hash = createHash('sha256').update(stored).digest();
  const member_ids = legs.map((leg) => leg.member_id ?? null);
  await client.query(WRITE_TRANSFER, [
    id,
    association_id,
    seq,
    kind,
    stored,
    currency,
    legs.length === 2 ? member_ids[0] : null,
    posted_at,
    prev_hash,
    hash,
    request_hash,
  ]);
  await client.query(WRITE_ENTRIES, [id, account_ids, counts, amounts, balances, member_ids]);
  await client.query(WRITE_BALANCES, [account_ids, balances, counts]);
  await client.query(WRITE_HEAD, [association_id, seq, hash]);
  const event = eventOf('treasury', 'transfer.posted', association_id, record);
  await client.query(WRITE_EVENT, [event.id, association_id, event.type, JSON.stringify(event)]);
}

/** Creates a CloudEvent in the form of the outboxes. */
export function eventOf(service: string, type: string, subject: string, data: object) {
  const source = `/association-service/${service}`;
  const time = new Date().toISOString();
  return { specversion: '1.0', id: uuidv7(), source, type, subject, time, datacontenttype: 'application/json', data };
}

/** Runs `work` in a transaction. */
export async function inTransaction(client: pg.ClientBase, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  try {
    await work();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

/**
 * Creates a ledger that writes the same rows to the same tables as the measured ledger.
 * @param connections maximum number of concurrent transactions; others wait for a connection
 */
export function plainLedger(url: string, hot: HotPool, connections: number): HotLedger {
  // As in the measured ledger, no plan of a small table is kept while it grows.
  const pool = new pg.Pool({ connectionString: url, max: connections, options: KEY_PLANNING });
  // A lost connection fails its transfer. Without a listener it would also end the process.
  pool.on('error', () => undefined);
  const { association_id, meeting_id, members } = hot;
  return {
    name: 'plain',
    async transfer(id, payer) {
      const { wallet_id, member_id } = members[payer]!;
      const legs = [
        { account: `wallet:${wallet_id}`, amount_minor: -AMOUNT_MINOR, member_id },
        { account: `pool:${meeting_id}`, amount_minor: AMOUNT_MINOR },
      ];
      const client = await pool.connect();
      try {
        await inTransaction(client, async () => {
          if ((await client.query(FIND_TRANSFER, [id])).rowCount !== 0) throw new Error('The id was used before');
          await postPlainly(client, { id, association_id, kind: 'contribution', currency: CURRENCY, legs });
        });
      } finally {
        client.release();
      }
    },
    posted: () => chainLength(pool, hot),
    stop: () => pool.end(),
  };
}
