/** The ledger's own records, which are all in the treasury's database. */
import { moneyOf, WALLET_PREFIX } from '../../../lib/contracts/accounts.ts';
import { metadataMember, type Metadata } from '../../../lib/contracts/metadata.ts';
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import { instantColumn, instantText } from '../../../lib/db/instants.ts';
import { GENESIS_HASH, hashOf } from '../../../services/treasury/ledger/chain.rules.ts';
import { FIRST_ID, PAGE_ROWS, type Check, type Difference } from '../check.ts';

/** How many entries the accounts of a page have together, unless one account has more. */
const PAGE_ENTRIES = 50_000;

/**
 * For a page of accounts: what their entries, and the legs of the transfers that they name, say of them. The
 * legs of a transfer are parsed once for each page. OFFSET 0 makes entries and transfers be looked up by their keys: otherwise
 * each page would read both tables.
 */
const ACCOUNTS = {
  name: 'verify.accounts',
  text: `
    WITH listed AS (
      SELECT account_id, name, money, currency, balance, entry_count, may_go_negative,
        sum(entry_count) OVER (ORDER BY account_id) - entry_count AS entries_before
      FROM (SELECT * FROM accounts WHERE account_id > $1 ORDER BY account_id LIMIT $2) AS first_accounts
    ), page AS MATERIALIZED (
      SELECT * FROM listed WHERE entries_before < $3
    ), of_page AS MATERIALIZED (
      SELECT e.*,
        sum(e.amount) OVER account AS running, row_number() OVER account AS place
      FROM page, LATERAL (SELECT * FROM entries WHERE account_id = page.account_id OFFSET 0) AS e
      WINDOW account AS (PARTITION BY e.account_id ORDER BY e.entry_no)
    ), totals AS (
      SELECT account_id, count(*) AS entries, sum(amount) AS sum,
        min(entry_no) FILTER (WHERE running <> balance_after OR place <> entry_no) AS first_wrong,
        bool_or(balance_after < 0) AS was_negative
      FROM of_page GROUP BY account_id
    ), booked AS (
      SELECT transfer_id, account_id, amount, count(*) AS times FROM of_page GROUP BY 1, 2, 3
    ), named AS MATERIALIZED (
      SELECT wanted.id, t.chain_id, t.legs
      FROM (SELECT DISTINCT transfer_id AS id FROM of_page) AS wanted,
        LATERAL (SELECT chain_id, legs FROM transfers WHERE id = wanted.id AND seq IS NOT NULL OFFSET 0) AS t
    ), legs AS (
      SELECT named.id AS transfer_id,
        CASE WHEN starts_with(leg.account, '${WALLET_PREFIX}') THEN leg.account ELSE named.chain_id || '/' || leg.account END
          AS account_id, leg.amount_minor AS amount, count(*) AS times
      FROM named, json_to_recordset(named.legs) AS leg (account text, amount_minor bigint) GROUP BY 1, 2, 3
    ), strange AS (
      SELECT DISTINCT ON (account_id) booked.account_id, booked.transfer_id, booked.amount
      FROM booked LEFT JOIN legs USING (transfer_id, account_id, amount)
      WHERE legs.times IS DISTINCT FROM booked.times ORDER BY account_id, transfer_id
    )
    SELECT page.account_id, page.currency, page.balance, page.entry_count, page.may_go_negative,
      coalesce(totals.entries, 0)::bigint AS entries, coalesce(totals.sum, 0)::text AS sum, totals.first_wrong,
      coalesce(totals.was_negative, false) AS was_negative,
      strange.transfer_id AS strange_transfer, strange.amount AS strange_amount
    FROM page LEFT JOIN totals USING (account_id) LEFT JOIN strange USING (account_id)
    ORDER BY page.account_id`,
};

interface AccountRow {
  account_id: string;
  currency: string;
  balance: bigint;
  entry_count: bigint;
  may_go_negative: boolean;
  entries: bigint;
  /** A text: sums of bigint are numeric. */
  sum: string;
  /** The first entry whose number or balance does not follow from those before. */
  first_wrong: bigint | null;
  was_negative: boolean;
  /** An entry that its transfer has no leg for. */
  strange_transfer: string | null;
  strange_amount: bigint | null;
}

export const balancesCheck: Check = {
  name: 'balances',
  compares: 'the balance of each account with its entries, and each entry with its transfer',
  byId: false,
  async page({ db }, after) {
    const rows = await db.treasury.rows<AccountRow>(ACCOUNTS, [after ?? '', PAGE_ROWS, PAGE_ENTRIES]);
    const differences = rows.flatMap((row) => {
      const fault = accountFault(row);
      return fault === undefined ? [] : [{ key: row.account_id, text: `account ${row.account_id}: ${fault}` }];
    });
    return { next: rows.at(-1)?.account_id ?? null, compared: rows.length, differences };
  },
};

function accountFault(row: AccountRow): string | undefined {
  const { balance, entry_count, entries, sum, first_wrong, strange_transfer, strange_amount, currency } = row;
  if (balance.toString() !== sum) {
    return `its balance is ${String(balance)} ${currency}, and its ${String(entries)} entries sum to ${sum}`;
  }
  if (entry_count !== entries) return `it should have ${String(entry_count)} entries, and has ${String(entries)}`;
  if (first_wrong !== null) return `entry ${String(first_wrong)} does not follow from those before it`;
  if (strange_transfer !== null) {
    return `it has an entry of ${String(strange_amount)}, and transfer ${strange_transfer} has no such leg`;
  }
  return row.was_negative && !row.may_go_negative ? 'its balance was below zero' : undefined;
}

