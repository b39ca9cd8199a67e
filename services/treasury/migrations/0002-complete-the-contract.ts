import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIdempotencyKeys } from '../../../lib/idempotency/table.ts';
import { grantTo } from '../../../lib/db/migrate.ts';

/** All privileges of the service's role, because grantTo() revokes those that were granted before. */
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

/** Adds members of entries, savings, cash for meetings, locks of closures, and idempotency keys. */
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
  // The member whose statement shows the entry. It is not part of the chain, and is never changed.
  'ALTER TABLE entries ADD COLUMN member_id uuid',
  // Existing entries get the member of their transfer, if it has one. The trigger against changes is disabled for this
  // statement only. A service that owns its tables has revoked its own UPDATE privilege, so it is granted again.
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
  // Accounts of the outside world may be below zero, but have no savings.
  `ALTER TABLE accounts ADD COLUMN savings bigint NOT NULL DEFAULT 0,
     ADD CONSTRAINT accounts_savings_held CHECK (savings >= 0 AND (balance >= savings OR savings = 0))`,
];

const CASH = [
  // Null for a deposit to the treasury.
  'ALTER TABLE cash_deposits ADD COLUMN meeting_id uuid',
];

const SEALS = [
  // The locks of associations that are being closed or are closed, by the approval of the closure.
  `CREATE TABLE sealed_associations (
     association_id uuid NOT NULL,
     approval_id uuid NOT NULL,
     -- A lifted lock stays lifted, so that a request that arrives late cannot lock again.
     lifted boolean NOT NULL,
     PRIMARY KEY (association_id, approval_id)
   )`,
];
