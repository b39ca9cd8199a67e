import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { watchDatabase, type Availability } from '../../../lib/db/availability.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/databases.ts';
import { eventually } from '../../harness/eventually.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { QUICK_PROBES } from '../../harness/runtime.ts';
import { openTcpProxy } from '../../harness/tcp-proxy.ts';

/** How long a test observes the database; much longer than two failed probes take. */
const OBSERVATION_MS = 1_000;

describe('the availability of a database', () => {
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
    await alterRole('CONNECTION LIMIT -1');
    await alterRole('RESET ALL');
    await availability.stop();
    await pool.end();
    await admin.end();
    await database.release();
  });

  const alterRole = (change: string) => admin.query(`ALTER ROLE ${new URL(database.url).username} ${change}`);
  const fail = (code: string, message: string, by = pool) =>
    outcomeOf(by.query(`DO $$ BEGIN RAISE EXCEPTION '${message}' USING ERRCODE = '${code}'; END $$`));
  const untilUnavailable = (reason: string) =>
    eventually(() => expect(availability.fault()?.message).to.contain(reason));
  const untilAvailable = () => eventually(() => expect(availability.fault()).to.equal(undefined));

  /** Keeps connections of the pool busy, and expects that the database counts as available. */
  async function staysWhileUsed(connections: number): Promise<void> {
    for (const end_ms = performance.now() + OBSERVATION_MS; performance.now() < end_ms;) {
      await Promise.all(Array.from({ length: connections }, () => pool.query('SELECT pg_sleep(0.05)')));
      expect(availability.fault()).to.equal(undefined);
    }
  }

  it('ends while new sessions cannot write, and after that pools use new connections', async () => {
    const session = async () => (await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
    const first = await session();
    await alterRole('SET default_transaction_read_only = on');
    await untilUnavailable('read-only');
    // Existing connections still serve reads.
    expect(await session()).to.equal(first);

    await alterRole('RESET default_transaction_read_only');
    await untilAvailable();
    await eventually(async () => expect(await session()).to.not.equal(first));
  });

  it('ends for twice as long if writes soon fail again for a reason that the probe does not detect', async () => {
    const proxy = await openTcpProxy(database.url);
    const probed = watchDatabase(proxy.url, QUICK_PROBES);
    const writers = new pg.Pool({ connectionString: database.url, max: 1, Client: probed.Client });
    /** Makes a write fail, and counts the probes, each on a new connection, until the database is available. */
    async function probesUntilAvailable(): Promise<number> {
      const before = proxy.connections();
      const after = Promise.withResolvers<number>();
      // Counts when the database becomes available: the next probe opens another connection.
      probed.onChange((fault) => {
        if (fault === undefined) after.resolve(proxy.connections());
      });
      await fail('53100', 'could not extend file: No space left', writers);
      expect(probed.fault()?.message).to.contain('No space left');
      return (await after.promise) - before;
    }
    try {
      const first = await probesUntilAvailable();
      expect(await probesUntilAvailable()).to.be.above(1.5 * first);
    } finally {
      await probed.stop();
      await writers.end();
      proxy.cut();
    }
  });

  it('continues when the probe cannot connect but the pools still get answers', async () => {
    await Promise.all([pool.query('SELECT pg_sleep(0.1)'), pool.query('SELECT pg_sleep(0.1)')]);
    await alterRole('CONNECTION LIMIT 1');
    await staysWhileUsed(2);
  });

  it('continues after a statement that was too large for the server', async () => {
    expect(await fail('53200', 'out of shared memory')).to.equal('53200');
    await staysWhileUsed(1);
  });

  it('continues under a temp_file_limit that the probe exceeds', async () => {
    await alterRole(`SET temp_file_limit = '64kB'`);
    await sleep(OBSERVATION_MS);
    expect(availability.fault()).to.equal(undefined);
  });

  it('ends when the pools cannot connect either, but running statements finish', async () => {
    const slow = pool.query<{ done: number }>('SELECT 1 AS done, pg_sleep(2)');
    await eventually(() => expect(pool.idleCount + pool.waitingCount).to.equal(0));
    await alterRole('CONNECTION LIMIT 1');
    await outcomeOf(pool.query('SELECT 1'));
    await untilUnavailable('too many connections');
    await alterRole('CONNECTION LIMIT -1');
    await untilAvailable();
    expect((await slow).rows[0]?.done).to.equal(1);
  });
});
