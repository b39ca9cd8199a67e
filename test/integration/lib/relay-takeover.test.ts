import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { watchDelayedEvents } from '../../../lib/events/delayed-events.ts';
import { takeLease } from '../../../lib/events/lease.ts';
import { Outbox } from '../../../lib/events/outbox.ts';
import { publishInOrder } from '../../../lib/events/publish.ts';
import { startRelay } from '../../../lib/events/outbox-relay.ts';
import type { Relay } from '../../../lib/events/outbox-relay.ts';
import { migrate } from '../../../lib/db/migrate.ts';
import { governanceDatabase } from '../../../services/governance/database.ts';
import type { Pool } from '../../../lib/db/db.ts';
import { openPool } from '../../../lib/db/pool.ts';
import { EventsBench } from '../../harness/events.ts';
import { eventually } from '../../harness/eventually.ts';
import { quietLog, testClock, testIds } from '../../harness/runtime.ts';
import { natsUrl } from '../../harness/servers.ts';
import { openTcpProxy } from '../../harness/tcp-proxy.ts';

const RELAY_PROCESS = join(import.meta.dirname, '..', '..', 'harness', 'relay-process.ts');

/** Another takes over within 5 s; slow machines get more before a test fails. */
const PATIENCE_MS = 10_000;

const ASSOCIATIONS = 5;

