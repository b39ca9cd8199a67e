import { expect } from 'chai';
import { changeMeeting } from '../../../lib/contracts/contribution.ts';
import type { EventType } from '../../../lib/contracts/events.ts';
import { bindIdempotencyKey, freeIdempotencyKey } from '../../../lib/contracts/membership.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { useContribution } from '../../harness/contribution.ts';
import { eventually } from '../../harness/eventually.ts';
import { atOnce, outcomeOf, outcomesOf } from '../../harness/refusal.ts';

/** Keys belong to a user and each test has separate users, so one key serves all tests. */
const KEY = 'a key';

/** A request with an Idempotency-Key. */
interface Request {
  association_id: string;
  /** @param other whether to send a different request with the same key */
  act: (key: string, other?: boolean) => Promise<object>;
  /** Changes the state between the request and its repeat. */
  meanwhile?: () => Promise<unknown>;
  /** The outcome of the same request with another key after that. */
  withNewKey: string;
}

/** recovery.test.ts covers requests whose process died. */
describe('contribution: repeated requests', () => {
  const harness = useContribution();
  const { membership, treasury } = harness;

  const requests: [name: string, event: EventType, prepare: () => Promise<Request>][] = [
    ['start a cycle', 'cycle.started', starting],
    ['schedule a meeting', 'meeting.scheduled', scheduling],
    ['change a meeting', 'meeting.rescheduled', changing],
    ['cancel a meeting', 'meeting.cancelled', cancelling],
    ['pay a contribution', 'contribution.paid', contributing],
    ['settle a meeting', 'meeting.settled', settling],
  ];
  for (const [name, event, prepare] of requests) {
    it(`${name} once, and get the same answer each time`, async () => {
      const { association_id, act, meanwhile, withNewKey } = await prepare();
      const answer = await act(KEY);
      await meanwhile?.();
      const events = await harness.countEvents(association_id, event);
      const balances = new Map(treasury.balances);
      for (let time = 0; time < 2; time += 1) {
        const again = await act(KEY);
        expect(again).to.deep.equal(answer);
        expect(harness.headOf(again)).to.deep.equal({ ...harness.headOf(answer), replayed: true });
      }
      expect(await outcomeOf(act(KEY, true))).to.equal('idempotency_key_reused');
      expect(await harness.countEvents(association_id, event)).to.equal(events);
      expect(treasury.balances).to.deep.equal(balances);
      expect(await outcomeOf(act('another key'))).to.equal(withNewKey);
    });

    it(`${name} once when they arrive concurrently`, async () => {
      const { association_id, act } = await prepare();
      const before = await harness.countEvents(association_id, event);
      const outcomes = await outcomesOf(atOnce(6, () => act(KEY)));
      expect(outcomes[0]).to.equal('done');
      for (const outcome of outcomes) expect(outcome).to.be.oneOf(['done', 'idempotency_in_flight']);
      expect(await harness.countEvents(association_id, event)).to.equal(before + 1);
    });

    it(`do not ${name} if their process was frozen while a repeat was refused`, async () => {
      const { association_id, act } = await prepare();
      const before = await harness.countEvents(association_id, event);
      const balances = new Map(treasury.balances);
      expect(await harness.outcomeAfterRefusedRepeat(KEY, () => act(KEY))).to.equal('idempotency_in_flight');
      expect(await harness.countEvents(association_id, event)).to.equal(before);
      expect(treasury.balances).to.deep.equal(balances);
      expect(await outcomeOf(act(KEY))).to.equal('done');
    });
  }

  function starting(): Promise<Request> {
    const group = harness.group([1, 1, 1]);
    return Promise.resolve({
      association_id: group.association_id,
      act: (key, other) => harness.startCycle(group, { order: other === true ? 'join' : 'draw' }, key),
      meanwhile: () => Promise.resolve(harness.join(group.association_id)),
      withNewKey: 'cycle_in_progress',
    });
  }

  async function scheduling(): Promise<Request> {
    const group = await harness.groupWithMeeting();
    return {
      association_id: group.association_id,
      act: (key, other) => harness.scheduleMeeting(group, { title: other === true ? 'Other' : 'Kitty' }, key),
      withNewKey: 'done',
    };
  }

  async function changing(): Promise<Request> {
    const { association_id, president, meeting } = await harness.groupWithMeeting();
    const path = { association_id, meeting_id: meeting.id };
    const change = (due_on: string, key?: string) =>
      harness.as(president.user_id, changeMeeting, { path, body: { due_on } }, { key });
    return {
      association_id,
      act: (key, other) => change(other === true ? '2026-05-02' : '2026-05-01', key),
      async meanwhile() {
        await change('2026-06-01');
        await harness.settle(president, meeting);
      },
      withNewKey: 'meeting_not_open',
    };
  }

  async function cancelling(): Promise<Request> {
    const group = await harness.groupWithMeeting();
    const another = await harness.scheduleMeeting(group);
    return {
      association_id: group.association_id,
      act: (key, other) => harness.cancel(group.president, other === true ? another : group.meeting, key),
      withNewKey: 'meeting_not_open',
    };
  }

  async function contributing(): Promise<Request> {
    const { association_id, president, first } = await harness.cycle([1, 1]);
    return {
      association_id,
      act: (key, other) => harness.contribute(president, first, other === true ? 4_001 : 4_000, {}, key),
      withNewKey: 'done',
    };
  }

  async function settling(): Promise<Request> {
    const { association_id, president, first, pay } = await harness.cycle([1, 1]);
    await pay(first);
    return {
      association_id,
      act: (key, other) =>
        harness.settle(president, first, other === true ? { preview_hash: '0'.repeat(64) } : {}, key),
      withNewKey: 'meeting_not_open',
    };
  }

  it('do not plan for a meeting that they have closed if their process was frozen while a repeat was refused', async () => {
    const { president, member, first } = await harness.cycle([1, 1]);
    const group = await harness.groupWithMeeting();
    await harness.contribute(president, first, 10_000);
    const decided = Promise.withResolvers<void>();
    treasury.next(transfer, decided.promise);
    const paying = harness.contribute(member, first, 10_000);
    await eventually(() => expect(treasury.received(transfer)).to.have.length(2));
    for (const act of [
      // A settlement closes its meeting only if it must wait for a payment.
      () => harness.settle(president, first, {}, KEY),
      () => harness.cancel(group.president, group.meeting, KEY),
    ]) {
      const { there, goOn } = harness.holdAt('contribution.meeting_closed');
      const late = outcomeOf(act());
      await there;
      decided.resolve();
      await paying;
      await harness.sql('DELETE FROM idempotency_keys WHERE key = $1', KEY);
      goOn();
      expect(await late).to.equal('idempotency_in_flight');
    }
    expect(
      await harness.sql('SELECT FROM settlements WHERE meeting_id IN ($1, $2)', first.id, group.meeting.id),
    ).to.deep.equal([]);
  });

  it('repeat the refusal even if membership could not free their key', async () => {
    const { president, first } = await harness.cycle([1, 1]);
    membership.next(freeIdempotencyKey, 'unavailable');
    for (const times of [1, 2]) {
      expect(await outcomeOf(harness.contribute(president, first, 10_001, {}, KEY))).to.equal(
        'contribution_exceeds_due',
      );
      expect(membership.received(bindIdempotencyKey)).to.have.length(times);
      expect(membership.received(freeIdempotencyKey)).to.have.length(times);
    }
  });

  it('continue a request whose process died before it stored anything but the key', async () => {
    const { president, first } = await harness.cycle([1, 1]);
    const pay = () => harness.contribute(president, first, 10_000, {}, KEY);
    await harness.dieAt('idempotency.claimed', pay);
    expect((await pay()).status).to.equal('paid');
    expect(harness.wallet(president)).to.equal(990_000);
  });

  it('repeat a 202 answer, while a refusal frees the key for another request', async () => {
    const { president, first } = await harness.cycle([1, 1]);
    const pay = (amount: number, key: string) => harness.contribute(president, first, amount, {}, key);
    treasury.next(transfer, 'request_lost');
    const answer = await pay(1_000, KEY);
    const again = await pay(1_000, KEY);
    expect(again).to.deep.equal(answer);
    expect(harness.headOf(again).status).to.equal(202);
    expect(await outcomeOf(pay(99_000, 'another key'))).to.equal('contribution_exceeds_due');
    expect((await pay(9_000, 'another key')).status).to.equal('paid');
  });
});
