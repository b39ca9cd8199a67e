import { expect } from 'chai';
import { STREAM, subjectOf } from '../../../lib/contracts/events.ts';
import { ensureStream } from '../../../lib/events/bus.ts';
import { EventsBench, type HandleLeft } from '../../harness/events.ts';
import { eventually } from '../../harness/eventually.ts';

/** More than are handled together. */
const EVENTS = 100;
const NUMBERS = Array.from({ length: EVENTS }, (_, index) => String(index));

describe('a subscriber', function () {
  this.timeout(30_000);
  let bench: EventsBench;
  let association: string;
  let durable: string;

  before(async () => {
    bench = await EventsBench.start('subscriber-test');
  });
  beforeEach(() => {
    association = bench.newId();
    durable = `test-${association}`;
  });
  afterEach(() => bench.reset());
  after(() => bench.stop());

  function eventsOf(numbers: readonly string[]): string[] {
    const facts = numbers.map((member_id) => {
      return { type: 'member.left', association_id: association, data: { member_id, user_id: 'u' } } as const;
    });
    return bench.outbox.columnsOf(facts).events;
  }

  async function publishRaw(messages: readonly string[], type: 'member.left' | 'member.expelled' = 'member.left') {
    for (const message of messages) await bench.bus.jetstream.publish(subjectOf(association, type), message);
  }

  /** Directly to the stream: a relay would also keep the order. */
  const publish = (numbers: readonly string[]) => publishRaw(eventsOf(numbers));

  /** As an effect of each event, writes its number to the outbox, which no relay reads. */
  const handle: HandleLeft = (event, tx) => {
    if (event.subject !== association) return;
    const data = { approval_id: bench.newId(), subject_type: 'role_change', subject_id: event.data.member_id } as const;
    bench.outbox.append(tx, { type: 'approval.expired', association_id: association, data });
  };

  /** The numbers in the order of their effects, and the number of transactions. */
  async function effects(): Promise<{ numbers: string[]; transactions: number }> {
    const rows: { number: string; transaction: string }[] = await bench.db.rows(
      `SELECT event #>> '{data,subject_id}' AS number, xmin::text AS transaction
       FROM outbox WHERE association_id = $1 ORDER BY position`,
      [association],
    );
    const transactions = new Set(rows.map((row) => row.transaction)).size;
    return { numbers: rows.map((row) => row.number), transactions };
  }

  async function untilEffects(numbers = NUMBERS): Promise<void> {
    await eventually(async () => expect((await effects()).numbers).to.deep.equal(numbers));
  }

  it('applies events in order, many in one transaction', async () => {
    await publish(NUMBERS);
    bench.subscribe(durable, handle);
    await untilEffects();
    expect((await effects()).transactions).to.be.at.most(EVENTS / 10);
  });

  it('does so also if events of other types are between them', async () => {
    for (const number of NUMBERS) {
      // Events that are near one another and those that are far apart are read in two ways.
      const others = Number(number) % 10 === 9 ? 20 : 2;
      await publishRaw(Array<string>(others).fill('of another type'), 'member.expelled');
      await publish([number]);
    }
    bench.subscribe(durable, handle);
    await untilEffects();
    expect((await effects()).transactions).to.be.at.most(EVENTS / 10);
  });

  it('applies each event once, in order, after a handler has failed at first', async () => {
    await publish(NUMBERS);
    let failures = 3;
    bench.subscribe(durable, async (event, tx) => {
      await handle(event, tx);
      const isIt = event.subject === association && event.data.member_id === '50';
      if (isIt && failures-- > 0) throw new Error('after the effect, before the commit');
    });
    await untilEffects();
    expect(failures).to.be.at.most(0);
  });

  it('stores an event whose handler keeps failing as a dead letter, and applies the others', async () => {
    await publish(NUMBERS);
    bench.subscribe(durable, async (event, tx) => {
      await handle(event, tx);
      if (event.subject === association && event.data.member_id === '50') throw new Error('cannot take this');
    });
    await untilEffects(NUMBERS.filter((number) => number !== '50'));
    const letters = await bench.db.rows('SELECT deliveries, error FROM dead_letters WHERE consumer = $1', [durable]);
    expect(letters).to.deep.equal([{ deliveries: 3, error: 'cannot take this' }]);
  });

  it('applies each event once, in order, on two nodes', async () => {
    bench.subscribe(durable, handle);
    bench.subscribe(durable, handle);
    await publish(NUMBERS);
    await untilEffects();
  });

  it('applies each event once, in order, when another node takes over', async () => {
    await publish(NUMBERS);
    const { promise: half, resolve } = Promise.withResolvers<void>();
    let handled = 0;
    const first = bench.subscribe(durable, async (event, tx) => {
      await handle(event, tx);
      if (event.subject === association && ++handled === EVENTS / 2) resolve();
    });
    await half;
    await first.stop();
    expect((await effects()).numbers).to.have.length.within(1, EVENTS - 1);
    bench.subscribe(durable, handle);
    await untilEffects();
  });

  it('applies an event once though a new stream has it again, and goes on', async () => {
    const again = eventsOf(['0']);
    bench.subscribe(durable, handle);
    await publishRaw(again);
    await untilEffects(['0']);
    await bench.bus.manager.streams.delete(STREAM);
    await ensureStream(bench.bus);
    await publishRaw(again);
    await publish(['1']);
    await untilEffects(['0', '1']);
  });

  it('drops messages that are not events', async () => {
    await publish(['0', '1']);
    await publishRaw(['no JSON', 'null', '{"id":"not an id"}']);
    await publish(['2', '3']);
    bench.subscribe(durable, handle);
    await untilEffects(['0', '1', '2', '3']);
  });

  it('stops before its first event, and while it handles one', async () => {
    await bench.subscribe(durable, handle).stop();
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const subscriber = bench.subscribe(durable, (event) => {
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
