/** The ledger's part of a plain settlement: see plain-settlement.ts. */
import { createHash } from 'node:crypto';
import type pg from 'pg';
import '../../lib/db/pg-types.ts';
import { hashOf } from '../../services/treasury/ledger/chain.rules.ts';
import { newId } from '../../test/harness/treasury.ts';

const LOCK_CHAIN = { name: 'lock_chain', text: 'SELECT seq, hash FROM chains WHERE chain_id = $1 FOR UPDATE' };

const LOCK_ACCOUNTS = {
  name: 'lock_accounts',
  text: `SELECT account_id, balance, entry_count FROM accounts
         WHERE account_id = ANY($1::text[]) ORDER BY account_id FOR NO KEY UPDATE`,
};

const WRITE_TRANSFER = {
  name: 'write_transfer',
  text: `INSERT INTO transfers (id, chain_id, seq, association_id, kind, legs, currency, posted_at, prev_hash, hash, request_hash)
         VALUES ($1, $2, $3, $4, 'settlement', $5, $6, $7, $8, $9, $10)`,
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

const WRITE_LEDGER_EVENT = {
  name: 'write_ledger_event',
  text: `INSERT INTO outbox (event_id, association_id, type, event) VALUES ($1, $2, 'transfer.posted', $3)`,
};

interface Standing {
  account_id: string;
  balance: bigint;
  entry_count: bigint;
}

/** So much into one member's wallet, in minor units. */
export interface Payout {
  member_id: string;
  wallet_id: string;
  amount_minor: number;
}

/** A pool that is paid out to members. */
export interface PlainTransfer {
  id: string;
  association_id: string;
  meeting_id: string;
  currency: string;
  payouts: readonly Payout[];
}

/** The pool's leg first, with nobody's name on it. */
export function legsOf({ meeting_id, payouts }: PlainTransfer) {
  const amount_minor = -payouts.reduce((sum, payout) => sum + payout.amount_minor, 0);
  const paid = payouts.map((payout) => {
    return { account: `wallet:${payout.wallet_id}`, amount_minor: payout.amount_minor, member_id: payout.member_id };
  });
  return [{ account: `pool:${meeting_id}`, amount_minor, member_id: null }, ...paid];
}

/** Writes the ledger's rows in the caller's transaction: transfer, entries, balances, the chain's head, the event. */
export async function postPlainly(client: pg.ClientBase, plain: PlainTransfer): Promise<void> {
  const { id, association_id, currency } = plain;
  const legs = legsOf(plain);
  const account_ids = legs.map(({ account }) =>
    account.startsWith('pool:') ? `${association_id}/${account}` : account,
  );
  const { rows: heads } = await client.query<{ seq: bigint; hash: string }>({
    ...LOCK_CHAIN,
    values: [association_id],
  });
  const { rows: standings } = await client.query<Standing>({ ...LOCK_ACCOUNTS, values: [account_ids] });
  const [head] = heads;
  if (head === undefined || standings.length !== legs.length) throw new Error('An account is not there');
  const before = new Map(standings.map((standing) => [standing.account_id, standing]));
  const balances = legs.map((leg, at) => {
    const balance = (before.get(account_ids[at] ?? '')?.balance ?? 0n) + BigInt(leg.amount_minor);
    if (balance < 0n) throw new Error(`${leg.account} would hold less than nothing`);
    return balance;
  });
  const counts = account_ids.map((account_id) => (before.get(account_id)?.entry_count ?? 0n) + 1n);

  const unsealed = {
    ...{ id, seq: Number(head.seq) + 1, association_id, kind: 'settlement' as const, currency, reference: null },
    legs: legs.map(({ account, amount_minor }) => ({ account, amount_minor })),
    ...{ posted_at: new Date().toISOString(), prev_hash: head.hash },
  };
  const record = { ...unsealed, hash: hashOf(unsealed) };
  const stored = JSON.stringify(record.legs);
  const { seq, posted_at, prev_hash, hash } = record;
  const request_hash = createHash('sha256').update(stored).digest();
  const transfer = [
    id,
    association_id,
    seq,
    association_id,
    stored,
    currency,
    posted_at,
    prev_hash,
    hash,
    request_hash,
  ];
  await client.query({ ...WRITE_TRANSFER, values: transfer });
  await client.query({ ...WRITE_BALANCES, values: [account_ids, balances, counts] });
  const amounts = legs.map((leg) => leg.amount_minor);
  const member_ids = legs.map((leg) => leg.member_id);
  await client.query({ ...WRITE_ENTRIES, values: [id, account_ids, counts, amounts, balances, member_ids] });
  await client.query({ ...WRITE_HEAD, values: [association_id, seq, hash] });
  const event = eventOf('treasury', 'transfer.posted', association_id, record);
  await client.query({ ...WRITE_LEDGER_EVENT, values: [event.id, association_id, JSON.stringify(event)] });
}

/** A CloudEvent as the outboxes hold it. */
export function eventOf(service: string, type: string, subject: string, data: object) {
  const source = `/association-service/${service}`;
  const time = new Date().toISOString();
  return { specversion: '1.0', id: newId(), source, type, subject, time, datacontenttype: 'application/json', data };
}
