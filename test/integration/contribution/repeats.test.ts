import { expect } from 'chai';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { TODAY, World } from '../../harness/contribution.ts';
import type { Person, Reply, Running } from '../../harness/contribution.ts';

/** `Idempotency-Key`: a request repeated has its effect once, whatever became of the first. */
describe('contribution: repeated requests', () => {
  let world: World;
  let service: Running;
  let keys = 0;

  before(async () => {
    world = await World.create();
    service = await world.start();
  });

  beforeEach(() => {
    world.today = '2027-06-01';
    world.treasury.mishaps.length = 0;
  });

  after(async () => {
    await service.stop();
    await world.destroy();
  });

  const newKey = () => {
    keys += 1;
    return `key-${String(keys)}`;
  };
  const wallet = (person: Person) => world.treasury.balance(`wallet:${person.wallet_id}`);

  async function cycleOfTwo() {
    const group = world.tontine([1, 1], 1, 10_000, { shortfall: 'pay_collected' });
    await service.startCycle(group.president.user_id, group.association_id, { starts_on: TODAY });
    const meetings = await service.meetings(group.president.user_id, group.association_id);
    return { ...group, meetings, first: meetings[0]!, other: group.people[1]! };
  }

  /** The first request stops at a step; the second, once the first is taken for dead, goes on with it. */
  async function dieThenRepeat<A>(
    step: string,
    key: string,
    act: (on: Running) => Promise<Reply<A>>,
  ): Promise<Reply<A>> {
    const dying = await world.start({}, step);
    expect((await act(dying)).status, 'the caller gets no answer').to.equal(500);
    await dying.stop();
    await world.letGoOfKey(key);
    return act(service);
  }

  it('pay once and get the same answer again, also for a partial payment', async () => {
    const { president, first } = await cycleOfTwo();
    const key = newKey();
    const pay = () => service.contribute(president, first, 4_000, {}, key);
    const replies = [await pay(), await pay(), await pay()];
    for (const reply of replies) {
      expect(reply.status).to.equal(201);
      expect(reply.body).to.deep.equal(replies[0]!.body);
    }
    expect(wallet(president)).to.equal(996_000);
    expect((await service.contribute(president, first, 4_001, {}, key)).code).to.equal('idempotency_key_reused');
    expect((await service.contribute(president, first, 4_000, {}, newKey())).status).to.equal(201);
    expect(wallet(president)).to.equal(992_000);
  });

  it('are told their refusal also when membership cannot free the key, which their repeat then still has', async () => {
    const { president, first } = await cycleOfTwo();
    const key = newKey();
    world.membership.keysAway = true;
    try {
      const refused = await service.contribute(president, first, 10_001, {}, key);
      expect(refused.code).to.equal('contribution_exceeds_due');
    } finally {
      world.membership.keysAway = false;
    }
    expect((await service.contribute(president, first, 10_001, {}, key)).code).to.equal('contribution_exceeds_due');
    expect(world.membership.keys.filter((done) => done.endsWith(` ${key}`))).to.deep.equal([
      ...[`bind ${key}`, `bind ${key}`, `free ${key}`],
    ]);
  });

  it('keep the answer in the transaction that pays: it is there when the process dies right after', async () => {
    const { president, first } = await cycleOfTwo();
    const key = newKey();
    const reply = await dieThenRepeat('contribution.decided', key, (on) =>
      on.contribute(president, first, 4_000, {}, key),
    );
    const [row] = await world.rows<{ answer: { status: number; headers: object; body: object } }>(
      'SELECT answer FROM idempotency_keys WHERE key = $1',
      [key],
    );
    expect(row?.answer).to.deep.include({ status: 201, body: reply.body });
    expect(row?.answer.headers).to.have.property('Location');
    expect([reply.status, wallet(president)]).to.deep.equal([201, 996_000]);
  });

  for (const step of ['idempotency.claimed', 'contribution.pending_stored', 'contribution.transfer_answered']) {
    it(`go on with a payment that died at ${step}`, async () => {
      const { president, first } = await cycleOfTwo();
      const key = newKey();
      // All that is due: refused, if it stood in its own way.
      const reply = await dieThenRepeat(step, key, (on) => on.contribute(president, first, 10_000, {}, key));
      expect(reply.status).to.equal(201);
      expect(reply.body).to.deep.include({ status: 'paid', outstanding: 0 });
      expect(await service.contributions(president, first)).to.have.length(1);
      expect(wallet(president)).to.equal(990_000);
    });
  }

  it('go on with a payment though its meeting has settled, and give a stored refusal again', async () => {
    const { president, first, other } = await cycleOfTwo();
    const key = newKey();
    const pay = (on: Running) => on.contribute(other, first, 4_000, {}, key);
    world.treasury.balances.set(`wallet:${other.wallet_id}`, 3_999n);
    expect((await dieThenRepeat('contribution.decided', key, pay)).code).to.equal('insufficient_funds');
    // A refusal frees the key.
    world.treasury.balances.set(`wallet:${other.wallet_id}`, 4_000n);
    const paid = await dieThenRepeat('contribution.decided', key, async (on) => {
      const reply = await pay(on);
      await service.settle(president, first);
      return reply;
    });
    expect([paid.status, wallet(other)]).to.deep.equal([201, 0]);
  });

  for (const step of ['contribution.pending_stored', 'contribution.transfer_answered', 'contribution.decided']) {
    it(`pay arrears once when the first died at ${step}`, async () => {
      const { president, first, other } = await cycleOfTwo();
      await service.contribute(president, first, 10_000);
      await service.settle(president, first);
      const before = wallet(president);
      const key = newKey();
      const reply = await dieThenRepeat(step, key, (on) => on.contribute(other, first, 10_000, {}, key));
      expect([reply.status, reply.body.outstanding]).to.deep.equal([201, 0]);
      expect((await service.contribute(other, first, 10_000, {}, key)).body).to.deep.equal(reply.body);
      expect(wallet(president)).to.equal(before + 10_000);
    });
  }

  for (const step of [
    'contribution.settling_begun',
    'contribution.settlement_planned',
    'contribution.settlement_transfer_answered',
    'contribution.settlement_decided',
  ]) {
    it(`settle once when the first died at ${step}`, async () => {
      const { association_id, people, president, first } = await cycleOfTwo();
      for (const person of people) await service.contribute(person, first, 10_000);
      const key = newKey();
      const reply = await dieThenRepeat(step, key, (on) => on.settle(president, first, {}, key));
      expect([reply.status, reply.body.status]).to.deep.equal([200, 'settled']);
      expect((await service.settle(president, first, {}, key)).body).to.deep.equal(reply.body);
      expect((await service.settle(president, first, {}, newKey())).code).to.equal('meeting_not_open');
      expect(wallet(president)).to.equal(1_010_000);
      const settled = (await world.events(association_id)).filter((event) => event.type === 'meeting.settled');
      expect(settled).to.have.length(1);
    });
  }

  for (const step of [
    'contribution.cancelling_begun',
    'contribution.cancellation_planned',
    'contribution.cancellation_transfer_answered',
    'contribution.cancellation_decided',
  ]) {
    it(`cancel once when the first died at ${step}`, async () => {
      const association_id = world.membership.found({ type: 'solidarity' });
      const president = world.join(association_id);
      const meeting: Meeting = await service.scheduleMeeting(president, association_id);
      await service.contribute(president, meeting, 10_000);
      const key = newKey();
      const reply = await dieThenRepeat(step, key, (on) => on.cancel(president, meeting, key));
      expect([reply.status, reply.body.status]).to.deep.equal([200, 'cancelled']);
      expect((await service.cancel(president, meeting, key)).body).to.deep.equal(reply.body);
      expect(wallet(president)).to.equal(1_000_000);
    });
  }

  it('answer as the first did where that was 202, and free the key where it was refused', async () => {
    const { president, first } = await cycleOfTwo();
    const key = newKey();
    world.treasury.mishaps.push('request_lost');
    const reply = await service.contribute(president, first, 1_000, {}, key);
    expect(reply.status).to.equal(202);
    const again = await service.contribute(president, first, 1_000, {}, key);
    expect([again.status, again.body]).to.deep.equal([202, reply.body]);
    const other = newKey();
    expect((await service.contribute(president, first, 99_000, {}, other)).code).to.equal('contribution_exceeds_due');
    expect((await service.contribute(president, first, 9_000, {}, other)).status).to.equal(201);
  });

  it('have one effect when they come at once', async () => {
    const { president, first } = await cycleOfTwo();
    const key = newKey();
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => service.contribute(president, first, 1_000, {}, key)),
    );
    for (const reply of replies) expect(reply.code).to.be.oneOf([undefined, 'idempotency_in_flight']);
    expect(wallet(president)).to.equal(999_000);
  });
});
