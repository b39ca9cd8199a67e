import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { AckPolicy, DeliverPolicy, nanos } from 'nats';
import { ALL_TYPES, filterOf, STREAM, subjectOf } from '../../../lib/contracts/events.ts';
import { ensureStream } from '../../../lib/events/stream.ts';
import { EventsHarness, type HandleLeft } from '../../harness/events.ts';
import { eventually } from '../../harness/eventually.ts';

/** More events than one transaction handles. */
const EVENTS = 100;
const NUMBERS = Array.from({ length: EVENTS }, (_, index) => String(index));

const LONGER_THAN_ACK_WAIT_S = 4;
/** For two attempts without a stream. */
const LONGER_THAN_RETRY_MS = 1_500;

/** The consumer as a subscriber of this release creates it. */
const consumerOf = (durable: string) => ({
  durable_name: durable,
  filter_subject: filterOf('member.left'),
  deliver_policy: DeliverPolicy.All,
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(3_000),
  max_ack_pending: 1,
});

describe('a subscriber', function () {
  this.timeout(30_000);
  let harness: EventsHarness;
  let association: string;
  let durable: string;

  before(async () => {
    harness = await EventsHarness.start('subscriber-test');
  });
  beforeEach(async () => {
    // A subscriber to all types would first handle the thousands of events of the tests before.
    await harness.bus.manager.streams.purge(STREAM);
    association = harness.newId();
    durable = `test-${association}`;
  });
  afterEach(() => harness.reset());
  after(() => harness.stop());

  function eventsOf(numbers: readonly string[]): string[] {
    const facts = numbers.map((member_id) => {
      return { type: 'member.left', association_id: association, data: { member_id, user_id: 'u' } } as const;
    });
    return harness.outbox.rowsOf(facts).map(({ event }) => event);
  }

  async function publishRaw(messages: readonly string[], type: 'member.left' | 'member.expelled' = 'member.left') {
    for (const message of messages) await harness.bus.jetstream.publish(subjectOf(association, type), message);
  }

  /** Publishes directly to the stream, because a relay would also keep the order. */
  const publish = (numbers: readonly string[]) => publishRaw(eventsOf(numbers));

  /** Writes the number of each event to the outbox as its effect; no relay reads this outbox. */
  const handle: HandleLeft = (event, tx) => {
    if (event.subject !== association) return;
    const data = { ...event.data, approval_id: harness.newId() };
    harness.outbox.append(tx, { type: 'member.expelled', association_id: association, data });
  };

  /** Reads the numbers of the events in the order of their effects, and counts the transactions. */
  async function effects(): Promise<{ numbers: string[]; transactions: number }> {
    const rows: { number: string; transaction: string }[] = await harness.db.rows(
      `SELECT event #>> '{data,member_id}' AS number, xmin::text AS transaction
       FROM outbox WHERE association_id = $1 ORDER BY position`,
      [association],
    );
    const transactions = new Set(rows.map((row) => row.transaction)).size;
    return { numbers: rows.map((row) => row.number), transactions };
  }

  async function untilEffects(numbers = NUMBERS): Promise<void> {
    await eventually(async () => expect((await effects()).numbers).to.deep.equal(numbers));
  }

  it('applies events in order, many of them in one transaction', async () => {
    await publish(NUMBERS);
    harness.subscribe(durable, handle);
    await untilEffects();
    expect((await effects()).transactions).to.be.at.most(EVENTS / 10);
  });

  it('applies events in order and many in one transaction even if events of other types are between them', async () => {
    for (const number of NUMBERS) {
      // The subscriber reads events that are close together in another way than events that are far apart.
      const others = Number(number) % 10 === 9 ? 20 : 2;
      await publishRaw(Array<string>(others).fill('of another type'), 'member.expelled');
      await publish([number]);
    }
    harness.subscribe(durable, handle);
    await untilEffects();
    expect((await effects()).transactions).to.be.at.most(EVENTS / 10);
  });

  it('delivers an event again, and soon, until its database is available again', async () => {
    let is_left = 9;
    harness.subscribe(durable, (event, tx) => {
      is_left -= 1;
      // More often than an event that is at fault is delivered.
      if (is_left > 0)
        throw Object.assign(new Error('cannot execute INSERT in a read-only transaction'), { code: '25006' });
      return handle(event, tx);
    });
    await publish(['1']);
    await untilEffects(['1']);
    expect(await harness.db.rows('SELECT FROM dead_letters WHERE consumer = $1', [durable])).to.deep.equal([]);
  });

  it('gives an event all of its attempts after an outage', async () => {
    let deliveries = 0;
    harness.subscribe(durable, (event, tx) => {
      deliveries += 1;
      if (deliveries <= 4) throw Object.assign(new Error('the database system is starting up'), { code: '57P03' });
      if (deliveries <= 6) throw new Error('fails twice');
      return handle(event, tx);
    });
    await publish(['1']);
    await untilEffects(['1']);
    expect(deliveries).to.equal(7);
  });

  it('makes a dead letter of an event that exceeds a limit of the database for one statement', async () => {
    harness.subscribe(durable, () => {
      throw Object.assign(new Error('temporary file size exceeds temp_file_limit'), { code: '53400' });
    });
    await publish(['1']);
    await eventually(async () => {
      const letters = await harness.db.rows('SELECT deliveries FROM dead_letters WHERE consumer = $1', [durable]);
      expect(letters).to.deep.equal([{ deliveries: 3 }]);
    });
  });

  it('applies events of all types in order, many of them in one transaction', async () => {
    const expected = NUMBERS.map((number) => `${number} ${Number(number) % 2 === 0 ? 'member.left' : 'rules.changed'}`);
    for (const [index, event] of eventsOf(NUMBERS).entries()) {
      const type = expected[index]?.split(' ')[1] ?? '';
      const subject = `ledger.v1.${association}.${type}`;
      await harness.bus.jetstream.publish(subject, event.replace('"member.left"', JSON.stringify(type)));
    }
    const got: string[] = [];
    const handleAny: HandleLeft = async (event, tx) => {
      if (event.subject === association) got.push(`${event.data.member_id} ${event.type}`);
      await handle(event, tx);
    };
    harness.subscribe(durable, handleAny, ALL_TYPES);
    await untilEffects();
    expect(got).to.deep.equal(expected);
    expect((await effects()).transactions).to.be.at.most(EVENTS / 10);
  });

  it('applies each event once, in order, if a handler fails at first', async () => {
    await publish(NUMBERS);
    let failures = 3;
    harness.subscribe(durable, async (event, tx) => {
      await handle(event, tx);
      const isIt = event.subject === association && event.data.member_id === '50';
      if (isIt && failures-- > 0) throw new Error('after the effect, before the commit');
    });
    await untilEffects();
    expect(failures).to.be.at.most(0);
  });

  it('stores an event whose handler keeps failing as a dead letter, and applies the other events', async () => {
    await publish(NUMBERS);
    harness.subscribe(durable, async (event, tx) => {
      await handle(event, tx);
      if (event.subject === association && event.data.member_id === '50') throw new Error('cannot take this');
    });
    await untilEffects(NUMBERS.filter((number) => number !== '50'));
    const letters = await harness.db.rows('SELECT deliveries, error FROM dead_letters WHERE consumer = $1', [durable]);
    expect(letters).to.deep.equal([{ deliveries: 3, error: 'cannot take this' }]);
  });

  it('applies each event once, in order, in two concurrent processes', async () => {
    harness.subscribe(durable, handle);
    harness.subscribe(durable, handle);
    await publish(NUMBERS);
    await untilEffects();
  });

  it('applies each event once, in order, when another process takes over', async () => {
    await publish(NUMBERS);
    const { promise: half, resolve } = Promise.withResolvers<void>();
    let handled = 0;
    const first = harness.subscribe(durable, async (event, tx) => {
      await handle(event, tx);
      if (event.subject === association && ++handled === EVENTS / 2) resolve();
    });
    await half;
    await first.stop();
    expect((await effects()).numbers).to.have.length.within(1, EVENTS - 1);
    harness.subscribe(durable, handle);
    await untilEffects();
  });

  it('applies the event of a process that was killed or frozen while it handled it', async () => {
    const dead = await harness.bus.manager.consumers.add(STREAM, consumerOf(durable));
    await publish(['0', '1']);
    const consumer = await harness.bus.jetstream.consumers.get(STREAM, dead.name);
    expect((await consumer.next())?.seq).to.be.a('number');
    harness.subscribe(durable, handle);
    await untilEffects(['0', '1']);
  });

  it('gets an event only once, however long it handles it', async () => {
    const slowly: HandleLeft = async (event, tx) => {
      await tx.run('SELECT pg_sleep($1)', [LONGER_THAN_ACK_WAIT_S]);
      await handle(event, tx);
    };
    harness.subscribe(durable, slowly);
    harness.subscribe(durable, slowly);
    await publish(['0']);
    await untilEffects(['0']);
    const { delivered } = await harness.bus.manager.consumers.info(STREAM, durable);
    expect(delivered.consumer_seq).to.equal(1);
  });

  it('shortens the wait of a consumer that an earlier release has created', async () => {
    const earlier = { ...consumerOf(durable), ack_wait: nanos(30_000) };
    await harness.bus.manager.consumers.add(STREAM, earlier);
    harness.subscribe(durable, handle);
    await eventually(async () => {
      const { config } = await harness.bus.manager.consumers.info(STREAM, durable);
      expect(config.ack_wait).to.equal(nanos(3_000));
    });
  });

  it('applies an event once even if a new stream contains it again, and continues', async () => {
    const again = eventsOf(['0']);
    harness.subscribe(durable, handle);
    await publishRaw(again);
    await untilEffects(['0']);
    await harness.bus.manager.streams.delete(STREAM);
    await ensureStream(harness.bus);
    await publishRaw(again);
    await publish(['1']);
    await untilEffects(['0', '1']);
  });

  it('waits for a stream that no service has made yet, and says so once', async () => {
    const logged: string[] = [];
    const note = (text: string) => logged.push(text);
    await harness.bus.manager.streams.delete(STREAM);
    harness.subscribe(durable, handle, 'member.left', { info: note, warn: note, error: note });
    await eventually(() => expect(logged).not.to.deep.equal([]));
    await sleep(LONGER_THAN_RETRY_MS);
    await ensureStream(harness.bus);
    await publish(['0']);
    await untilEffects(['0']);
    expect(logged).to.deep.equal(['subscriber: waits until treasury has made the stream LEDGER']);
  });

  it('drops messages that are not events', async () => {
    await publish(['0', '1']);
    await publishRaw(['no JSON', 'null', '{"id":"not an id"}']);
    await publish(['2', '3']);
    harness.subscribe(durable, handle);
    await untilEffects(['0', '1', '2', '3']);
  });

  it('can stop before its first event, and while it handles an event', async () => {
    await harness.subscribe(durable, handle).stop();
    const begun = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const subscriber = harness.subscribe(durable, (event) => {
      if (event.subject !== association) return undefined;
      begun.resolve();
      return released.promise;
    });
    await publish(['0']);
    await begun.promise;
    const stopped = subscriber.stop();
    released.resolve();
    await stopped;
  });
});
