import { expect } from 'chai';
import { createServiceTables } from '../../../lib/db/service-tables.ts';
import type { Database } from '../../../lib/db/database.ts';
import { grantTo } from '../../../lib/db/migrate.ts';
import { insertRows, instant, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import { Outbox } from '../../../lib/events/outbox.ts';
import { createSaga, type Attempt, type Saga, type SagaDefinition } from '../../../lib/saga/saga.ts';
import type { StateTable } from '../../../lib/saga/states.ts';
import { SAGA_TIMINGS } from '../../../lib/saga/timings.ts';
import { runInTurn } from '../../../lib/service/recurring-job.ts';
import { eventually } from '../../harness/eventually.ts';
import { openOwnTables } from '../../harness/own-tables.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { quietLog, testIds } from '../../harness/runtime.ts';

/** The saga packs and sends an order; `sent` has no step, so the saga stops there. */
type State = 'packing' | 'sending' | 'sent' | 'delivered' | 'lost';

const STATES: StateTable<State> = {
  packing: { next: ['sending', 'lost'] },
  sending: { next: ['sent'] },
  sent: { next: ['delivered'] },
  delivered: { next: [] },
  lost: { next: [] },
};

const orders = table('orders', {
  id: key(uuid()),
  status: text<State>(),
  last_attempt_at: instant(),
  parcel: optional(text()),
});
type Order = RowOf<typeof orders>;

describe('the saga engine', () => {
  const newId = testIds();
  let now: Date;
  let db: Database;
  let close: () => Promise<void>;
  let points: string[];

  before(async () => {
    ({ db, close } = await openOwnTables('orders', [orders], async (runner) => {
      await createServiceTables(runner);
      await runner.query(
        'CREATE TABLE orders (id uuid PRIMARY KEY, status text NOT NULL, last_attempt_at timestamptz NOT NULL, parcel text)',
      );
      await grantTo(runner, 'orders', 'SELECT, INSERT, UPDATE, DELETE');
    }));
  });
  after(() => close());
  beforeEach(async () => {
    now = new Date('2026-01-01T00:00:00Z');
    points = [];
    await db.run('DELETE FROM orders');
  });

  const via = { call: () => Promise.reject(new Error('not called here')) };
  const byRequest: Attempt<Order> = { via, isRecovery: false };

  function sagaWith(steps: SagaDefinition<State, Order>['steps'], recoverable?: string, timings = SAGA_TIMINGS) {
    const runtime = { clock: () => now, newId, reached: (point: string) => Promise.resolve(void points.push(point)) };
    const context = {
      service: 'treasury' as const,
      db,
      outbox: new Outbox('membership', runtime.clock, newId),
      runtime,
    };
    return createSaga(context as unknown as Parameters<typeof createSaga>[0], timings, {
      name: 'order',
      table: orders,
      states: STATES,
      steps,
      ...(recoverable === undefined ? {} : { recoverable }),
    });
  }

  async function stored(status: State = 'packing'): Promise<Order> {
    const order = { id: newId(), status, last_attempt_at: now, parcel: null };
    await insertRows(db, orders, [order]);
    return order;
  }

  const pack = () => Promise.resolve({ to: 'sending' as const, set: { parcel: 'box' } });
  const send = () => Promise.resolve({ to: 'sent' as const });

  it('runs steps until the row reaches a state without a step, and announces each fault point', async () => {
    const saga = sagaWith({ packing: pack, sending: send });
    const order = await stored();
    expect(await saga.run(order, byRequest)).to.deep.equal({ ...order, status: 'sent', parcel: 'box' });
    expect(await saga.find(order.id)).to.deep.equal({ ...order, status: 'sent', parcel: 'box' });
    expect(points).to.deep.equal([
      'treasury.order.packing',
      'treasury.order.packing.acted',
      'treasury.order.sending',
      'treasury.order.sending.acted',
      'treasury.order.sent',
    ]);
  });

  it('moves a row once when two attempts are concurrent, and returns the result to both', async () => {
    let moves = 0;
    const also = () => void (moves += 1);
    const saga = sagaWith({ packing: () => Promise.resolve({ to: 'sending', also }), sending: send });
    const order = await stored();
    const [one, two] = await Promise.all([saga.run(order, byRequest), saga.run(order, byRequest)]);
    expect([one.status, two.status, moves]).to.deep.equal(['sent', 'sent', 1]);
  });

  it('repeats a step once if a node that it called was lost', async () => {
    const lost = Object.assign(new Error('the node has gone'), { type: 'REQUEST_REJECTED' });
    let losses = 1;
    const saga = sagaWith({ sending: () => (losses-- > 0 ? Promise.reject(lost) : send()) });
    expect((await saga.run(await stored('sending'), byRequest)).status).to.equal('sent');
    losses = 2;
    expect(await outcomeOf(saga.run(await stored('sending'), byRequest))).to.equal('REQUEST_REJECTED');
  });

  it('does not know what a lost node has done, even if the repeated call certainly did not run', async () => {
    const errors = ['REQUEST_REJECTED', 'SERVICE_NOT_AVAILABLE'].map((type) =>
      Object.assign(new Error(type), { type }),
    );
    const saga = sagaWith({ sending: () => Promise.reject(errors.shift() ?? new Error('a third call')) });
    expect(await outcomeOf(saga.run(await stored('sending'), byRequest))).to.equal('REQUEST_REJECTED');
    expect(errors).to.deep.equal([]);
  });

  it('stores a move, its events and its other writes in one transaction', async () => {
    const saga = sagaWith({
      packing: () =>
        Promise.resolve({
          to: 'sending',
          facts: [{ type: 'association.closed', association_id: newId(), data: { approval_id: newId() } }],
          also: () => Promise.reject(new Error('no room')),
        }),
    });
    const order = await stored();
    expect(await outcomeOf(saga.run(order, byRequest))).to.equal('no room');
    expect((await saga.find(order.id))?.status).to.equal('packing');
    expect(await db.rows('SELECT FROM outbox')).to.deep.equal([]);
  });

  it('stores the answer only in the transaction in which the row reaches a state without a step', async () => {
    const kept: State[] = [];
    const saga = sagaWith({ packing: pack, sending: send });
    await saga.run(await stored(), { ...byRequest, keepAnswer: (_tx, { status }) => void kept.push(status) });
    expect(kept).to.deep.equal(['sent']);
  });

  it('rejects a move that the state table does not allow with RangeError', async () => {
    const saga = sagaWith({ packing: () => Promise.resolve({ to: 'delivered' }) });
    const failure = await saga.run(await stored(), byRequest).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(RangeError);
  });

  it('lets a step commit its own move, and reads the row if that move was made by another attempt', async () => {
    const order = await stored();
    const saga = sagaWith({
      packing: () =>
        Promise.resolve({
          commit: async () => {
            await db.run(`UPDATE orders SET status = 'lost' WHERE id = $1`, [order.id]);
            return undefined;
          },
        }),
    });
    expect((await saga.run(order, byRequest)).status).to.equal('lost');
  });

  describe('recovery', () => {
    const later = () => (now = new Date(now.getTime() + SAGA_TIMINGS.stale_after_ms + 1));
    const recover = (saga: Saga<State, Order>) => runInTurn([saga.recovery(via, quietLog)]);
    const statusOf = async ({ id }: Order) => (await db.orm.findOneByOrFail(orders, { id })).status;

    it('runs unfinished rows, but neither recent rows nor rows in a state without a step', async () => {
      const saga = sagaWith({ packing: pack, sending: send });
      const unfinished = await stored('sending');
      const final = await stored('lost');
      later();
      const recent = await stored('packing');
      await recover(saga);
      expect(await Promise.all([unfinished, final, recent].map(statusOf))).to.deep.equal(['sent', 'lost', 'packing']);
    });

    it('claims a row for one of several processes, and again when it has become stale again', async () => {
      const seen: string[] = [];
      const fail = ({ id }: Order) => {
        seen.push(id);
        return Promise.reject(new Error('unavailable'));
      };
      const saga = sagaWith({ packing: fail });
      const order = await stored();
      later();
      await Promise.all([recover(saga), recover(saga)]);
      expect(seen).to.deep.equal([order.id]);
      later();
      await recover(saga);
      expect(seen).to.deep.equal([order.id, order.id]);
    });

    it('takes over a row 3 s after its last attempt', async () => {
      const saga = sagaWith({ sending: send });
      const order = await stored('sending');
      now = new Date(now.getTime() + 3_000);
      await recover(saga);
      expect(await statusOf(order)).to.equal('sending');
      now = new Date(now.getTime() + 1);
      await recover(saga);
      expect(await statusOf(order)).to.equal('sent');
    });

    it('takes over a row whose last attempt is in the future: the clock of its process was ahead', async () => {
      const saga = sagaWith({ sending: send });
      const order = await stored('sending');
      now = new Date(now.getTime() - 3_001);
      await recover(saga);
      expect(await statusOf(order)).to.equal('sent');
    });

    it('leaves a row alone while a step runs that takes long', async () => {
      const released = Promise.withResolvers<void>();
      const slow = async () => {
        await released.promise;
        return send();
      };
      const saga = sagaWith({ sending: slow }, undefined, { ...SAGA_TIMINGS, stale_after_ms: 30 });
      const order = await stored('sending');
      const running = saga.run(order, byRequest);
      now = new Date(now.getTime() + 60_000);
      const isTouched = async () => expect((await saga.find(order.id))?.last_attempt_at).to.deep.equal(now);
      await eventually(isTouched);
      released.resolve();
      await running;
    });

    it('runs a row that a request has left after a fault at its next run', async () => {
      let faults = 1;
      const saga = sagaWith({ sending: () => (faults-- > 0 ? Promise.reject(new Error('unavailable')) : send()) });
      const order = await stored('sending');
      expect(await outcomeOf(saga.run(order, byRequest))).to.equal('unavailable');
      now = new Date(now.getTime() + 1);
      await recover(saga);
      expect(await statusOf(order)).to.equal('sent');
    });

    it('runs a row that waits for a service at its next run', async () => {
      const away = [Object.assign(new Error('away'), { type: 'SERVICE_NOT_AVAILABLE' })];
      const saga = sagaWith({ sending: () => (away.length > 0 ? Promise.reject(away.pop()!) : send()) });
      const order = await stored('sending');
      later();
      await recover(saga);
      expect(await statusOf(order)).to.equal('sending');
      now = new Date(now.getTime() + 1);
      await recover(saga);
      expect(await statusOf(order)).to.equal('sent');
    });

    it('continues with other rows when a row fails', async () => {
      const saga = sagaWith({ packing: () => Promise.reject(new Error('unavailable')), sending: send });
      await stored('packing');
      const other = await stored('sending');
      later();
      await recover(saga);
      expect(await statusOf(other)).to.equal('sent');
    });

    it('claims only rows that fulfil the condition `recoverable`', async () => {
      const saga = sagaWith({ packing: pack }, `parcel IS NOT NULL`);
      const order = await stored();
      later();
      await recover(saga);
      expect(await statusOf(order)).to.equal('packing');
    });
  });
});
