import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import type { Bus } from '../../../lib/events/bus.ts';
import { Outbox } from '../../../lib/events/outbox.ts';
import { startRelay } from '../../../lib/events/outbox-relay.ts';
import type { Relay } from '../../../lib/events/outbox-relay.ts';
import { openPool } from '../../../lib/db/pool.ts';
import { EventsBench } from '../../harness/events.ts';
import { eventually } from '../../harness/eventually.ts';
import { quietLog, testClock, testIds } from '../../harness/runtime.ts';

/** Longer than any test: what is published was told of. */
const NEVER_MS = 3_600_000;

/** A few times what words and readings are gathered for. */
const WHILE_MS = 100;

describe('the relays of an outbox', function () {
  this.timeout(30_000);
  let bench: EventsBench;
  let relays: Relay[] = [];
  let pools: pg.Pool[] = [];
  const newId = testIds();
  const outbox = new Outbox('governance', testClock, newId);

  before(async () => {
    bench = await EventsBench.start('relay-test');
  });
  afterEach(async () => {
    for (const relay of relays) await relay.stop();
    for (const pool of pools) await pool.end();
    [relays, pools] = [[], []];
  });
  after(() => bench.stop());

  /** Each as in a process of its own, with a pool of its own. */
  function start(more: { bus?: Bus; poll_ms?: number } = {}): { relay: Relay; pool: pg.Pool } {
    const pool = new pg.Pool({ connectionString: bench.test.url, max: 2, pipeline: true });
    const of = { db: openPool(pool), outbox: 'relay-test', clock: testClock, log: quietLog };
    const relay = startRelay({ bus: bench.bus, poll_ms: NEVER_MS, ...of, ...more });
    relays.push(relay);
    pools.push(pool);
    return { relay, pool };
  }

  async function commit(association_id: string): Promise<void> {
    await bench.db.transaction((tx) => {
      outbox.append(tx, { type: 'member.left', association_id, data: { member_id: newId(), user_id: 'u' } });
    });
  }

  async function isSent(association_id: string): Promise<boolean> {
    const rows: { sent: boolean }[] = await bench.db.rows(
      'SELECT published_at IS NOT NULL AS sent FROM outbox WHERE association_id = $1',
      [association_id],
    );
    return rows.length > 0 && rows.every(({ sent }) => sent);
  }

  const untilSent = (association: string) => eventually(async () => expect(await isSent(association)).to.equal(true));

  /** Until the first one leads, which it then does to the end. */
  async function startLeader(more: { bus?: Bus; poll_ms?: number } = {}): Promise<Relay> {
    const first = newId();
    await commit(first);
    const { relay } = start(more);
    await untilSent(first);
    return relay;
  }

  it('send what the one that leads is told of in its own process', async () => {
    const leader = await startLeader();
    const association = newId();
    await commit(association);
    leader.notify();
    await untilSent(association);
  });

  it('send what the others tell the one that leads', async () => {
    await startLeader();
    const { relay: follower } = start();
    for (let turn = 0; turn < 5; turn += 1) {
      const association = newId();
      await commit(association);
      follower.notify();
      await untilSent(association);
    }
  });

  it('find what they were not told of', async () => {
    await startLeader({ poll_ms: WHILE_MS });
    const association = newId();
    await commit(association);
    await untilSent(association);
  });

  it('say once more after many commits, and not for each', async () => {
    await startLeader();
    const { relay: follower } = start();
    let words = 0;
    const heard = bench.bus.connection.subscribe('outbox.wake.relay-test', { callback: () => (words += 1) });
    for (let commits = 0; commits < 100; commits += 1) follower.notify();
    await eventually(() => expect(words).to.equal(2));
    await sleep(WHILE_MS);
    await bench.bus.connection.flush();
    expect(words).to.equal(2);
    heard.unsubscribe();
  });

  it('send before a stop what was committed before it', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const leader = await startLeader();
      const association = newId();
      await commit(association);
      leader.notify();
      // As when the wake has ended a rest already, and not, by turns.
      if (turn % 2 === 0) await Promise.resolve();
      await leader.stop();
      expect(await isSent(association)).to.equal(true);
    }
  });

  it('keep no other association waiting, nor forget what was sent, when one event cannot be', async () => {
    const [stuck, other] = [newId(), newId()];
    let tries = 0;
    const sent: string[] = [];
    const publish: Bus['jetstream']['publish'] = async (subject, ...more) => {
      if (subject.includes(stuck)) {
        tries += 1;
        if (tries < 3) throw new Error('maximum payload exceeded');
      }
      sent.push(subject);
      return await bench.bus.jetstream.publish(subject, ...more);
    };
    const jetstream = Object.assign(Object.create(bench.bus.jetstream) as Bus['jetstream'], { publish });
    await startLeader({ bus: { ...bench.bus, jetstream } });
    const leader = relays[0]!;
    await commit(stuck);
    await commit(stuck);
    await commit(other);
    leader.notify();
    await untilSent(other);
    await untilSent(stuck);
    expect(tries).to.equal(4);
    expect(sent.filter((subject) => subject.includes(other))).to.have.length(1);
  });

  it('keep no process busy whose relay does not lead', async () => {
    await startLeader();
    const { relay: follower, pool } = start();
    let connections = 0;
    pool.on('connect', () => (connections += 1));
    for (let turn = 0; turn < 20; turn += 1) {
      follower.notify();
      await sleep(20);
    }
    // It tries to lead once a second.
    expect(connections).to.be.at.most(2);
  });
});
