import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { watchDelayedEvents } from '../../../lib/events/delayed-events.ts';
import { takeLease } from '../../../lib/events/lease.ts';
import { publishInOrder } from '../../../lib/events/publish.ts';
import { migrate } from '../../../lib/db/migrate.ts';
import { runInTurn } from '../../../lib/service/recurring-job.ts';
import { governanceDatabase } from '../../../services/governance/database.ts';
import { EventsHarness } from '../../harness/events.ts';
import { eventually } from '../../harness/eventually.ts';
import { startProcess, type Started } from '../../harness/process.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { quietLog } from '../../harness/runtime.ts';
import { natsUrl } from '../../harness/servers.ts';
import { openTcpProxy } from '../../harness/tcp-proxy.ts';

const RELAY_PROCESS = join(import.meta.dirname, '..', '..', 'harness', 'relay-process.ts');

/** Another relay takes over within 5 s; slow machines get more time. */
const TAKEOVER_MAX_MS = 10_000;

const ASSOCIATIONS = 5;

describe('the takeover from a leading relay that is lost', function () {
  this.timeout(60_000);
  let harness: EventsHarness;
  const children: Started[] = [];

  beforeEach(async () => {
    harness = await EventsHarness.start('relay-takeover');
  });
  afterEach(async () => {
    for (const child of children.splice(0)) await child.end('SIGKILL');
    await harness.stop();
  });

  async function startRelayProcess(database_url = harness.test.url): Promise<Started> {
    const env = { ...process.env, OUTBOX_URL: database_url, OUTBOX_NATS_URL: natsUrl() };
    const started = startProcess([RELAY_PROCESS], { env, ipc: true });
    children.push(started);
    await once(started.child, 'message');
    return started;
  }

  /** Starts a process whose relay leads, and one whose relay follows. */
  async function startLeaderAndFollower(leader_url?: string): Promise<Started> {
    const leader = await startRelayProcess(leader_url);
    await harness.commit(harness.newId(), 'first');
    await harness.untilAllPublished();
    await startRelayProcess();
    return leader;
  }

  /** Waits until an event that is committed from now on is published. */
  async function takeover(): Promise<void> {
    const [row]: { position: bigint }[] = await harness.db.rows('SELECT max(position) AS position FROM outbox');
    await eventually(async () => {
      const published = await harness.db.run(
        'SELECT FROM outbox WHERE position > $1 AND published_at IS NOT NULL LIMIT 1',
        [row?.position.toString()],
      );
      expect(published).to.equal(1);
    }, TAKEOVER_MAX_MS);
  }

  /**
   * Commits numbered events of several associations while the leader is lost, another relay takes over and the former
   * leader may continue. Expects each event once and in order.
   */
  async function expectOrderWhile(lose: () => void, goOn: () => void = () => undefined): Promise<void> {
    const associations = Array.from({ length: ASSOCIATIONS }, harness.newId);
    let isOver = false;
    const over = (async () => {
      await sleep(500);
      lose();
      await takeover();
      goOn();
      await sleep(1_000);
    })().finally(() => (isOver = true));
    const numbers: string[] = [];
    while (!isOver) {
      const number = String(numbers.length);
      await harness.commit(associations, number);
      numbers.push(number);
      await sleep(5);
    }
    await over;
    await harness.untilAllPublished();
    for (const association of associations) {
      expect((await harness.inStream(association)).map((event) => event.data.member_id)).to.deep.equal(numbers);
    }
  }

  it('keeps the order of events when the leader freezes, even if it continues later', async () => {
    const { child } = await startLeaderAndFollower();
    await expectOrderWhile(
      () => child.kill('SIGSTOP'),
      () => child.kill('SIGCONT'),
    );
  });

  it('keeps the order of events when the database connection of the leader is half open', async () => {
    const proxy = await openTcpProxy(harness.test.url);
    try {
      await startLeaderAndFollower(proxy.url);
      await expectOrderWhile(() => proxy.freeze());
    } finally {
      proxy.cut();
    }
  });

  it('prevents the former leader from publishing after another process has taken the lease', async () => {
    const former = (await takeLease(harness.openDb(), 'former'))!;
    await harness.db.run(`UPDATE outbox_lease SET expires_at = '-infinity'`);
    harness.startRelay();
    await harness.commit(harness.newId(), 'm');
    await harness.untilAllPublished();
    expect(await outcomeOf(former.lost)).to.equal('another process has taken the lease');
    const event_id = harness.newId();
    const association_id = harness.newId();
    const row = { position: 1n, event_id, association_id, type: 'member.left', event: '{}' } as const;
    const { published, failure } = await publishInOrder(harness.bus, [row], former);
    expect([published, failure?.message]).to.deep.equal([[], 'another process has taken the lease']);
    await former.release();
  });

  it('is not delayed by a host that vanished: all connections have short TCP timeouts, including those of migrations', async () => {
    type Settings = { name: string; setting: string }[];
    const settings = `SELECT name, setting FROM pg_settings WHERE name LIKE 'tcp%' ORDER BY name`;
    const seen: Settings[] = [];
    class Looks1900000000000 implements MigrationInterface {
      up = async (runner: QueryRunner) => void seen.push((await runner.query(settings)) as Settings);
      down = () => Promise.resolve();
    }
    await migrate(harness.test, [...governanceDatabase.migrations, Looks1900000000000]);
    for (const db of [harness.db, harness.db.batches]) seen.push(await db.rows<Settings[0]>(settings));
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

  it('the log reports once a minute that events are not published, and later that they are published again', async () => {
    let now_ms = Date.now();
    const lines: string[] = [];
    const keep = (message: unknown) => void lines.push(String(message));
    const log = { ...quietLog, error: keep, warn: keep };
    const watch = watchDelayedEvents({ db: harness.openDb(), outbox: 'x', clock: () => new Date(now_ms), log });
    const look = async (later_ms: number) => {
      now_ms += later_ms;
      await runInTurn([watch]);
      return lines.splice(0);
    };
    await harness.commit(harness.newId(), 'm');
    expect([await look(20_000), watch.hasAny()]).to.deep.equal([[], false]);
    expect([await look(20_000), watch.hasAny()]).to.deep.equal([['relay: events are not published'], true]);
    expect(await look(5_000)).to.deep.equal([]);
    expect(await look(60_000)).to.deep.equal(['relay: events are not published']);
    harness.startRelay();
    await harness.untilAllPublished();
    expect([await look(5_000), watch.hasAny()]).to.deep.equal([['relay: events are published in time again'], false]);
  });
});
