import pg from 'pg';
import type { LedgerDatabase } from '../apparatus/ledger-server.ts';

/** Enough for each to be a tenth of what a table of its own would be, and few to look into. */
const PARTITIONS = 16;

/**
 * Puts hash partitions in the place of the treasury's two large tables, which must be empty: transfers by their chain,
 * that is, by association, and entries by their account. All else is as the migrations made it, but for the primary key
 * of transfers, which has to name the chain as well.
 */
export async function partitionLedger(database: LedgerDatabase): Promise<void> {
  const admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  try {
    for (const statement of [...partitioned('transfers', 'chain_id'), ...TRANSFERS]) await admin.query(statement);
    for (const statement of [...partitioned('entries', 'account_id'), ...ENTRIES]) await admin.query(statement);
    await admin.query(
      `GRANT SELECT, INSERT ON transfers, entries TO ${pg.escapeIdentifier(new URL(database.url).username)}`,
    );
  } finally {
    await admin.end();
  }
}

/** The same columns and checks; no keys, indexes or triggers yet. */
function partitioned(table: string, key: string): string[] {
  return [
    `CREATE TABLE new_${table} (LIKE ${table} INCLUDING CONSTRAINTS) PARTITION BY HASH (${key})`,
    `DROP TABLE ${table}`,
    `ALTER TABLE new_${table} RENAME TO ${table}`,
    ...Array.from(
      { length: PARTITIONS },
      (_, number) =>
        `CREATE TABLE ${table}_${String(number)} PARTITION OF ${table}
         FOR VALUES WITH (MODULUS ${String(PARTITIONS)}, REMAINDER ${String(number)})`,
    ),
    `CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
     FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`,
  ];
}

const TRANSFERS = [
  'ALTER TABLE transfers ADD PRIMARY KEY (id, chain_id), ADD CONSTRAINT transfers_chain UNIQUE (chain_id, seq)',
];

const ENTRIES = [
  'ALTER TABLE entries ADD PRIMARY KEY (account_id, entry_no)',
  'CREATE INDEX entries_of_member ON entries (member_id) WHERE member_id IS NOT NULL',
  `CREATE TRIGGER entries_double_entry AFTER INSERT ON entries
     REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION check_entries()`,
];
