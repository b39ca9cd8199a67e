import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createServiceTables } from '../../../lib/db/service-tables.ts';
import { grantTo } from '../../../lib/db/migrate.ts';

/**
 * The privileges of the service's role. They do not allow history to be changed, even by mistake. They are granted
 * last: if the service migrates with its own role, grantTo() takes REFERENCES from it, which later foreign keys would
 * need.
 */
const PRIVILEGES = {
  chains: 'SELECT, INSERT, UPDATE (seq, hash)',
  accounts: 'SELECT, INSERT, UPDATE (balance, entry_count)',
  transfers: 'SELECT, INSERT',
  entries: 'SELECT, INSERT',
  wallets: 'SELECT, INSERT',
  wallet_funding: 'SELECT, INSERT, DELETE',
  cash_deposits: 'SELECT, INSERT, UPDATE (status, touched_at, decision, refusal)',
  distributions:
    'SELECT, INSERT, UPDATE (status, reserved_emoney, reserved_cash, touched_at, decision, decided_at, refusal)',
};

/** Creates the double-entry ledger, wallets, and the stored plans of deposits, cash and distributions. */
export class CreateTables1700000000001 implements MigrationInterface {
  name = 'CreateTables1700000000001';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createServiceTables(queryRunner);
    for (const statement of [...LEDGER, ...GUARDS, ...WALLETS, ...PLANS]) await queryRunner.query(statement);
    for (const [table, privileges] of Object.entries(PRIVILEGES)) await grantTo(queryRunner, table, privileges);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `DROP TABLE distributions, cash_deposits, wallet_funding, wallets, entries, transfers, accounts, chains,
                  outbox, inbox, dead_letters, cursor_keys`,
    );
    await queryRunner.query('DROP FUNCTION refuse_change(), check_entries()');
  }
}

/** The largest integer that a JSON number holds exactly. */
const SUM_MAX_MINOR = '9007199254740991';

const LEDGER = [
  // The head of each chain. A row is inserted with the first transfer.
  `CREATE TABLE chains (
     chain_id text PRIMARY KEY,
     association_id uuid,
     seq bigint NOT NULL CHECK (seq > 0),
     hash char(64) NOT NULL
   ) WITH (fillfactor = 50)`,
  // Free space in the pages allows updates of balances that do not change the index.
  `CREATE TABLE accounts (
     account_id text PRIMARY KEY,
     association_id uuid,
     name text NOT NULL,
     money text NOT NULL CHECK (money IN ('emoney', 'cash')),
     currency char(3) NOT NULL,
     owner_user_id text,
     balance bigint NOT NULL DEFAULT 0,
     entry_count bigint NOT NULL DEFAULT 0,
     may_go_negative boolean NOT NULL,
     created_at timestamptz(3) NOT NULL,
     CONSTRAINT accounts_not_negative CHECK (balance >= 0 OR may_go_negative),
     CONSTRAINT accounts_balance_exact CHECK (balance BETWEEN -${SUM_MAX_MINOR} AND ${SUM_MAX_MINOR})
   ) WITH (fillfactor = 50)`,
  `CREATE INDEX accounts_of_association ON accounts (association_id) WHERE association_id IS NOT NULL`,
  // The first outcome under each id. A refusal is also an outcome, but has no place in the chain.
  `CREATE TABLE transfers (
     id uuid PRIMARY KEY,
     chain_id text NOT NULL,
     seq bigint,
     association_id uuid,
     kind text NOT NULL,
     legs json NOT NULL,
     currency char(3) NOT NULL,
     reference text,
     member_id uuid,
     posted_at timestamptz(3) NOT NULL,
     prev_hash char(64),
     hash char(64),
     request_hash bytea NOT NULL,
     refusal json,
     CONSTRAINT transfers_chain UNIQUE (chain_id, seq),
     CONSTRAINT transfers_outcome CHECK (
       (refusal IS NULL) = (seq IS NOT NULL)
       AND (seq IS NULL) = (prev_hash IS NULL) AND (seq IS NULL) = (hash IS NULL)
     )
   )`,
  // The history of each account, numbered without gaps. check_entries() replaces foreign keys, which look up each row
  // separately and cost more than the whole insert. Rows of these tables are never changed or deleted.
  `CREATE TABLE entries (
     account_id text NOT NULL,
     entry_no bigint NOT NULL CHECK (entry_no > 0),
     transfer_id uuid NOT NULL,
     amount bigint NOT NULL CHECK (amount <> 0),
     balance_after bigint NOT NULL,
     PRIMARY KEY (account_id, entry_no)
   )`,
];

