import { expect } from 'chai';
import type { Bus } from '../../../lib/events/bus.ts';
import { Outbox } from '../../../lib/events/outbox.ts';
import { subjectOf } from '../../../lib/contracts/events.ts';
import type { Database } from '../../../lib/db/database.ts';
import { EventsBench } from '../../harness/events.ts';
import type { HandleLeft } from '../../harness/events.ts';
import { eventually } from '../../harness/eventually.ts';
import { testClock, testIds } from '../../harness/runtime.ts';

/** More than are taken together. */
const EVENTS = 100;
const NUMBERS = Array.from({ length: EVENTS }, (_, index) => String(index));

describe('events that come faster than they can be taken one by one', function () {
  this.timeout(30_000);
  let bench: EventsBench;
  let db: Database;
  let bus: Bus;
  const newId = testIds();
  const outbox = new Outbox('governance', testClock, newId);

  before(async () => {
    bench = await EventsBench.start('events-in-order-test');
    ({ db, bus } = bench);
  });
  afterEach(() => bench.stopFollowing());
  after(() => bench.stop());

  /** Straight to the stream: the relay would be one more thing that keeps order. */
  async function publish(association_id: string, numbers: readonly string[]): Promise<void> {
    const facts = numbers.map((member_id) => {
      return { type: 'member.left', association_id, data: { member_id, user_id: 'u' } } as const;
    });
    const { events, event_ids } = outbox.columnsOf(facts);
    for (const [index, event] of events.entries()) {
      const msgID = event_ids[index] ?? '';
      await bus.jetstream.publish(subjectOf(association_id, 'member.left'), event, { msgID });
    }
  }

  /** Events of a type that has no follower here. */
  async function publishOthers(association_id: string, events: number): Promise<void> {
    for (let count = 0; count < events; count += 1) {
      await bus.jetstream.publish(subjectOf(association_id, 'member.expelled'), 'of another type');
    }
  }

  const follow = (durable: string, handle: HandleLeft): void => bench.follow(durable, handle);

  /** Writes each event's number as an effect of it. Nobody relays the outbox of this database. */
  function effectOf(association_id: string): HandleLeft {
    return (event, tx) => {
      if (event.subject !== association_id) return;
      const data = { approval_id: newId(), subject_type: 'role_change' as const, subject_id: event.data.member_id };
      outbox.append(tx, { type: 'approval.expired', association_id, data });
    };
  }

  /** The numbers in the order of their effects, and in how many transactions these were made. */
  async function effects(association_id: string): Promise<{ numbers: string[]; transactions: number }> {
    const rows: { number: string; transaction: string }[] = await db.rows(
      `SELECT event #>> '{data,subject_id}' AS number, xmin::text AS transaction
       FROM outbox WHERE association_id = $1 ORDER BY position`,
      [association_id],
    );
    const transactions = new Set(rows.map((row) => row.transaction)).size;
    return { numbers: rows.map((row) => row.number), transactions };
  }

  async function eventuallyAll(association_id: string, numbers = NUMBERS): Promise<void> {
    await eventually(async () => expect((await effects(association_id)).numbers).to.deep.equal(numbers));
  }

  it('take effect in order, many in one transaction', async () => {
    const association = newId();
    await publish(association, NUMBERS);
    follow(`together-${newId()}`, effectOf(association));
    await eventuallyAll(association);
    expect((await effects(association)).transactions).to.be.at.most(EVENTS / 10);
  });

  it('take effect in order, many in one transaction, though others lie between them', async () => {
    const association = newId();
    for (const number of NUMBERS) {
      // Now near, now far from the next: they are read in two ways.
      await publishOthers(association, Number(number) % 10 === 9 ? 20 : 2);
      await publish(association, [number]);
    }
    follow(`between-${newId()}`, effectOf(association));
    await eventuallyAll(association);
    expect((await effects(association)).transactions).to.be.at.most(EVENTS / 10);
  });

  it('take effect once and in order when one of them fails at first', async () => {
    const association = newId();
    await publish(association, NUMBERS);
    let failures = 3;
    const effect = effectOf(association);
    follow(`fails-${newId()}`, async (event, tx) => {
      await effect(event, tx);
      const isIt = event.subject === association && event.data.member_id === '50';
      if (isIt && failures-- > 0) throw new Error('after the effect, before the commit');
    });
    await eventuallyAll(association);
    expect(failures).to.be.at.most(0);
  });

  it('lose none to one that keeps failing', async () => {
    const [association, durable] = [newId(), `poison-${newId()}`];
    await publish(association, NUMBERS);
    const effect = effectOf(association);
    follow(durable, async (event, tx) => {
      await effect(event, tx);
      if (event.subject === association && event.data.member_id === '50') throw new Error('cannot take this');
    });
    await eventuallyAll(
      association,
      NUMBERS.filter((number) => number !== '50'),
    );
    const letters: { deliveries: number; error: string }[] = await db.rows(
      'SELECT deliveries, error FROM dead_letters WHERE consumer = $1',
      [durable],
    );
    expect(letters).to.deep.equal([{ deliveries: 3, error: 'cannot take this' }]);
  });

  it('take effect once and in order when two nodes follow them', async () => {
    const [association, durable] = [newId(), `two-${newId()}`];
    follow(durable, effectOf(association));
    follow(durable, effectOf(association));
    await publish(association, NUMBERS);
    await eventuallyAll(association);
  });

  it('take effect once and in order when another node takes over', async () => {
    const [association, durable] = [newId(), `over-${newId()}`];
    await publish(association, NUMBERS);
    let handled = 0;
    let stopped: Promise<void> | undefined;
    const effect = effectOf(association);
    follow(durable, async (event, tx) => {
      await effect(event, tx);
      if (event.subject === association && ++handled === EVENTS / 2) stopped = bench.subscribers.pop()?.stop();
    });
    await eventually(() => expect(stopped).not.to.equal(undefined));
    await stopped;
    expect((await effects(association)).numbers).to.have.length.within(1, EVENTS - 1);
    follow(durable, effectOf(association));
    await eventuallyAll(association);
  });

  it('are read up to what is none', async () => {
    const association = newId();
    await publish(association, ['0', '1']);
    await bus.jetstream.publish(subjectOf(association, 'member.left'), 'no JSON');
    await publish(association, ['2', '3']);
    follow(`foreign-${newId()}`, effectOf(association));
    await eventuallyAll(association, ['0', '1', '2', '3']);
  });
});
