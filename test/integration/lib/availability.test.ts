import { expect } from 'chai';
import pg from 'pg';
import { watchDatabase } from '../../../lib/persistence/availability.ts';
import { createTestDatabase } from '../../support/databases.ts';
import { eventually } from '../../support/eventually.ts';

describe('the availability of a database', () => {
  it('ends by itself when there is no room for files, and begins again with new connections', async () => {
    const database = await createTestDatabase('availability', () => Promise.resolve());
    const role = new URL(database.url).username;
    const admin = new pg.Pool({ connectionString: database.migrationUrl, max: 1 });
    const availability = watchDatabase(database.url);
    const pool = new pg.Pool({ connectionString: database.url, max: 1, Client: availability.Client });
    pool.on('error', () => undefined);
    const session = async () => (await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    try {
      const first = await session();
      await admin.query(`ALTER ROLE ${role} SET temp_file_limit = 0`);
      await eventually(() => expect(availability.fault()?.message).to.contain('temp_file_limit'));
      // Reads over connections that are there go on.
      expect(await session()).to.equal(first);

      await admin.query(`ALTER ROLE ${role} RESET temp_file_limit`);
      await eventually(() => expect(availability.fault()).to.equal(undefined));
      await eventually(async () => expect(await session()).to.not.equal(first));
    } finally {
      await availability.stop();
      await pool.end();
      await admin.end();
      await database.drop();
    }
  });
});
