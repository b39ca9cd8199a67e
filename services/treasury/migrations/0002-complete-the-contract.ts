import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIdempotencyKeys } from '../../../lib/idempotency/table.ts';
import { grantTo } from '../../../lib/db/migrate.ts';

/** What the service's role may do, all of it anew: grantTo() takes back what was granted before. */
const PRIVILEGES = {
  chains: 'SELECT, INSERT, UPDATE (seq, hash)',
  accounts: 'SELECT, INSERT, UPDATE (balance, savings, entry_count)',
  transfers: 'SELECT, INSERT',
  entries: 'SELECT, INSERT',
  wallets: 'SELECT, INSERT',
  wallet_funding: 'SELECT, INSERT, DELETE',
  cash_deposits: 'SELECT, INSERT, UPDATE (status, touched_at, decision, refusal)',
  distributions:
    'SELECT, INSERT, UPDATE (status, reserved_emoney, reserved_cash, touched_at, decision, decided_at, refusal)',
  sealed_associations: 'SELECT, INSERT, UPDATE (lifted)',
};

/** What each entry is about, savings, cash for a meeting, seals, idempotency keys. */
export class CompleteTheContract1700000000002 implements MigrationInterface {
  name = 'CompleteTheContract1700000000002';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIdempotencyKeys(queryRunner);
    for (const statement of [...MEMBERS, ...SAVINGS, ...CASH, ...SEALS]) await queryRunner.query(statement);
    for (const [table, privileges] of Object.entries(PRIVILEGES)) await grantTo(queryRunner, table, privileges);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE idempotency_keys, sealed_associations');
    await queryRunner.query('ALTER TABLE cash_deposits DROP COLUMN meeting_id');
    await queryRunner.query('ALTER TABLE accounts DROP COLUMN savings');
    await queryRunner.query('ALTER TABLE entries DROP COLUMN member_id');
  }
}

const MEMBERS = [
  // Whose statement an entry is on. It is no part of the chain, and is written once like all of the entry.
  'ALTER TABLE entries ADD COLUMN member_id uuid',
  // What was posted before is about the member of its transfer, where it had one. The guard against changes gives way
  // to this one statement; a service that owns its tables has taken the right to UPDATE from itself.
  'ALTER TABLE entries DISABLE TRIGGER entries_append_only',
  'GRANT UPDATE ON entries TO CURRENT_USER',
  `UPDATE entries SET member_id = transfers.member_id FROM transfers
   WHERE transfers.id = entries.transfer_id AND transfers.association_id IS NOT NULL AND transfers.member_id IS NOT NULL
     AND (starts_with(entries.account_id, 'wallet:')
          OR entries.account_id = transfers.chain_id || '/cash_funding')`,
  'ALTER TABLE entries ENABLE TRIGGER entries_append_only',
  `CREATE INDEX entries_of_member ON entries (member_id) WHERE member_id IS NOT NULL`,
];

const SAVINGS = [
  // Balances of the outside world may be below zero, but hold no savings.
  `ALTER TABLE accounts ADD COLUMN savings bigint NOT NULL DEFAULT 0,
     ADD CONSTRAINT accounts_savings_held CHECK (savings >= 0 AND (balance >= savings OR savings = 0))`,
];

const CASH = [
  // Null: it is for the treasury.
  'ALTER TABLE cash_deposits ADD COLUMN meeting_id uuid',
];

const SEALS = [
  // Associations that are being closed, or are: each by the approvals that want it so.
  `CREATE TABLE sealed_associations (
     association_id uuid NOT NULL,
     approval_id uuid NOT NULL,
     -- A seal that was lifted stays so: one that is asked for late must not stand.
     lifted boolean NOT NULL,
     PRIMARY KEY (association_id, approval_id)
   )`,
];
