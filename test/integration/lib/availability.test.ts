import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { watchDatabase } from '../../../lib/db/availability.ts';
import type { Availability } from '../../../lib/db/availability.ts';
import { createTestDatabase } from '../../harness/databases.ts';
import { eventually } from '../../harness/eventually.ts';
import { QUICK_PROBES } from '../../harness/runtime.ts';
import type { TestDatabase } from '../../harness/databases.ts';

describe('the availability of a database', () => {
  it('ends when new sessions cannot write, and returns with new connections', async () => {
    const database = await createTestDatabase('availability', () => Promise.resolve());
    const role = new URL(database.url).username;
    const admin = new pg.Pool({ connectionString: database.migrationUrl, max: 1 });
    const availability = watchDatabase(database.url, QUICK_PROBES);
    const pool = new pg.Pool({ connectionString: database.url, max: 1, Client: availability.Client });
    pool.on('error', () => undefined);
    const session = async () => (await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    try {
      const first = await session();
      await admin.query(`ALTER ROLE ${role} SET default_transaction_read_only = on`);
      await eventually(() => expect(availability.fault()?.message).to.contain('read-only'));
      // Reads over connections that are there go on.
      expect(await session()).to.equal(first);

      await admin.query(`ALTER ROLE ${role} RESET default_transaction_read_only`);
      await eventually(() => expect(availability.fault()).to.equal(undefined));
      await eventually(async () => expect(await session()).to.not.equal(first));
    } finally {
      await availability.stop();
      await pool.end();
      await admin.end();
      await database.drop();
    }
  });

  it('ends for twice as long when writes are soon refused again for a reason that the probe does not see', async () => {
    const database = await createTestDatabase('availability', () => Promise.resolve());
    const availability = watchDatabase(database.url, QUICK_PROBES);
    const pool = new pg.Pool({ connectionString: database.url, max: 1, Client: availability.Client });
    pool.on('error', () => undefined);
    const refuse = `DO $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left' USING ERRCODE = '53100'; END $$`;
    async function awayFor(): Promise<number> {
      await pool.query(refuse).catch(() => undefined);
      const began_ms = performance.now();
      expect(availability.fault()?.message).to.contain('No space left');
      await eventually(() => expect(availability.fault()).to.equal(undefined));
      return performance.now() - began_ms;
    }
    try {
      const first_ms = await awayFor();
      expect(await awayFor()).to.be.above(1.5 * first_ms);
    } finally {
      await availability.stop();
      await pool.end();
      await database.drop();
    }
  });

  describe('while its pools are served', () => {
    /** Much longer than two failed probes take. */
    const LOOK_MS = 1_000;
    let database: TestDatabase;
    let admin: pg.Pool;
    let availability: Availability;
    let pool: pg.Pool;

    beforeEach(async () => {
      database = await createTestDatabase('availability', () => Promise.resolve());
      admin = new pg.Pool({ connectionString: database.migrationUrl, max: 1 });
      availability = watchDatabase(database.url, QUICK_PROBES);
      pool = new pg.Pool({ connectionString: database.url, max: 2, Client: availability.Client });
      pool.on('error', () => undefined);
    });
    afterEach(async () => {
      // The databases of a run share the role.
      await admin.query(`ALTER ROLE ${new URL(database.url).username} CONNECTION LIMIT -1`);
      await admin.query(`ALTER ROLE ${new URL(database.url).username} RESET temp_file_limit`);
      await availability.stop();
      await pool.end();
      await admin.end();
      await database.drop();
    });

    it('goes on when the probe gets no connection any more', async () => {
      const role = new URL(database.url).username;
      await Promise.all([pool.query('SELECT pg_sleep(0.1)'), pool.query('SELECT pg_sleep(0.1)')]);
      await admin.query(`ALTER ROLE ${role} CONNECTION LIMIT 1`);
      for (const end_ms = performance.now() + LOOK_MS; performance.now() < end_ms;) {
        await Promise.all([pool.query('SELECT pg_sleep(0.05)'), pool.query('SELECT pg_sleep(0.05)')]);
        expect(availability.fault()).to.equal(undefined);
      }
    });

    it('goes on after a statement that was too large for the server', async () => {
      const tooLarge = `DO $$ BEGIN RAISE EXCEPTION 'out of shared memory' USING ERRCODE = '53200'; END $$`;
      expect(await pool.query(tooLarge).catch((error: Error) => error.message)).to.equal('out of shared memory');
      for (const end_ms = performance.now() + LOOK_MS; performance.now() < end_ms;) {
        await pool.query('SELECT pg_sleep(0.05)');
        expect(availability.fault()).to.equal(undefined);
      }
    });

    it('goes on under a temp_file_limit that its probe exceeds', async () => {
      await admin.query(`ALTER ROLE ${new URL(database.url).username} SET temp_file_limit = '64kB'`);
      await sleep(LOOK_MS);
      expect(availability.fault()).to.equal(undefined);
    });

    it('ends when the pools get no connection either, and cuts nothing that is under way', async () => {
      const role = new URL(database.url).username;
      const slow = pool.query<{ done: number }>('SELECT 1 AS done, pg_sleep(2)');
      await eventually(() => expect(pool.idleCount + pool.waitingCount).to.equal(0));
      await admin.query(`ALTER ROLE ${role} CONNECTION LIMIT 1`);
      await pool.query('SELECT 1').catch(() => undefined);
      await eventually(() => expect(availability.fault()?.message).to.contain('too many connections'));
      await admin.query(`ALTER ROLE ${role} CONNECTION LIMIT -1`);
      await eventually(() => expect(availability.fault()).to.equal(undefined));
      expect((await slow).rows[0]?.done).to.equal(1);
    });
  });
});
