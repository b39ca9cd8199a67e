import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { nanos } from 'nats';
import { STREAM } from '../../../lib/contracts/events.ts';
import { publishInOrder } from '../../../lib/events/publish.ts';
import type { Relay, RelayParts } from '../../../lib/events/outbox-relay.ts';
import { republish } from '../../../lib/events/republish.ts';
import { EventsHarness } from '../../harness/events.ts';
import { eventually } from '../../harness/eventually.ts';
import { startNats, type TestNats } from '../../harness/nats.ts';
import { quietLog } from '../../harness/runtime.ts';

const ASSOCIATIONS = 5;
const LOSSES = 8;
const BEGINNING = new Date(0);

describe('events that the stream has lost', function () {
  this.timeout(60_000);
  let nats: TestNats;
  let harness: EventsHarness;
  let relay: Relay;
  let warnings: unknown[] = [];
  let associations: string[] = [];

  before(async () => {
    nats = await startNats('');
  });
  beforeEach(async () => {
    harness = await EventsHarness.start('lost-events', `nats://127.0.0.1:${String(nats.port)}`);
    associations = Array.from({ length: ASSOCIATIONS }, harness.newId);
    warnings = [];
  });
  afterEach(async () => {
    await harness.reset();
    await streams().delete(STREAM);
    await harness.stop();
  });
  after(() => nats.stop());

  const streams = () => harness.bus.manager.streams;

  const parts = (): Partial<RelayParts> => {
    const warn = (_text: unknown, more?: { lost: number }) => void warnings.push(more?.lost);
    return { log: { ...quietLog, warn } };
  };

  function startRelay(): void {
    relay = harness.startRelay(parts());
    harness.outbox.onCommit(() => relay.notify());
  }

  /** Commits `count` events of each association. */
  const commit = (count = 1) => harness.commit(associations, ...Array.from({ length: count }, harness.newId));

  const republishSince = (since = BEGINNING) => republish(harness.relayParts(parts()), since);

  /** The ids of an association's events in the order of the outbox. */
  async function inOutbox(association: string): Promise<string[]> {
    const rows: { event_id: string }[] = await harness.db.rows(
      'SELECT event_id FROM outbox WHERE association_id = $1 ORDER BY position',
      [association],
    );
    return rows.map(({ event_id }) => event_id);
  }

  /** The ids in the order of the stream, without duplicates. */
  async function inStream(association: string): Promise<string[]> {
    return [...new Set((await harness.inStream(association)).map(({ id }) => id))];
  }

  async function missingAndInversions(): Promise<{ missing: number; inversions: number }> {
    let missing = 0;
    let inversions = 0;
    for (const association of associations) {
      const ids = await inOutbox(association);
      const streamed = await inStream(association);
      const numbers = new Map(ids.map((id, number) => [id, number]));
      missing += ids.length - streamed.length;
      for (const [index, id] of streamed.entries()) {
        const before = streamed[index - 1];
        if (before !== undefined && numbers.get(before)! > numbers.get(id)!) inversions += 1;
      }
    }
    return { missing, inversions };
  }

  const untilComplete = () =>
    eventually(async () => expect(await missingAndInversions()).to.deep.equal({ missing: 0, inversions: 0 }));

  async function startWith(events: number): Promise<void> {
    startRelay();
    await commit(events);
    await harness.untilAllPublished();
  }

  /** Publishes an event that is not from this outbox. */
  async function publishOther(): Promise<void> {
    await harness.bus.jetstream.publish(`ledger.v1.${harness.newId()}.member.left`, '{}', { msgID: harness.newId() });
  }

  async function deleteLast(count: number): Promise<void> {
    const { last_seq } = (await streams().info(STREAM)).state;
    for (let seq = last_seq - count + 1; seq <= last_seq; seq += 1) await streams().deleteMessage(STREAM, seq);
  }

  it('are published again even if the server considers them duplicates', async () => {
    const [association_id = ''] = associations;
    const event_id = harness.newId();
    const publish = async () => {
      const row = { position: 1n, event_id, association_id, type: 'member.left', event: '{"data":{}}' } as const;
      const { published } = await publishInOrder(harness.bus, [row], { check: () => undefined });
      return published[0]?.stream_seq ?? 0;
    };
    let at = await publish();
    expect(await publish()).to.equal(at);
    for (let turn = 0; turn < 2; turn += 1) {
      await streams().deleteMessage(STREAM, at);
      await publishOther();
      at = await publish();
      expect(await publish()).to.equal(at);
      expect(await harness.inStream(association_id)).to.have.length(1);
    }
  });

  it('are published again in order after the stream was purged or deleted, while new events are committed', async () => {
    await startWith(100);
    let isLosing = true;
    const losing = (async () => {
      for (let turn = 0; turn < LOSSES; turn += 1) {
        await sleep(300 + 7 * turn);
        // The relay may not have created the stream again after the previous loss.
        await (turn % 3 === 2 ? streams().delete(STREAM) : streams().purge(STREAM)).catch(() => undefined);
      }
      isLosing = false;
    })();
    while (isLosing) {
      await commit();
      await sleep(2);
    }
    await losing;
    await commit();
    await harness.untilAllPublished();
    await untilComplete();
    // Two losses may share a warning if the second happens during the repair of the first.
    expect(warnings).to.not.deep.equal([]);
  });

  it('are published again even if no event is committed', async () => {
    await startWith(200);
    await streams().purge(STREAM);
    await publishOther();
    await untilComplete();
    expect(warnings).to.deep.equal([200 * ASSOCIATIONS]);
    await relay.stop();
    await streams().delete(STREAM);
    startRelay();
    await untilComplete();
  });

  it('are published again if events of another service follow the lost end of the stream', async () => {
    await startWith(20);
    await deleteLast(12);
    for (let other = 0; other < 20; other += 1) await publishOther();
    await commit();
    await untilComplete();
    expect(warnings).to.have.length(1);
  });

  it('are published again even if their stream positions were not recorded before the stream was deleted', async () => {
    await startWith(20);
    await relay.stop();
    await harness.db.run('UPDATE outbox SET stream_seq = NULL');
    startRelay();
    await commit();
    await untilComplete();
    expect(warnings).to.deep.equal([]);
    await streams().delete(STREAM);
    await untilComplete();
  });

  it('are not published again if the stream has dropped them because of its age or size limit', async () => {
    await startWith(20);
    const all = 20 * ASSOCIATIONS;
    await streams().update(STREAM, { max_age: nanos(500), duplicate_window: nanos(500) });
    await eventually(async () => expect((await streams().info(STREAM)).state.messages).to.equal(0));
    await sleep(1_500);
    expect(warnings).to.deep.equal([]);
    await streams().update(STREAM, { max_age: 0, max_bytes: 100_000 });
    await relay.stop();
    startRelay();
    await untilComplete();
    expect(warnings).to.deep.equal([all]);
    await commit(100);
    await harness.untilAllPublished();
    expect((await missingAndInversions()).missing).to.be.greaterThan(0);
    await sleep(1_500);
    await relay.stop();
    startRelay();
    await commit();
    await harness.untilAllPublished();
    expect(warnings).to.deep.equal([all]);
  });

  describe('npm run republish', () => {
    it('publishes exactly the missing events, with or without a running service', async () => {
      await startWith(300);
      const { last_seq } = (await streams().info(STREAM)).state;
      expect(await republishSince()).to.deep.include({ lost: 0, late: 0 });
      for (const seq of [3, 4, 700]) await streams().deleteMessage(STREAM, seq);
      expect(await republishSince()).to.deep.include({ lost: 3, late: 3 });
      expect((await missingAndInversions()).missing).to.equal(0);
      await relay.stop();
      await deleteLast(2);
      await streams().deleteMessage(STREAM, 10);
      expect((await republishSince(new Date())).lost).to.equal(0);
      expect((await republishSince()).lost).to.equal(3);
      expect((await missingAndInversions()).missing).to.equal(0);
      expect((await streams().info(STREAM)).state.last_seq).to.equal(last_seq + 6);
      expect((await republishSince()).lost).to.equal(0);
    });

    it('records the stream positions of events that were published without a record', async () => {
      await startWith(300);
      await relay.stop();
      await harness.db.run('UPDATE outbox SET stream_seq = NULL WHERE position % 2 = 0');
      await streams().deleteMessage(STREAM, 2);
      expect(await republishSince()).to.deep.include({ lost: 1, late: 1 });
      expect((await missingAndInversions()).missing).to.equal(0);
      expect(await harness.db.run('SELECT FROM outbox WHERE stream_seq IS NULL')).to.equal(0);
    });
  });
});
