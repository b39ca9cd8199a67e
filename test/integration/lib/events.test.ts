import { expect } from 'chai';
import type { Bus } from '../../../lib/events/bus.ts';
import { Outbox } from '../../../lib/events/outbox.ts';
import { startRelay } from '../../../lib/events/outbox-relay.ts';
import type { Relay } from '../../../lib/events/outbox-relay.ts';
import { STREAM } from '../../../lib/contracts/events.ts';
import type { Database } from '../../../lib/db/database.ts';
import { EventsBench } from '../../harness/events.ts';
import type { HandleLeft } from '../../harness/events.ts';
import { eventually } from '../../harness/eventually.ts';
import { quietLog, testClock, testIds } from '../../harness/runtime.ts';

describe('events', function () {
  this.timeout(30_000);
  let bench: EventsBench;
  let db: Database;
  let bus: Bus;
  let relay: Relay;
  const newId = testIds();
  const outbox = new Outbox('governance', testClock, newId);

  before(async () => {
    bench = await EventsBench.start('events-test');
    ({ db, bus } = bench);
    relay = startRelay({ db, bus, outbox: 'events-test', clock: testClock, log: quietLog });
  });
  afterEach(() => bench.stopFollowing());
  after(async () => {
    await relay.stop();
    await bench.stop();
  });

  const left = (association_id: string, member_id: string) =>
    ({ type: 'member.left', association_id, data: { member_id, user_id: 'u' } }) as const;

  async function tell(association_id: string, ...members: string[]): Promise<void> {
    await db.transaction((tx) => {
      for (const member of members) outbox.append(tx, left(association_id, member));
    });
    relay.notify();
  }

  const follow = (durable: string, handle: HandleLeft): void => bench.follow(durable, handle);

  it('come once each and in order for each association', async () => {
    const [one, two] = [newId(), newId()];
    const seen: Record<string, string[]> = { [one]: [], [two]: [] };
    follow(`order-${newId()}`, (event) => {
      seen[event.subject ?? '']?.push(event.data.member_id);
      return Promise.resolve();
    });
    const numbers = Array.from({ length: 50 }, (_, index) => String(index));
    for (const number of numbers) await Promise.all([tell(one, number), tell(two, number)]);
    await eventually(() => expect([seen[one]?.length, seen[two]?.length]).to.deep.equal([50, 50]));
    expect(seen[one]).to.deep.equal(numbers);
    expect(seen[two]).to.deep.equal(numbers);
  });

  it('do not hold up a stop that comes while one of them is being handled', async () => {
    let begin = () => {};
    let go = () => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const gone = new Promise<void>((resolve) => (go = resolve));
    follow(`stop-${newId()}`, () => {
      begin();
      return gone;
    });
    await tell(newId(), 'm');
    await begun;
    const stopped = bench.subscribers.pop()?.stop();
    go();
    await stopped;
  });

  it('do not exist without their change', async () => {
    const association = newId();
    const failed = db.transaction((tx) => {
      outbox.append(tx, left(association, 'm'));
      throw new Error('the change failed');
    });
    await failed.catch(() => undefined);
    const rows: unknown[] = await db.rows('SELECT 1 FROM outbox WHERE association_id = $1', [association]);
    expect(rows).to.deep.equal([]);
  });

  it('stay in the outbox, marked once the stream has them', async () => {
    const association = newId();
    await tell(association, 'm');
    await eventually(async () => {
      const rows: { sent: boolean }[] = await db.rows(
        'SELECT published_at IS NOT NULL AS sent FROM outbox WHERE association_id = $1',
        [association],
      );
      expect(rows).to.deep.equal([{ sent: true }]);
    });
  });

  it('take effect once though the stream brings them again', async () => {
    const [association, durable] = [newId(), `again-${newId()}`];
    let effects = 0;
    follow(durable, (event) => {
      if (event.subject === association) effects += 1;
      return Promise.resolve();
    });
    await tell(association, 'm');
    await eventually(() => expect(effects).to.equal(1));
    // The relay makes it anew from the outbox; its duplicate window knows nothing of what was sent before.
    await bus.manager.streams.delete(STREAM);
    await eventually(async () => expect(await bench.inStream(association)).to.have.length(1));
    await tell(association, 'after');
    await eventually(() => expect(effects).to.equal(2));
  });

  it('are applied and marked as seen in one transaction', async () => {
    const [association, durable] = [newId(), `atomic-${newId()}`];
    let deliveries = 0;
    follow(durable, (event, tx) => {
      if (event.subject !== association) return;
      deliveries += 1;
      outbox.append(tx, { type: 'approval.expired', association_id: association, data: fact });
      if (deliveries === 1) throw new Error('after the effect, before the commit');
    });
    await tell(association, 'm');
    await eventually(async () => {
      const rows: unknown[] = await db.rows(
        `SELECT 1 FROM outbox WHERE association_id = $1 AND type = 'approval.expired'`,
        [association],
      );
      expect([deliveries, rows.length]).to.deep.equal([2, 1]);
    });
  });

  it('end in dead_letters when they keep failing, and let the next one pass', async () => {
    const [association, durable] = [newId(), `dead-${newId()}`];
    const passed: string[] = [];
    follow(durable, (event) => {
      if (event.subject !== association) return Promise.resolve();
      if (event.data.member_id === 'poison') return Promise.reject(new Error('cannot take this'));
      passed.push(event.data.member_id);
      return Promise.resolve();
    });
    await tell(association, 'poison', 'next');
    await eventually(() => expect(passed).to.deep.equal(['next']));
    const rows: { error: string; deliveries: number }[] = await db.rows(
      'SELECT error, deliveries FROM dead_letters WHERE consumer = $1',
      [durable],
    );
    expect(rows).to.deep.equal([{ error: 'cannot take this', deliveries: 3 }]);
  });

  it('are told from what is none, which keeps nothing out', async () => {
    const [association, durable] = [newId(), `foreign-${newId()}`];
    const seen: string[] = [];
    follow(durable, (event) => {
      if (event.subject === association) seen.push(event.data.member_id);
      return Promise.resolve();
    });
    for (const foreign of ['no JSON', 'null', '{"id":"of nothing"}']) {
      await bus.jetstream.publish(`ledger.v1.${association}.member.left`, foreign);
    }
    await tell(association, 'm');
    await eventually(() => expect(seen).to.deep.equal(['m']));
  });

  it('leave a stop no longer than a moment, also one that comes at once', async () => {
    follow(`short-${newId()}`, () => Promise.resolve());
    const began = performance.now();
    await bench.stopFollowing();
    expect(performance.now() - began).to.be.lessThan(2_000);
  });

  const fact = { approval_id: newId(), subject_type: 'role_change', subject_id: newId() } as const;
});
