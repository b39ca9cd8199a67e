import { SERVICE_TABLES, type SqlMigration } from '@association-service/contracts/subscriber';

/** The steps to the current schema, oldest first. Never change a released step: add another one. */
export const MIGRATIONS: readonly SqlMigration[] = [
  {
    name: '0001-create-tables',
    statements: [
      ...SERVICE_TABLES,
      `CREATE TABLE paid_totals (
        association_id uuid PRIMARY KEY,
        contributions integer NOT NULL,
        amount_minor bigint NOT NULL,
        currency text NOT NULL
      )`,
    ],
  },
];
