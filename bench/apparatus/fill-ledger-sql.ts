/** The statements of fill-ledger.ts. */

export const GROUPS = {
  tables: [
    `CREATE TEMP TABLE groups (
       no bigint PRIMARY KEY, id uuid, meeting_id uuid, members bigint, transfers bigint
     )`,
    // Numbered from 0 within their group; they pay in turn.
    `CREATE TEMP TABLE people (
       group_no bigint, no bigint, wallet_id uuid, member_id uuid, deposit_id uuid, paid bigint,
       PRIMARY KEY (group_no, no)
     )`,
  ],
  /** $1 members, $2 transfers */
  hot: `INSERT INTO groups VALUES (0, uuidv7(), uuidv7(), $1, $2) RETURNING id, meeting_id`,
  /** $1 groups, $2 members of each, $3 transfers of all of them together, which they make in turn */
  others: `INSERT INTO groups
           SELECT no, uuidv7(), uuidv7(), $2::bigint, ($3::bigint - no + $1::bigint) / $1::bigint
           FROM generate_series(1, $1::bigint) AS no`,
};

export const PEOPLE = {
  fill: [
    `INSERT INTO people
     SELECT groups.no, person, uuidv7(), uuidv7(), uuidv7(), (transfers - person + members - 1) / members
     FROM groups, generate_series(0, members - 1) AS person`,
    'ANALYZE groups',
    'ANALYZE people',
  ],
  hot: `SELECT member_id, 'user-' || wallet_id AS user_id, 'wallet:' || wallet_id AS wallet
        FROM people WHERE group_no = 0 ORDER BY no`,
};

/** Any hash will do, if only the next transfer names it. */
const hashAt = (seq: string) => `encode(sha256(convert_to(chain_id || ':' || (${seq}), 'UTF8')), 'hex')`;

/** The wallets, with what is left in them, and the outside world that their deposits come from. $1 currency, $2 deposit, $3 amount */
export const WALLETS = `
  WITH wallet_accounts AS (
    INSERT INTO accounts (account_id, name, money, currency, owner_user_id, balance, entry_count, may_go_negative, created_at)
    SELECT 'wallet:' || wallet_id, 'wallet:' || wallet_id, 'emoney', $1, 'user-' || wallet_id,
           $2::bigint - $3::bigint * paid, 1 + paid, false, now()
    FROM people
  ), outside AS (
    INSERT INTO accounts (account_id, name, money, currency, balance, entry_count, may_go_negative, created_at)
    SELECT 'wallet:' || wallet_id || '/funding', 'funding', 'emoney', $1, -$2::bigint, 1, true, now() FROM people
  ), headed AS (
    INSERT INTO chains (chain_id, seq, hash)
    SELECT chain_id, 1, ${hashAt('1')} FROM people, concat('wallet:', wallet_id) AS chain_id
  )
  INSERT INTO wallets (id, user_id, currency, account_id, created_at)
  SELECT wallet_id, 'user-' || wallet_id, $1, 'wallet:' || wallet_id, now() FROM people`;

/** The pools and the chains' heads, of groups that have had transfers. $1 currency, $2 amount */
export const POOLS = `
  WITH headed AS (
    INSERT INTO chains (chain_id, association_id, seq, hash)
    SELECT chain_id, id, transfers, ${hashAt('transfers')}
    FROM groups, CAST(id AS text) AS chain_id WHERE transfers > 0
  )
  INSERT INTO accounts (account_id, association_id, name, money, currency, balance, entry_count, may_go_negative, created_at)
  SELECT id || '/pool:' || meeting_id, id, 'pool:' || meeting_id, 'emoney', $1, $2::bigint * transfers, transfers,
         false, now()
  FROM groups WHERE transfers > 0`;

/**
 * Writes transfers of two legs with their entries and events; their accounts and chains are there.
 * @param source a query of them, in order, with the columns that are read below; $1 is the currency, $2 the amount
 */