describe('the relay that leads is lost', function () {
  this.timeout(60_000);
  let bench: EventsBench;
  let children: ChildProcess[] = [];
  let relays: Relay[] = [];
  let pools: pg.Pool[] = [];
  let associations: string[] = [];
  const newId = testIds();
  const outbox = new Outbox('governance', testClock, newId);

  beforeEach(async () => {
    bench = await EventsBench.start('relay-takeover');
    associations = Array.from({ length: ASSOCIATIONS }, newId);
  });
  afterEach(async () => {
    for (const child of children) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    for (const relay of relays) await relay.stop();
    for (const pool of pools) await pool.end();
    [children, relays, pools] = [[], [], []];
    await bench.stop();
  });

  async function startProcess(database_url = bench.test.url): Promise<ChildProcess> {
    const env = { ...process.env, OUTBOX_URL: database_url, OUTBOX_NATS_URL: natsUrl() };
    const child = fork(RELAY_PROCESS, { env });
    children.push(child);
    await once(child, 'message');
    return child;
  }

  function openDb(): Pool {
    const pool = new pg.Pool({ connectionString: bench.test.url, max: 2, pipeline: true });
    pools.push(pool);
    return openPool(pool);
  }

  async function commit(number: number): Promise<void> {
    await bench.db.transaction((tx) => {
      for (const association_id of associations) {
        const data = { member_id: String(number), user_id: 'u' };
        outbox.append(tx, { type: 'member.left', association_id, data });
      }
    });
  }

  async function unpublished(): Promise<number> {
    const [row]: { n: number }[] = await bench.db.rows(
      'SELECT count(*)::integer AS n FROM outbox WHERE published_at IS NULL',
    );
    return row?.n ?? 0;
  }

  const untilAllPublished = () => eventually(async () => expect(await unpublished()).to.equal(0), PATIENCE_MS);

  /** Commits until `until` resolves; gives how many of each association. */
  async function load(until: Promise<unknown>): Promise<number> {
    let goesOn = true;
    void until.finally(() => (goesOn = false));
    let number = 0;
    while (goesOn) {
      await commit(number);
      number += 1;
      await sleep(5);
    }
    return number;
  }

  /** Until an event that is committed from now on is published. */
  async function takeover(): Promise<void> {
    const [row]: { position: bigint }[] = await bench.db.rows('SELECT max(position) AS position FROM outbox');
    await eventually(async () => {
      const [sent]: { at: Date | null }[] = await bench.db.rows(
        'SELECT published_at AS at FROM outbox WHERE position > $1 ORDER BY position LIMIT 1',
        [row?.position.toString()],
      );
      expect(sent?.at ?? null).to.not.equal(null);
    }, PATIENCE_MS);
  }

  async function expectEachOnceAndInOrder(events: number): Promise<void> {
    const expected = Array.from({ length: events }, (_, number) => String(number));
    for (const association of associations) {
      expect((await bench.inStream(association)).map((event) => event.data.member_id)).to.deep.equal(expected);
    }
  }

  it('frozen: another takes over, and order is kept also when it goes on', async () => {
    const leader = await startProcess();
    await commit(0);
    await untilAllPublished();
    await startProcess();
    associations = Array.from({ length: ASSOCIATIONS }, newId);
    const story = async () => {
      await sleep(500);
      leader.kill('SIGSTOP');
      await takeover();
      leader.kill('SIGCONT');
      await sleep(1_000);
    };
    const events = await load(story());
    await untilAllPublished();
    await expectEachOnceAndInOrder(events);
  });

  it('behind a connection that is half open: another takes over, and order is kept', async () => {
    const way = await openTcpProxy(bench.test.url);
    try {
      await startProcess(way.url);
      await commit(0);
      await untilAllPublished();
      await startProcess();
      associations = Array.from({ length: ASSOCIATIONS }, newId);
      const story = async () => {
        await sleep(500);
        way.freeze();
        await takeover();
        await sleep(1_000);
      };
      const events = await load(story());
      await untilAllPublished();
      await expectEachOnceAndInOrder(events);
    } finally {
      way.cut();
    }
  });

  it('and does no more once another has the lease', async () => {
    const former = await takeLease(openDb(), 'former');
    await bench.db.rows(`UPDATE outbox_lease SET expires_at = '-infinity'`);
    relays.push(startRelay({ db: openDb(), bus: bench.bus, outbox: 'x', clock: testClock, log: quietLog }));
    await commit(0);
    await untilAllPublished();
    const lost = await former!.lost.catch((error: unknown) => error);
    expect((lost as Error).message).to.equal('another process has taken the lease');
    const row = { position: 1n, event_id: newId(), association_id: newId(), type: 'member.left', event: '{}' } as const;
    const { published, failure } = await publishInOrder(bench.bus, [row], former!);
    expect([published, failure?.message]).to.deep.equal([[], 'another process has taken the lease']);
    await former!.release();
  });

  it('is not waited for by the server, should its host vanish, nor is one that migrates', async () => {
    type Settings = { name: string; setting: string }[];
    const settings = `SELECT name, setting FROM pg_settings WHERE name LIKE 'tcp%' ORDER BY name`;
    const seen: Settings[] = [];
    class Looks1900000000000 implements MigrationInterface {
      up = async (runner: QueryRunner) => void seen.push((await runner.query(settings)) as Settings);
      down = () => Promise.resolve();
    }
    await migrate(bench.test, [...governanceDatabase.migrations, Looks1900000000000]);
    for (const db of [bench.db, bench.db.batches]) seen.push(await db.rows<Settings[0]>(settings));
    expect(seen).to.have.length(3);
    for (const rows of seen) {
      expect(rows.map(({ name, setting }) => `${name} ${setting}`)).to.deep.equal([
        'tcp_keepalives_count 3',
        'tcp_keepalives_idle 5',
        'tcp_keepalives_interval 2',
        'tcp_user_timeout 10000',
      ]);
    }
  });

  it('says in the log that events are not published, once a minute, and when they are again', async () => {
    let now_ms = Date.now();
    const lines: string[] = [];
    const keep = (message: unknown) => void lines.push(String(message));
    const log = { ...quietLog, error: keep, warn: keep };
    const watch = watchDelayedEvents({ db: openDb(), outbox: 'x', clock: () => new Date(now_ms), log });
    const look = async (later_ms: number) => {
      now_ms += later_ms;
      await watch.run();
      return lines.splice(0);
    };
    await commit(0);
    expect([await look(20_000), watch.areThere()]).to.deep.equal([[], false]);
    expect([await look(20_000), watch.areThere()]).to.deep.equal([['relay: events are not published'], true]);
    expect(await look(5_000)).to.deep.equal([]);
    expect(await look(60_000)).to.deep.equal(['relay: events are not published']);
    relays.push(startRelay({ db: openDb(), bus: bench.bus, outbox: 'x', clock: testClock, log: quietLog }));
    await untilAllPublished();
    expect([await look(5_000), watch.areThere()]).to.deep.equal([['relay: events are published in time again'], false]);
  });
});
