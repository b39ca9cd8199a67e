import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Makes the check of double entry look up each transfer and account by its key. With plain joins, a session that made its
 * plan when the tables were analyzed and nearly empty read all transfers for each batch, until they were analyzed again.
 */
export class CheckEntriesByKey1700000000006 implements MigrationInterface {
  name = 'CheckEntriesByKey1700000000006';

  async up(queryRunner: QueryRunner): Promise<void> {
    // OFFSET 0 prevents the planner from turning the lookups into joins.
    await queryRunner.query(
      checkEntries(`
        LEFT JOIN LATERAL (SELECT seq, currency FROM transfers WHERE id = written.transfer_id OFFSET 0) AS transfers ON true
        LEFT JOIN LATERAL (
          SELECT account_id, money, currency FROM accounts WHERE account_id = written.account_id OFFSET 0
        ) AS accounts ON accounts.currency = transfers.currency AND transfers.seq IS NOT NULL`),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      checkEntries(`
        LEFT JOIN transfers ON transfers.id = written.transfer_id AND transfers.seq IS NOT NULL
        LEFT JOIN accounts ON accounts.account_id = written.account_id AND accounts.currency = transfers.currency`),
    );
  }
}

/** Returns the function of the first migration with these joins. */
function checkEntries(joins: string): string {
  return `CREATE OR REPLACE FUNCTION check_entries() RETURNS trigger LANGUAGE plpgsql
     SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
   DECLARE broken uuid;
   BEGIN
     SELECT written.transfer_id INTO broken
     FROM written ${joins}
     GROUP BY written.transfer_id, accounts.money
     HAVING sum(written.amount) <> 0 OR bool_or(accounts.account_id IS NULL)
     LIMIT 1;
     IF FOUND THEN
       RAISE EXCEPTION 'transfer % is not double entry', broken
         USING ERRCODE = 'check_violation', CONSTRAINT = 'entries_double_entry';
     END IF;
     RETURN NULL;
   END $$`;
}