const write = (source: string) => `
  WITH new AS MATERIALIZED (
    SELECT *,
           format('[{"account":"%s","amount_minor":-%s},{"account":"%s","amount_minor":%s}]', from_name, $2::bigint,
                  to_name, $2::bigint) AS legs,
           CASE seq WHEN 1 THEN repeat('0', 64) ELSE ${hashAt('seq - 1')} END AS prev_hash,
           ${hashAt('seq')} AS hash,
           to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS posted_at
    FROM (${source}) AS source
  ), posted AS (
    INSERT INTO transfers (id, chain_id, seq, association_id, kind, legs, currency, member_id, posted_at, prev_hash, hash,
                           request_hash)
    SELECT id, chain_id, seq, association_id, kind, legs::json, $1, member_id, posted_at::timestamptz, prev_hash, hash,
           sha256(uuid_send(id))
    FROM new
  ), entered AS (
    INSERT INTO entries (account_id, entry_no, transfer_id, amount, balance_after, member_id)
    SELECT leg.*
    FROM new, LATERAL (VALUES (from_id, from_no, id, -$2::bigint, from_after, member_id),
                              (to_id, to_no, id, $2::bigint, to_after, NULL)) AS leg
  )
  INSERT INTO outbox (event_id, association_id, type, event, published_at)
  SELECT event_id, association_id, 'transfer.posted',
         format('{"specversion":"1.0","id":"%s","source":"/association-service/treasury","type":"transfer.posted",'
                || '"subject":"%s","time":"%s","datacontenttype":"application/json","data":{"id":"%s","seq":%s,'
                || '"association_id":"%s","kind":"%s","legs":%s,"currency":"%s","reference":null,"posted_at":"%s",'
                || '"prev_hash":"%s","hash":"%s"}}',
                event_id, association_id, posted_at, id, seq, association_id, kind, legs, $1::text, posted_at, prev_hash,
                hash)::json,
         now()
  FROM new`;

/** Each wallet's deposit, on a chain of its own. $1 currency, $2 deposit */
export const WALLET_DEPOSITS = write(`
  SELECT deposit_id AS id, uuidv7() AS event_id, account_id AS chain_id, NULL::uuid AS association_id, 1::bigint AS seq,
         'wallet_deposit' AS kind, NULL::uuid AS member_id,
         'funding' AS from_name, account_id || '/funding' AS from_id, 1::bigint AS from_no, -$2::bigint AS from_after,
         account_id AS to_name, account_id AS to_id, 1::bigint AS to_no, $2::bigint AS to_after
  FROM people, concat('wallet:', wallet_id) AS account_id`);

/**
 * Contributions by number: one in $6 is of the hot group, the others go round the $7 other groups; within a group its
 * people pay in turn. $1 currency, $2 amount, $3 deposit, $4 first number, $5 last number
 */
export const CONTRIBUTIONS = write(`
  SELECT uuidv7() AS id, uuidv7() AS event_id, groups.id::text AS chain_id, groups.id AS association_id, seq,
         'contribution' AS kind, member_id,
         'wallet:' || wallet_id AS from_name, 'wallet:' || wallet_id AS from_id, (seq - 1) / members + 2 AS from_no,
         $3::bigint - $2::bigint * ((seq - 1) / members + 1) AS from_after,
         'pool:' || meeting_id AS to_name, groups.id || '/pool:' || meeting_id AS to_id, seq AS to_no,
         $2::bigint * seq AS to_after
  FROM (
    SELECT number,
           CASE WHEN number % $6::bigint = 0 THEN 0 ELSE nth % $7::bigint + 1 END AS group_no,
           CASE WHEN number % $6::bigint = 0 THEN number / $6::bigint ELSE nth / $7::bigint END + 1 AS seq
    FROM generate_series($4::bigint, $5::bigint) AS number, LATERAL (SELECT number - number / $6::bigint - 1 AS nth)
  ) AS turns
  JOIN groups ON groups.no = group_no
  JOIN people ON people.group_no = groups.no AND people.no = (seq - 1) % members
  ORDER BY number`);

/** Says what is broken, or null. */
export const CHECK = `
  SELECT CASE
    WHEN (SELECT sum(balance) FROM accounts) <> 0 THEN 'the balances do not sum to zero'
    WHEN (SELECT sum(entry_count) FROM accounts) <> (SELECT count(*) FROM entries) THEN 'entries are missing'
    WHEN (SELECT sum(seq) FROM chains) <> (SELECT count(*) FROM transfers) THEN 'transfers are missing'
    WHEN EXISTS (
      SELECT FROM accounts LEFT JOIN entries ON entries.account_id = accounts.account_id AND entry_no = entry_count
      WHERE balance_after IS DISTINCT FROM balance
    ) THEN 'a balance is not that of its last entry'
    WHEN EXISTS (
      SELECT FROM chains LEFT JOIN transfers USING (chain_id, seq) WHERE transfers.hash IS DISTINCT FROM chains.hash
    ) THEN 'a chain does not end with its last transfer'
  END AS broken`;