/** In one snapshot. Entries are counted by their accounts, which the check above compares with the entries themselves. */
const TOTALS = `
  SELECT (SELECT coalesce(sum(entry_count), 0)::bigint FROM accounts) AS entries,
    (SELECT coalesce(sum(json_array_length(legs)), 0)::bigint FROM transfers WHERE seq IS NOT NULL) AS legs`;

const SUMS = `SELECT money, currency, sum(balance)::text AS sum FROM accounts GROUP BY 1, 2 HAVING sum(balance) <> 0`;

export const totalsCheck: Check = {
  name: 'totals',
  compares: 'the number of entries with that of legs, and the sum of all balances with zero',
  byId: false,
  async page({ db }) {
    const differences: Difference[] = [];
    const totals = await db.treasury.first<{ entries: bigint; legs: bigint }>(TOTALS);
    if (totals !== undefined && totals.entries !== totals.legs) {
      const text = `the accounts have ${String(totals.entries)} entries, and the transfers ${String(totals.legs)} legs`;
      differences.push({ key: 'entries', text });
    }
    for (const row of await db.treasury.rows<{ money: string; currency: string; sum: string }>(SUMS)) {
      const text = `all ${row.money} balances in ${row.currency} sum to ${row.sum}, not to zero`;
      differences.push({ key: `${row.money} ${row.currency}`, text });
    }
    return { next: null, compared: 1, differences };
  },
};

/** Transfers with the hash of their predecessor. `posted_at` is read in the form in which it was hashed. */
const TRANSFERS = {
  name: 'verify.transfers',
  text: `
    SELECT t.id, t.chain_id, t.seq::float8 AS seq, t.association_id, t.kind, t.legs, t.currency, t.reference,
      ${instantColumn('t.posted_at')} AS posted_at, t.prev_hash, t.hash, t.metadata, before.hash AS hash_before
    FROM transfers t LEFT JOIN transfers before ON before.chain_id = t.chain_id AND before.seq = t.seq - 1
    WHERE t.id > $1 AND t.seq IS NOT NULL ORDER BY t.id LIMIT $2`,
};

type ChainedTransfer = Omit<TransferRecord, 'metadata'> & {
  metadata: Metadata | null;
  chain_id: string;
  /** Null if there is no predecessor. */
  hash_before: string | null;
};

/** Each transfer follows another one, down to the first: so each chain is complete. */
export const chainsCheck: Check = {
  name: 'chains',
  compares: 'the hash of each transfer with its content, and with its predecessor',
  byId: true,
  async page({ db }, after) {
    const rows = await db.treasury.rows<ChainedTransfer>(TRANSFERS, [after ?? FIRST_ID, PAGE_ROWS]);
    const differences = rows.flatMap((row) => {
      const fault = chainFault({ ...row, posted_at: instantText(row.posted_at) });
      if (fault === undefined) return [];
      return [{ key: row.id, text: `transfer ${row.id}, seq ${String(row.seq)} of chain ${row.chain_id}: ${fault}` }];
    });
    const next = rows.length < PAGE_ROWS ? null : (rows.at(-1)?.id ?? null);
    return { next, compared: rows.length, differences };
  },
};

function chainFault({ metadata, ...transfer }: ChainedTransfer): string | undefined {
  const { seq, hash, prev_hash, hash_before, legs } = transfer;
  const hashed = hashOf({ ...transfer, ...metadataMember(metadata) });
  if (hashed !== hash) return `its content has the hash ${hashed}, and it is stored with ${hash}`;
  const before = seq === 1 ? GENESIS_HASH : hash_before;
  if (before === null) return `there is no transfer ${String(seq - 1)} before it`;
  if (prev_hash !== before) return `its prev_hash is ${prev_hash}, and the transfer before it has ${before}`;
  const sums = { emoney: 0n, cash: 0n };
  for (const { account, amount_minor } of legs) sums[moneyOf(account)] += BigInt(amount_minor);
  if (sums.emoney === 0n && sums.cash === 0n) return undefined;
  return `its legs sum to ${String(sums.emoney)} in e-money and ${String(sums.cash)} in cash`;
}

const HEADS = {
  name: 'verify.heads',
  text: `
    SELECT c.chain_id, c.seq, c.hash, t.seq AS last_seq, t.hash AS last_hash
    FROM chains c LEFT JOIN LATERAL (
      SELECT seq, hash FROM transfers WHERE chain_id = c.chain_id AND seq IS NOT NULL ORDER BY seq DESC LIMIT 1
    ) AS t ON true
    WHERE c.chain_id > $1 ORDER BY c.chain_id LIMIT $2`,
};

interface HeadRow {
  chain_id: string;
  seq: bigint;
  hash: string;
  last_seq: bigint | null;
  last_hash: string | null;
}

export const headsCheck: Check = {
  name: 'heads',
  compares: 'the head of each chain with its last transfer',
  byId: false,
  async page({ db }, after) {
    const rows = await db.treasury.rows<HeadRow>(HEADS, [after ?? '', PAGE_ROWS]);
    const differences = rows
      .filter(({ seq, hash, last_seq, last_hash }) => seq !== last_seq || hash !== last_hash)
      .map(({ chain_id, seq, hash, last_seq, last_hash }) => {
        const head = `its head is seq ${String(seq)} with ${hash}`;
        return {
          key: chain_id,
          text: `chain ${chain_id}: ${head}, and its last transfer is ${String(last_seq)} with ${String(last_hash)}`,
        };
      });
    const next = rows.length < PAGE_ROWS ? null : (rows.at(-1)?.chain_id ?? null);
    return { next, compared: rows.length, differences };
  },
};
