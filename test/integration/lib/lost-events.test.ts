import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { nanos } from 'nats';
import pg from 'pg';
import { STREAM } from '../../../lib/contracts/events.ts';
import { Outbox } from '../../../lib/events/outbox.ts';
import { publishInOrder } from '../../../lib/events/publish.ts';
import { startRelay } from '../../../lib/events/outbox-relay.ts';
import type { Relay, RelayParts } from '../../../lib/events/outbox-relay.ts';
import { republish } from '../../../lib/events/republish.ts';
import { openPool } from '../../../lib/db/pool.ts';
import { EventsBench } from '../../harness/events.ts';
import { eventually } from '../../harness/eventually.ts';
import { startNats } from '../../harness/nats.ts';
import type { TestNats } from '../../harness/nats.ts';
import { quietLog, testClock, testIds } from '../../harness/runtime.ts';

const ASSOCIATIONS = 5;
const LOSSES = 8;
const BEGINNING = new Date(0);

describe('events that the stream has lost', function () {
  this.timeout(60_000);
  let nats: TestNats;
  let bench: EventsBench;
  let pool: pg.Pool;
  let relay: Relay | undefined;
  let warnings: unknown[] = [];
  const newId = testIds();
  const outbox = new Outbox('governance', testClock, newId);
  const associations = Array.from({ length: ASSOCIATIONS }, newId);

  before(async () => {
    nats = await startNats('');
  });
  beforeEach(async () => {
    bench = await EventsBench.start('lost-events', `nats://127.0.0.1:${String(nats.port)}`);
    pool = new pg.Pool({ connectionString: bench.test.url, max: 5, pipeline: true });
    warnings = [];
  });
  afterEach(async () => {
    await relay?.stop();
    relay = undefined;
    await pool.end();
    await streams().delete(STREAM);
    await bench.stop();
  });
  after(() => nats.stop());

  const streams = () => bench.bus.manager.streams;

  const parts = (): RelayParts => {
    const warn = (_text: unknown, more?: { lost: number }) => void warnings.push(more?.lost);
    return { db: openPool(pool), bus: bench.bus, outbox: 'lost-events', clock: testClock, log: { ...quietLog, warn } };
  };

  async function commit(count = 1): Promise<void> {
    await bench.db.transaction((tx) => {
      const facts = Array.from({ length: count }, () => associations).flat();
      outbox.append(
        tx,
        ...facts.map((association_id) => {
          return { type: 'member.left', association_id, data: { member_id: newId(), user_id: 'u' } } as const;
        }),
      );
    });
    relay?.notify();
  }

  /** Of an association, in the order of the outbox. */
  async function inOutbox(association: string): Promise<string[]> {
    const { rows } = await pool.query<{ event_id: string }>(
      'SELECT event_id FROM outbox WHERE association_id = $1 ORDER BY position',
      [association],
    );
    return rows.map(({ event_id }) => event_id);
  }

  /** In the order in which those who dedupe see them. */
  async function inStream(association: string): Promise<string[]> {
    return [...new Set((await bench.inStream(association)).map(({ id }) => id))];
  }

  async function untilAllPublished(): Promise<void> {
    await eventually(async () => {
      const { rowCount } = await pool.query('SELECT FROM outbox WHERE published_at IS NULL LIMIT 1');
      expect(rowCount).to.equal(0);
    });
  }

  async function missingAndInversions(): Promise<{ missing: number; inversions: number }> {
    let [missing, inversions] = [0, 0];
    for (const association of associations) {
      const [ids, streamed] = [await inOutbox(association), await inStream(association)];
      const numbers = new Map(ids.map((id, number) => [id, number]));
      missing += ids.length - streamed.length;
      for (const [index, id] of streamed.entries()) {
        const before = streamed[index - 1];
        if (before !== undefined && numbers.get(before)! > numbers.get(id)!) inversions += 1;
      }
    }
    return { missing, inversions };
  }

  const untilWhole = () =>
    eventually(async () => expect(await missingAndInversions()).to.deep.equal({ missing: 0, inversions: 0 }));

  async function startWith(events: number): Promise<void> {
    relay = startRelay(parts());
    await commit(events);
    await untilAllPublished();
  }

  /** Others' events. */
  async function publishOther(): Promise<void> {
    await bench.bus.jetstream.publish(`ledger.v1.${newId()}.member.left`, '{}', { msgID: newId() });
  }

  async function deleteLast(count: number): Promise<void> {
    const { last_seq } = (await streams().info(STREAM)).state;
    for (let seq = last_seq - count + 1; seq <= last_seq; seq += 1) await streams().deleteMessage(STREAM, seq);
  }

  it('are published again though the server takes them for duplicates', async () => {
    const [association_id = '', event_id] = [associations[0], newId()];
    const publish = async () => {
      const row = { position: 1n, event_id, association_id, type: 'member.left', event: '{"data":{}}' } as const;
      const { published } = await publishInOrder(bench.bus, [row], { check: () => undefined });
      return published[0]?.stream_seq ?? 0;
    };
    let at = await publish();
    expect(await publish()).to.equal(at);
    for (let turn = 0; turn < 2; turn += 1) {
      await streams().deleteMessage(STREAM, at);
      await publishOther();
      at = await publish();
      expect(await publish()).to.equal(at);
      expect(await bench.inStream(association_id)).to.have.length(1);
    }
  });

  it('come again in order when the stream is emptied, or made anew, while others are committed', async () => {
    await startWith(100);
    let loses = true;
    const losing = (async () => {
      for (let turn = 0; turn < LOSSES; turn += 1) {
        await sleep(300 + 7 * turn);
        // It may not be there yet, after the loss before.
        await (turn % 3 === 2 ? streams().delete(STREAM) : streams().purge(STREAM)).catch(() => undefined);
      }
      loses = false;
    })();
    while (loses) {
      await commit();
      await sleep(2);
    }
    await losing;
    await commit();
    await untilAllPublished();
    await untilWhole();
    expect(warnings.length).to.be.at.least(3);
  });

  it('come again when nothing else happens', async () => {
    await startWith(200);
    await streams().purge(STREAM);
    await publishOther();
    await untilWhole();
    expect(warnings).to.deep.equal([200 * ASSOCIATIONS]);
    await relay?.stop();
    await streams().delete(STREAM);
    relay = startRelay(parts());
    await untilWhole();
  });

  it('come again where those of others follow the end that was lost', async () => {
    await startWith(20);
    await deleteLast(12);
    for (let other = 0; other < 20; other += 1) await publishOther();
    await commit();
    await untilWhole();
    expect(warnings).to.have.length(1);
  });

  it('come again from before their places were recorded, if the stream has been made anew', async () => {
    await startWith(20);
    await relay?.stop();
    await pool.query('UPDATE outbox SET stream_seq = NULL');
    relay = startRelay(parts());
    await commit();
    await untilWhole();
    expect(warnings).to.deep.equal([]);
    await streams().delete(STREAM);
    await untilWhole();
  });

  it('do not come again once they are older than the stream keeps them, or it is full', async () => {
    await startWith(20);
    const all = 20 * ASSOCIATIONS;
    await streams().update(STREAM, { max_age: nanos(500), duplicate_window: nanos(500) });
    await eventually(async () => expect((await streams().info(STREAM)).state.messages).to.equal(0));
    await sleep(1_500);
    expect(warnings).to.deep.equal([]);
    await streams().update(STREAM, { max_age: 0, max_bytes: 100_000 });
    await relay?.stop();
    relay = startRelay(parts());
    await untilWhole();
    expect(warnings).to.deep.equal([all]);
    await commit(100);
    await untilAllPublished();
    expect((await missingAndInversions()).missing).to.be.greaterThan(0);
    await sleep(1_500);
    await relay?.stop();
    relay = startRelay(parts());
    await commit();
    await untilAllPublished();
    expect(warnings).to.deep.equal([all]);
  });

  describe('npm run republish', () => {
    it('publishes what is missing, and nothing else, with and without a running service', async () => {
      await startWith(300);
      const { last_seq } = (await streams().info(STREAM)).state;
      const republished = () => republish(parts(), BEGINNING);
      expect(await republished()).to.deep.include({ lost: 0, late: 0 });
      for (const seq of [3, 4, 700]) await streams().deleteMessage(STREAM, seq);
      expect(await republished()).to.deep.include({ lost: 3, late: 3 });
      expect((await missingAndInversions()).missing).to.equal(0);
      await relay?.stop();
      await deleteLast(2);
      await streams().deleteMessage(STREAM, 10);
      expect((await republish(parts(), new Date())).lost).to.equal(0);
      expect((await republished()).lost).to.equal(3);
      expect((await missingAndInversions()).missing).to.equal(0);
      expect((await streams().info(STREAM)).state.last_seq).to.equal(last_seq + 6);
      expect((await republished()).lost).to.equal(0);
    });

    it('finds those whose places were not recorded', async () => {
      await startWith(300);
      await relay?.stop();
      await pool.query('UPDATE outbox SET stream_seq = NULL WHERE position % 2 = 0');
      await streams().deleteMessage(STREAM, 2);
      expect(await republish(parts(), BEGINNING)).to.deep.include({ lost: 1, late: 1 });
      expect((await missingAndInversions()).missing).to.equal(0);
      const { rowCount } = await pool.query('SELECT FROM outbox WHERE stream_seq IS NULL');
      expect(rowCount).to.equal(0);
    });
  });
});
