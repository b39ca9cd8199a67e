import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createServiceTables } from '../../../lib/db/service-tables.ts';
import { grantTo } from '../../../lib/db/migrate.ts';

/**
 * The privileges of the service's role. They are granted last: if the service migrates with its own role, grantTo()
 * takes REFERENCES from it, which later foreign keys would need.
 */
const PRIVILEGES = {
  associations: 'SELECT, INSERT, UPDATE (member_count)',
  members: 'SELECT, INSERT, UPDATE (display_name, role, status, hands, payout_wallet_id, joined_at)',
  invitations: 'SELECT, INSERT, UPDATE (uses)',
  cycle_bindings: 'SELECT, INSERT, UPDATE (released_at)',
  cycle_binding_members: 'SELECT, INSERT',
  executed_approvals: 'SELECT, INSERT',
  pins: 'SELECT, INSERT, UPDATE (salt, hash, failed_attempts, lock_count, locked_until, set_at), DELETE',
  used_ciphertexts: 'SELECT, INSERT, DELETE',
};

/** Creates associations, members, invitations, bindings of members to cycles, executed approvals and PINs. */
export class CreateTables1767225600000 implements MigrationInterface {
  name = 'CreateTables1767225600000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createServiceTables(queryRunner);
    await createAssociations(queryRunner);
    await createMembers(queryRunner);
    await createInvitations(queryRunner);
    await createCycleBindings(queryRunner);
    await createExecutedApprovals(queryRunner);
    await createPins(queryRunner);
    for (const [table, privileges] of Object.entries(PRIVILEGES)) await grantTo(queryRunner, table, privileges);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE used_ciphertexts, pins, executed_approvals, cycle_binding_members,
      cycle_bindings, invitations, members, associations, outbox, inbox, dead_letters, cursor_keys`);
  }
}

async function createAssociations(queryRunner: QueryRunner): Promise<void> {
  // member_count changes only under the lock on the row. The check is a second protection.
  await queryRunner.query(`
    CREATE TABLE associations (
      id uuid PRIMARY KEY,
      name text NOT NULL,
      description text,
      type text NOT NULL CHECK (type IN ('tontine', 'savings', 'solidarity')),
      status text NOT NULL CHECK (status IN ('active', 'closed')),
      currency text NOT NULL,
      contribution_amount_minor bigint NOT NULL CHECK (contribution_amount_minor > 0),
      contribution_frequency text NOT NULL,
      max_members integer NOT NULL,
      is_public boolean NOT NULL,
      member_count integer NOT NULL,
      rules jsonb NOT NULL,
      rules_version integer NOT NULL CHECK (rules_version >= 1),
      created_at timestamptz NOT NULL,
      CONSTRAINT associations_capacity CHECK (member_count BETWEEN 0 AND max_members)
    )`);
}

async function createMembers(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE TABLE members (
      id uuid PRIMARY KEY,
      association_id uuid NOT NULL REFERENCES associations,
      user_id text NOT NULL,
      display_name text,
      role text NOT NULL CHECK (role IN ('president', 'treasurer', 'secretary', 'member')),
      status text NOT NULL CHECK (status IN ('active', 'left', 'expelled')),
      hands smallint NOT NULL CHECK (hands BETWEEN 1 AND 20),
      payout_wallet_id text,
      joined_at timestamptz NOT NULL,
      CONSTRAINT members_association_user UNIQUE (association_id, user_id)
    )`);
  // There is exactly one president. The index prevents a second one; the service never removes the only one.
  await queryRunner.query(
    `CREATE UNIQUE INDEX members_one_president ON members (association_id)
     WHERE role = 'president' AND status = 'active'`,
  );
  await queryRunner.query(`CREATE INDEX members_in_joined_order ON members (association_id, joined_at, id)`);
  await queryRunner.query(
    `CREATE INDEX members_of_user ON members (user_id, joined_at DESC, id DESC) WHERE status = 'active'`,
  );
}

async function createInvitations(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE TABLE invitations (
      id uuid PRIMARY KEY,
      association_id uuid NOT NULL REFERENCES associations,
      code_hash bytea NOT NULL CONSTRAINT invitations_code UNIQUE,
      created_by_member_id uuid NOT NULL REFERENCES members,
      max_uses integer NOT NULL CHECK (max_uses >= 1),
      uses integer NOT NULL,
      expires_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      CONSTRAINT invitations_uses CHECK (uses BETWEEN 0 AND max_uses)
    )`);
}

async function createCycleBindings(queryRunner: QueryRunner): Promise<void> {
  // If a released row has no members, its release arrived before its binding.
  await queryRunner.query(`
    CREATE TABLE cycle_bindings (
      cycle_id uuid PRIMARY KEY,
      association_id uuid NOT NULL REFERENCES associations,
      bound_at timestamptz NOT NULL,
      released_at timestamptz
    )`);
  await queryRunner.query(
    `CREATE UNIQUE INDEX cycle_bindings_one_open ON cycle_bindings (association_id) WHERE released_at IS NULL`,
  );
  await queryRunner.query(`
    CREATE TABLE cycle_binding_members (
      cycle_id uuid NOT NULL REFERENCES cycle_bindings,
      position integer NOT NULL,
      member_id uuid NOT NULL REFERENCES members,
      hands smallint NOT NULL,
      PRIMARY KEY (cycle_id, position),
      CONSTRAINT cycle_binding_members_once UNIQUE (cycle_id, member_id)
    )`);
}

async function createExecutedApprovals(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE TABLE executed_approvals (
      approval_id uuid PRIMARY KEY,
      association_id uuid NOT NULL,
      status text NOT NULL CHECK (status IN ('done', 'failed')),
      error text,
      executed_at timestamptz NOT NULL
    )`);
}

async function createPins(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE TABLE pins (
      user_id text PRIMARY KEY,
      salt bytea NOT NULL,
      hash bytea NOT NULL,
      failed_attempts integer NOT NULL DEFAULT 0 CHECK (failed_attempts >= 0),
      lock_count integer NOT NULL DEFAULT 0 CHECK (lock_count >= 0),
      locked_until timestamptz,
      set_at timestamptz NOT NULL
    )`);
  // kid is the key that decrypted the ciphertext, null if none did. It decides when the digest can be deleted.
  await queryRunner.query(`
    CREATE TABLE used_ciphertexts (
      digest bytea PRIMARY KEY,
      user_id text NOT NULL,
      kid text,
      used_at timestamptz NOT NULL
    )`);
  await queryRunner.query(`CREATE INDEX used_ciphertexts_by_time ON used_ciphertexts (used_at)`);
}
