import { expect } from 'chai';
import { pinState, resetPin, setPin } from '../../../lib/contracts/membership.ts';
import { STREAM, type LedgerEvent } from '../../../lib/contracts/events.ts';
import { openBus } from '../../../lib/events/stream.ts';
import { eventually } from '../../harness/eventually.ts';
import { useMembership } from '../../harness/membership.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { natsUrl } from '../../harness/servers.ts';

const RIGHT = '246810';
const WRONG = '135790';
const NEW = '975319';

interface StoredEvent {
  association_id: string | null;
  event: LedgerEvent<'pin.changed'>;
  stream_seq: bigint | null;
}

describe('the event of a changed PIN', () => {
  const harness = useMembership();
  let user: string;
  beforeEach(() => {
    user = `user-${harness.newId()}`;
  });

  const seal = (pin: string) => harness.seal(pin);
  const set = (body: { pin: string; current_pin?: string }, key?: string) =>
    harness.as(user, setPin, { body }, { key });
  const reset = (key?: string) =>
    harness.as('operator', resetPin, { path: { user_id: user } }, { scopes: ['pins:reset'], key });
  const stored = () =>
    harness.sql<StoredEvent>(
      `SELECT association_id, event, stream_seq FROM outbox
       WHERE type = 'pin.changed' AND event -> 'data' ->> 'user_id' = $1 ORDER BY position`,
      user,
    );
  const reasons = async () => (await stored()).map(({ event }) => event.data.reason);

  it('says whether it was set, changed or reset, and nothing else', async () => {
    await set({ pin: await seal(RIGHT) });
    await set({ pin: await seal(NEW), current_pin: await seal(RIGHT) });
    await reset();
    await set({ pin: await seal(RIGHT) });
    const events = await stored();
    expect(events.map(({ event }) => event.data)).to.deep.equal(
      ['set', 'changed', 'reset', 'set'].map((reason) => ({ user_id: user, reason })),
    );
    for (const { association_id, event } of events) {
      expect(association_id).to.equal(null);
      expect(event).to.not.have.property('subject');
    }
  });

  it('is published under the subject of events without an association', async () => {
    await set({ pin: await seal(RIGHT) });
    const [published] = await eventually(async () => {
      const events = await stored();
      expect(events[0]?.stream_seq).to.be.a('bigint');
      return events;
    });
    const bus = await openBus(natsUrl(), 'test');
    try {
      const message = await bus.manager.streams.getMessage(STREAM, { seq: Number(published!.stream_seq) });
      expect(message.subject).to.equal('ledger.v1.wallets.pin.changed');
      expect(message.json()).to.deep.equal(published!.event);
    } finally {
      await bus.close();
    }
  });

  it('is written once for a request that is repeated with its key', async () => {
    const first = { pin: await seal(RIGHT) };
    for (let times = 0; times < 2; times += 1) await set(first, 'first');
    const second = { pin: await seal(NEW), current_pin: await seal(RIGHT) };
    for (let times = 0; times < 2; times += 1) await set(second, 'second');
    for (let times = 0; times < 2; times += 1) await reset('third');
    expect(await reasons()).to.deep.equal(['set', 'changed', 'reset']);
  });

  it('is written once when several first PINs are set concurrently', async () => {
    const sealed = await Promise.all(['1111', '2222', '3333'].map(seal));
    await Promise.all(sealed.map((pin) => outcomeOf(set({ pin }))));
    expect(await reasons()).to.deep.equal(['set']);
  });

  it('is not written for what changes no PIN', async () => {
    await reset();
    expect(await outcomeOf(set({ pin: await seal('12') }))).to.equal('pin_invalid');
    expect(await reasons()).to.deep.equal([]);
    const used = await seal(RIGHT);
    await set({ pin: used });
    for (const [refusal, body] of [
      ['validation_failed', { pin: await seal(NEW) }],
      ['pin_invalid', { pin: await seal(NEW), current_pin: await seal(WRONG) }],
      ['pin_invalid', { pin: await seal('12'), current_pin: await seal(RIGHT) }],
      ['pin_replayed', { pin: await seal(NEW), current_pin: used }],
      ['pin_unreadable', { pin: NEW, current_pin: await seal(RIGHT) }],
    ] as const) {
      expect(await outcomeOf(set(body))).to.equal(refusal);
    }
    expect(await reasons()).to.deep.equal(['set']);
  });

  it('is committed with the change, or neither is', async () => {
    const state = async () => (await harness.as(user, pinState)).set;
    const refuse = `ALTER TABLE outbox ADD CONSTRAINT no_event CHECK (type <> 'pin.changed') NOT VALID`;
    const allow = 'ALTER TABLE outbox DROP CONSTRAINT no_event';
    const withoutEvents = async (change: () => Promise<unknown>) => {
      await harness.sql(refuse);
      expect(await outcomeOf(change())).to.equal('internal_error');
      await harness.sql(allow);
    };
    const pin = await seal(RIGHT);
    await withoutEvents(() => set({ pin }));
    expect(await state()).to.equal(false);
    await set({ pin });
    await withoutEvents(() => reset());
    expect(await state()).to.equal(true);
    expect(await reasons()).to.deep.equal(['set']);
  });
});
