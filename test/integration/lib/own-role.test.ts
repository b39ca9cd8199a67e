import { expect } from 'chai';
import pg from 'pg';
import { loadDatabase } from '../../../cli/catalogue.ts';
import { TABLE_SERVICES } from '../../../lib/config/service-names.ts';
import { withDatabase } from '../../../lib/config/server-urls.ts';
import { migrate } from '../../../lib/db/migrate.ts';
import { adminUrl } from '../../harness/servers.ts';

/**
 * With only its *_DATABASE_URL, a service migrates as its own login role and owns its tables. PostgreSQL checks a foreign
 * key as the owner of the tables, with a row lock that needs SELECT on the referenced table and UPDATE on a column of it.
 */
const BROKEN_REFERENCES = `
  SELECT conname, confrelid::regclass AS refers_to
  FROM pg_constraint
  WHERE contype = 'f' AND NOT (has_table_privilege(confrelid, 'SELECT') AND has_any_column_privilege(confrelid, 'UPDATE'))`;

describe('a service that migrates as its own role', () => {
  for (const service of TABLE_SERVICES) {
    it(`can create its tables and check their foreign keys: ${service}`, async () => {
      const { migrations } = await loadDatabase(service);
      const name = `own_${service}_${String(process.pid)}`;
      const admin = new pg.Client({ connectionString: adminUrl() });
      await admin.connect();
      try {
        await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'own'`);
        await admin.query(`CREATE DATABASE ${name} OWNER ${name}`);
        const url = new URL(withDatabase(adminUrl(), name));
        url.username = name;
        url.password = 'own';
        await migrate({ url: url.href }, migrations);
        // A second start has no migrations to apply.
        await migrate({ url: url.href }, migrations);
        const own = new pg.Client({ connectionString: url.href });
        await own.connect();
        const { rows } = await own.query(BROKEN_REFERENCES);
        await own.end();
        expect(rows).to.deep.equal([]);
      } finally {
        await admin.query(`DROP DATABASE IF EXISTS ${name}`);
        await admin.query(`DROP ROLE IF EXISTS ${name}`);
        await admin.end();
      }
    });
  }
});
