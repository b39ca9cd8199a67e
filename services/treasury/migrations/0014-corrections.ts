import type { MigrationInterface, QueryRunner } from 'typeorm';
import { grantTo } from '../../../lib/db/migrate.ts';

/** Adds corrections: the board's requests to reverse a transfer. */
export class Corrections1700000000014 implements MigrationInterface {
  name = 'Corrections1700000000014';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of CORRECTIONS) await queryRunner.query(statement);
    await grantTo(
      queryRunner,
      'corrections',
      'SELECT, INSERT, UPDATE (status, last_attempt_at, decision, decided_at, refusal)',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE corrections');
  }
}

const CORRECTIONS = [
  `CREATE TABLE corrections (
     -- The reversal has the same id.
     id uuid PRIMARY KEY,
     association_id uuid NOT NULL,
     transfer_id uuid NOT NULL,
     kind text NOT NULL,
     amount bigint NOT NULL CHECK (amount > 0),
     currency char(3) NOT NULL,
     reason text NOT NULL,
     member_id uuid,
     reserve_reversal_id uuid NOT NULL UNIQUE,
     status text NOT NULL,
     approval_id uuid NOT NULL UNIQUE,
     requested_by_member_id uuid NOT NULL,
     requested_at timestamptz(3) NOT NULL,
     last_attempt_at timestamptz(3) NOT NULL,
     decision text,
     decided_at timestamptz(3),
     refusal json
   )`,
  // A transfer is reversed once. While a correction of it is not decided, there is no other.
  `CREATE UNIQUE INDEX corrections_once ON corrections (transfer_id)
     WHERE status NOT IN ('refused', 'rejected', 'failed')`,
  `CREATE INDEX corrections_of_association ON corrections (association_id, id NULLS FIRST)
     WHERE status NOT IN ('recording', 'refused')`,
  `CREATE INDEX corrections_of_member ON corrections (association_id, member_id)
     WHERE status NOT IN ('done', 'rejected', 'failed', 'refused')`,
  `CREATE INDEX corrections_unfinished ON corrections (last_attempt_at)
     WHERE status NOT IN ('pending_approval', 'done', 'rejected', 'failed', 'refused')`,
];
