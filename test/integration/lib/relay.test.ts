import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { ErrorCode, NatsError } from 'nats';
import pg from 'pg';
import type { StreamBus } from '../../../lib/events/stream.ts';
import { openPool } from '../../../lib/db/pool.ts';
import type { Relay, RelayParts } from '../../../lib/events/outbox-relay.ts';
import { EventsHarness } from '../../harness/events.ts';
import { eventually } from '../../harness/eventually.ts';
import { quietLog } from '../../harness/runtime.ts';

/** Longer than any test, so that only a notification makes a relay publish. */
const NEVER_MS = 3_600_000;

/** Several times the interval between notifications. */
const SHORT_WAIT_MS = 100;

describe('the relays of an outbox', function () {
  this.timeout(30_000);
  let harness: EventsHarness;

  before(async () => {
    harness = await EventsHarness.start('relay-test');
  });
  afterEach(() => harness.reset());
  after(() => harness.stop());

  const start = (more: Partial<RelayParts> = {}) => harness.startRelay({ poll_ms: NEVER_MS, ...more });

  /** Commits an event, and returns its association. */
  async function commit(): Promise<string> {
    const association = harness.newId();
    await harness.commit(association, 'm');
    return association;
  }

  /** Starts the relay that leads for the rest of the test. */
  async function startLeader(more: Partial<RelayParts> = {}): Promise<Relay> {
    const first = await commit();
    const leader = start(more);
    await harness.untilAllPublished(first);
    return leader;
  }

  it('do not publish events of a transaction that was rolled back', async () => {
    const rolledBack = harness.db.transaction((tx) => {
      const data = { member_id: 'm', user_id: 'u' };
      harness.outbox.append(tx, { type: 'member.left', association_id: harness.newId(), data });
      throw new Error('the change failed');
    });
    await rolledBack.catch(() => undefined);
    expect(await harness.areAllPublished()).to.equal(true);
  });

  it('publish an event when the process of the leader notifies it', async () => {
    const leader = await startLeader();
    const association = await commit();
    leader.notify();
    await harness.untilAllPublished(association);
  });

  it('say that the stream exists but accepts nothing, if no server takes what they publish', async () => {
    const association = await commit();
    let failures = 6;
    const jetstream = Object.create(harness.bus.jetstream) as StreamBus['jetstream'];
    jetstream.publish = (...event) =>
      failures-- > 0
        ? Promise.reject(NatsError.errorForCode(ErrorCode.NoResponders))
        : harness.bus.jetstream.publish(...event);
    const lines: unknown[] = [];
    const log = { ...quietLog, error: (line: unknown) => void lines.push(line) };
    start({ bus: { ...harness.bus, jetstream }, log });
    await harness.untilAllPublished(association);
    expect(lines.slice(0, 4)).to.deep.equal(Array<string>(4).fill('relay: events wait in the outbox'));
    expect(lines.slice(4).map((line) => (line as string).slice(0, 51))).to.deep.equal(
      Array<string>(2).fill('relay: the stream exists but accepts no events: see'),
    );
  });

  it('publish an event when another process notifies the leader', async () => {
    await startLeader();
    const follower = start();
    for (let turn = 0; turn < 5; turn += 1) {
      const association = await commit();
      follower.notify();
      await harness.untilAllPublished(association);
    }
  });

  it('publish an event without a notification when they poll', async () => {
    await startLeader({ poll_ms: SHORT_WAIT_MS });
    await harness.untilAllPublished(await commit());
  });

  it('send only two notifications for a burst of commits, the second after the last commit', async () => {
    await startLeader();
    const follower = start();
    let notifications = 0;
    const { connection } = harness.bus;
    const received = connection.subscribe('outbox.wake.relay-test', { callback: () => (notifications += 1) });
    for (let commits = 0; commits < 100; commits += 1) follower.notify();
    await eventually(() => expect(notifications).to.equal(2));
    await sleep(SHORT_WAIT_MS);
    await connection.flush();
    expect(notifications).to.equal(2);
    received.unsubscribe();
  });

  it('publish all events that were committed before a stop before they stop', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const leader = await startLeader();
      const association = await commit();
      leader.notify();
      // In every other turn, the notification ends the wait before the stop does.
      if (turn % 2 === 0) await Promise.resolve();
      await leader.stop();
      expect(await harness.areAllPublished(association)).to.equal(true);
    }
  });

  it('publish the events of other associations once while an event cannot be published', async () => {
    const stuck = harness.newId();
    const other = harness.newId();
    let attempts = 0;
    const published: string[] = [];
    const publish: StreamBus['jetstream']['publish'] = async (subject, ...more) => {
      if (subject.includes(stuck)) {
        attempts += 1;
        if (attempts < 3) throw new Error('maximum payload exceeded');
      }
      published.push(subject);
      return await harness.bus.jetstream.publish(subject, ...more);
    };
    const jetstream = Object.assign(Object.create(harness.bus.jetstream) as StreamBus['jetstream'], { publish });
    const leader = await startLeader({ bus: { ...harness.bus, jetstream } });
    await harness.commit([stuck, stuck, other], 'm');
    leader.notify();
    await harness.untilAllPublished();
    expect(attempts).to.equal(4);
    expect(published.filter((subject) => subject.includes(other))).to.have.length(1);
  });

  it('use few connections while they do not lead', async () => {
    await startLeader();
    const pool = new pg.Pool({ connectionString: harness.test.url, max: 2, pipeline: true });
    const follower = start({ db: openPool(pool) });
    let connections = 0;
    pool.on('connect', () => (connections += 1));
    for (let turn = 0; turn < 20; turn += 1) {
      follower.notify();
      await sleep(20);
    }
    // A follower tries to get the lease every 500 ms.
    expect(connections).to.be.at.most(2);
    await follower.stop();
    await pool.end();
  });
});
