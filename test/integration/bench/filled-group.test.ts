import { expect } from 'chai';
import pg from 'pg';
import {
  fillMembership,
  fillPaidRound,
  fillRotation,
  fillWallets,
  groupOf,
} from '../../../bench/harness/filled-group.ts';
import type { DatabaseDefinition } from '../../../lib/db/database.ts';
import { migrate } from '../../../lib/db/migrate.ts';
import { contributionDatabase } from '../../../services/contribution/database.ts';
import { membershipDatabase } from '../../../services/membership/database.ts';
import { treasuryDatabase } from '../../../services/treasury/database.ts';
import { createTestDatabase } from '../../harness/databases.ts';

describe('the groups that the benchmark writes into the databases', () => {
  const group = groupOf(3);
  const cases: [service: string, DatabaseDefinition, (tables: pg.Pool) => Promise<unknown>, rows: string][] = [
    ['membership', membershipDatabase, (tables) => fillMembership(tables, group), 'members'],
    ['treasury', treasuryDatabase, (tables) => fillWallets(tables, group.members), 'wallets'],
    ['contribution', contributionDatabase, (tables) => fillPaidRound(tables, group), 'contributions'],
    ['contribution', contributionDatabase, (tables) => fillRotation(tables, group), 'meetings'],
  ];

  for (const [service, definition, fill, rows] of cases) {
    it(`match the tables of ${service}: ${rows}`, async () => {
      const database = await createTestDatabase(service, (made) => migrate(made, definition.migrations));
      const tables = new pg.Pool({ connectionString: database.migrationUrl, max: 1 });
      try {
        await fill(tables);
        expect((await tables.query(`SELECT FROM ${rows}`)).rowCount).to.equal(group.members.length);
      } finally {
        await tables.end();
        await database.release();
      }
    });
  }
});