const GUARDS = [
  `CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
   END $$`,
  ...['transfers', 'entries'].map(
    (table) =>
      `CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
       FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`,
  ),
  // Checks double entry once for each statement: the entries of each transfer sum to zero in e-money and in cash, and
  // belong to a posted transfer in the currency of their accounts. The settings make plans use the indexes, because the
  // tables are nearly empty when the first plan is made.
  `CREATE FUNCTION check_entries() RETURNS trigger LANGUAGE plpgsql
     SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
   DECLARE broken uuid;
   BEGIN
     SELECT written.transfer_id INTO broken
     FROM written
     LEFT JOIN transfers ON transfers.id = written.transfer_id AND transfers.seq IS NOT NULL
     LEFT JOIN accounts ON accounts.account_id = written.account_id AND accounts.currency = transfers.currency
     GROUP BY written.transfer_id, accounts.money
     HAVING sum(written.amount) <> 0 OR bool_or(accounts.account_id IS NULL)
     LIMIT 1;
     IF FOUND THEN
       RAISE EXCEPTION 'transfer % is not double entry', broken
         USING ERRCODE = 'check_violation', CONSTRAINT = 'entries_double_entry';
     END IF;
     RETURN NULL;
   END $$`,
  `CREATE TRIGGER entries_double_entry AFTER INSERT ON entries
     REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION check_entries()`,
];

const WALLETS = [
  `CREATE TABLE wallets (
     id text PRIMARY KEY,
     user_id text NOT NULL,
     currency char(3) NOT NULL,
     account_id text NOT NULL UNIQUE REFERENCES accounts,
     created_at timestamptz(3) NOT NULL,
     CONSTRAINT wallets_one_per_currency UNIQUE (user_id, currency)
   )`,
  `CREATE INDEX wallets_of_user ON wallets (user_id, id)`,
  // The plan of a deposit or withdrawal: the transfer of a reference. It has no foreign key to wallets: PostgreSQL
  // checks one with a lock that needs the owner's UPDATE privilege, which a service that owns its tables does not have.
  `CREATE TABLE wallet_funding (
     wallet_id text NOT NULL,
     kind text NOT NULL CHECK (kind IN ('wallet_deposit', 'wallet_withdrawal')),
     reference text NOT NULL,
     amount bigint NOT NULL CHECK (amount > 0),
     transfer_id uuid NOT NULL UNIQUE,
     PRIMARY KEY (wallet_id, kind, reference)
   )`,
];

const PLANS = [
  `CREATE TABLE cash_deposits (
     id uuid PRIMARY KEY,
     association_id uuid NOT NULL,
     member_id uuid NOT NULL,
     amount bigint NOT NULL CHECK (amount > 0),
     currency char(3) NOT NULL,
     reason text NOT NULL,
     status text NOT NULL,
     approval_id uuid NOT NULL UNIQUE,
     recorded_by_member_id uuid NOT NULL,
     recorded_at timestamptz(3) NOT NULL,
     touched_at timestamptz(3) NOT NULL,
     decision text,
     refusal json
   )`,
  `CREATE INDEX cash_deposits_unfinished ON cash_deposits (touched_at)
     WHERE status NOT IN ('pending_approval', 'confirmed', 'rejected', 'refused')`,
  `CREATE INDEX cash_deposits_of_member ON cash_deposits (association_id, member_id)
     WHERE status NOT IN ('confirmed', 'rejected', 'refused')`,
  `CREATE TABLE distributions (
     id uuid PRIMARY KEY,
     association_id uuid NOT NULL,
     beneficiary_member_id uuid NOT NULL,
     payout_wallet_id text NOT NULL,
     amount bigint NOT NULL CHECK (amount > 0),
     currency char(3) NOT NULL,
     reason text NOT NULL,
     status text NOT NULL,
     approval_id uuid NOT NULL UNIQUE,
     closing_transfer_id uuid NOT NULL UNIQUE,
     return_transfer_id uuid NOT NULL UNIQUE,
     reserved_emoney bigint NOT NULL DEFAULT 0 CHECK (reserved_emoney >= 0),
     reserved_cash bigint NOT NULL DEFAULT 0 CHECK (reserved_cash >= 0),
     requested_by_member_id uuid NOT NULL,
     requested_at timestamptz(3) NOT NULL,
     touched_at timestamptz(3) NOT NULL,
     decision text,
     decided_at timestamptz(3),
     refusal json,
     CONSTRAINT distributions_reserved CHECK (reserved_emoney + reserved_cash IN (0, amount))
   )`,
  `CREATE INDEX distributions_of_association ON distributions (association_id, id)`,
  `CREATE INDEX distributions_unfinished ON distributions (touched_at)
     WHERE status NOT IN ('pending_approval', 'paid', 'rejected', 'failed', 'refused')`,
  `CREATE INDEX distributions_of_beneficiary ON distributions (association_id, beneficiary_member_id)
     WHERE status NOT IN ('paid', 'rejected', 'failed', 'refused')`,
];
