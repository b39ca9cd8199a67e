import type pg from 'pg';
import { accountIdOf, isWallet, isWalletId } from './accounts.rules.ts';
import type { Account, ChainHead, LedgerView } from './decide.rules.ts';
import { accountsOf } from './posting.rules.ts';
import type { Posting } from './posting.rules.ts';
import { knownOf, KNOWN_COLUMNS } from './transfer-rows.ts';
import type { TransferRow } from './transfer-rows.ts';

/** The class of our advisory locks among those of two integers; the number is arbitrary. */
export const CHAIN_LOCKS = 7_206;

// Every batch locks in this order, so that no two wait for each other: chains by key, then wallets by id. A chain's
// lock covers its head and its accounts, those too that do not exist yet; two chains with one key only wait for each
// other. What is read afterwards, is read by statements that begin when the locks are held.
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

export const LOAD_ACCOUNTS = {
  name: 'ledger.load_accounts',
  text: `SELECT account_id, association_id, name, money, currency, owner_user_id, balance, savings, entry_count,
                may_go_negative, false AS fresh
         FROM accounts WHERE account_id = ANY($1::text[])`,
};

const LOAD_KNOWN = {
  name: 'ledger.load_known',
  text: `SELECT ${KNOWN_COLUMNS} FROM transfers WHERE id = ANY($1::uuid[])`,
};

/** Begins a transaction that holds all that the postings touch, and gives it as it is. One round trip. */
export async function lock(client: pg.PoolClient, postings: readonly Posting[]): Promise<LedgerView> {
  const { chain_ids, account_ids } = touchedBy(postings);
  const wallets = account_ids.filter(isWallet);
  const ids = postings.map((posting) => posting.id);
  const [, , , chains, accounts, known] = await Promise.all([
    client.query('BEGIN'),
    client.query(LOCK_CHAINS, [CHAIN_LOCKS, chain_ids]),
    client.query(LOCK_WALLETS, [wallets]),
    client.query<ChainHead>(LOAD_CHAINS, [chain_ids]),
    client.query<Account>(LOAD_ACCOUNTS, [account_ids]),
    client.query<TransferRow>(LOAD_KNOWN, [ids]),
  ]);
  return {
    chains: new Map(chains.rows.map((row) => [row.chain_id, row])),
    accounts: new Map(accounts.rows.map((row) => [row.account_id, row])),
    known: new Map(known.rows.map((row) => [row.id, knownOf(row)])),
  };
}

/** What postings may touch: each chain and each account once. */
export interface Touched {
  chain_ids: string[];
  account_ids: string[];
}

export function touchedBy(postings: readonly Posting[]): Touched {
  const [chain_ids, account_ids] = [new Set<string>(), new Set<string>()];
  for (const posting of postings) {
    chain_ids.add(posting.chain_id);
    for (const name of accountsOf(posting)) {
      // An id that is not formed as a wallet's names nothing, and might not even be text to the database.
      if (isWallet(name) && !isWalletId(name.slice('wallet:'.length))) continue;
      account_ids.add(accountIdOf(posting.chain_id, name));
    }
  }
  return { chain_ids: [...chain_ids], account_ids: [...account_ids] };
}
