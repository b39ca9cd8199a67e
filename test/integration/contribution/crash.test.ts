import { expect } from 'chai';
import { LATER, useContribution } from '../../harness/contribution.ts';
import type { Reply, Running, World } from '../../harness/contribution.ts';

/** Something that a service does as a saga. */
interface Scenario {
  act: (on: Running, key?: string) => Promise<Reply<unknown>>;
  /** What a repeat with the same key is told. */
  told: { status: number; code?: string };
  hasEnded: () => Promise<boolean>;
  check: () => Promise<void>;
}

const SETTLING = ['settlement.planned', 'settlement.planned.acted', 'settlement.settled'];
const PAYING = ['contribution.pending', 'contribution.pending.acted', 'contribution.paid'];

/**
 * The process stops at a fault point of a saga and never goes on; another one, which knows only what is in the database,
 * finishes what was left: by recovery, or as the client repeats its request with the same key. Whatever the point, the
 * state converges and money moves once.
 */
describe('contribution: a process that dies', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made));

  const scenarios: [name: string, points: string[], prepare: () => Promise<Scenario>][] = [
    ['pays a contribution once', PAYING, contribution],
    ['pays arrears once', PAYING, arrears],
    ['settles the last round once, and completes the cycle', SETTLING, lastRound],
    ['sets off and leaves owed once', SETTLING, setOff],
    [
      'opens a meeting again whose plan the ledger refuses',
      [...SETTLING.slice(0, 2), 'settlement.refused'],
      refusedPlan,
    ],
    ['refunds a meeting once', SETTLING, refund],
    ['starts a cycle once', ['cycle.starting', 'cycle.starting.acted', 'cycle.running'], start],
    [
      'releases the members of a cycle that cannot start',
      ['cycle.starting', 'cycle.starting.acted', 'cycle.refusing', 'cycle.refusing.acted', 'cycle.refused'],
      refusedStart,
    ],
  ];
  let keys = 0;
  for (const [name, points, prepare] of scenarios) {
    for (const point of points.map((each) => `contribution.${each}`)) {
      it(`${name}: by recovery after ${point}`, async () => {
        const { act, hasEnded, check } = await prepare();
        await world.dieAt(point, (dying) => act(dying));
        await world.recover(name, hasEnded);
        await check();
      });

      it(`${name}: by a repeat of the request after ${point}`, async () => {
        const { act, told, check } = await prepare();
        keys += 1;
        const key = `key ${String(keys)}`;
        await world.dieAt(point, (dying) => act(dying, key));
        await world.letGoOfKey(key);
        const { status, code } = await act(service, key);
        expect({ status, code }).to.deep.equal({ code: undefined, ...told });
        await check();
      });
    }
  }

  async function contribution(): Promise<Scenario> {
    const { association_id, president, first } = await world.cycle(service, [1, 1]);
    return {
      // All that is due: a repeat would be refused if it stood in its own way.
      act: (on, key) => on.contribute(president, first, 10_000, {}, key),
      told: { status: 201 },
      hasEnded: async () => (await service.contributions(president, first))[0]?.status === 'paid',
      async check() {
        expect(await service.contributions(president, first)).to.have.length(1);
        expect([world.wallet(president), world.inPool(first)]).to.deep.equal([990_000, 10_000]);
        expect((await service.getMeeting(president, first)).body.collected_amount).to.equal(10_000);
        expect((await service.contribute(president, first, 1)).extras).to.deep.equal({ outstanding: 0 });
        expect(await world.countEvents(association_id, 'contribution.paid')).to.equal(1);
      },
    };
  }

  /** A cycle of two whose first round has settled without the debtor's due. */
  async function cycleWithArrears() {
    world.today = LATER;
    const cycle = await world.cycle(service, [1, 1], { shortfall: 'pay_collected' });
    await cycle.pay(cycle.first, [cycle.president]);
    await service.settle(cycle.president, cycle.first);
    return { ...cycle, debtor: cycle.people[1]! };
  }

  async function arrears(): Promise<Scenario> {
    const { association_id, people, first, debtor } = await cycleWithArrears();
    const hasEnded = async () => (await service.due(debtor, first))?.arrears === 6_000;
    return {
      act: (on, key) => on.contribute(debtor, first, 4_000, {}, key),
      told: { status: 201 },
      hasEnded,
      async check() {
        expect(await hasEnded()).to.equal(true);
        expect(people.map((person) => world.wallet(person))).to.deep.equal([1_004_000, 996_000]);
        expect(await world.countEvents(association_id, 'contribution.paid')).to.equal(2);
      },
    };
  }

  async function lastRound(): Promise<Scenario> {
    const { association_id, people, president, first, second, pay } = await world.cycle(service, [1, 1]);
    for (const meeting of [first, second]) await pay(meeting);
    await service.settle(president, first);
    return {
      act: (on, key) => on.settle(president, second, {}, key),
      told: { status: 200 },
      hasEnded: async () => (await service.statusOf(president, second)) === 'settled',
      async check() {
        expect(people.map((person) => world.wallet(person))).to.deep.equal([1_000_000, 1_000_000]);
        expect(world.inPool(second)).to.equal(0);
        expect((await service.getSettlement(president, second)).body.status).to.equal('settled');
        expect(await world.countEvents(association_id, 'meeting.settled')).to.equal(2);
        expect(await world.countEvents(association_id, 'cycle.completed')).to.equal(1);
      },
    };
  }

  async function setOff(): Promise<Scenario> {
    const { people, president, debtor, first, second, pay } = await cycleWithArrears();
    await pay(second, [debtor]);
    return {
      act: (on, key) => on.settle(president, second, {}, key),
      told: { status: 200 },
      hasEnded: async () => (await service.statusOf(president, second)) === 'settled',
      async check() {
        // All of the debtor's turn went to their creditor, who owes them a part of it.
        expect(people.map((person) => world.wallet(person))).to.deep.equal([1_010_000, 990_000]);
        expect((await service.due(debtor, first))?.arrears).to.equal(0);
        expect((await service.due(president, second))?.arrears).to.equal(10_000);
      },
    };
  }

  async function refusedPlan(): Promise<Scenario> {
    const { people, president, first, pay } = await world.cycle(service, [1, 1]);
    await pay(first);
    const beneficiary = world.treasury.wallets.get(president.wallet_id)!;
    beneficiary.currency = 'EUR';
    return {
      act: (on, key) => on.settle(president, first, {}, key),
      told: { status: 422, code: 'wallet_currency_mismatch' },
      hasEnded: async () => (await service.statusOf(president, first)) === 'open',
      async check() {
        beneficiary.currency = 'XAF';
        expect((await service.settle(president, first)).status).to.equal(200);
        expect(people.map((person) => world.wallet(person))).to.deep.equal([1_010_000, 990_000]);
      },
    };
  }

  async function refund(): Promise<Scenario> {
    const { association_id, president, people } = world.tontine([1, 1]);
    const meeting = await service.scheduleMeeting(president, association_id);
    for (const person of people) await service.contribute(person, meeting, 500);
    return {
      act: (on, key) => on.cancel(president, meeting, key),
      told: { status: 200 },
      hasEnded: async () => (await service.statusOf(president, meeting)) === 'cancelled',
      async check() {
        expect(people.map((person) => world.wallet(person))).to.deep.equal([1_000_000, 1_000_000]);
        expect(await world.countEvents(association_id, 'meeting.cancelled')).to.equal(1);
      },
    };
  }

  async function start(): Promise<Scenario> {
    const { association_id, president } = world.tontine([1, 1]);
    const meetings = () => service.meetings(president.user_id, association_id);
    return Promise.resolve({
      act: (on, key) => on.startCycle(president.user_id, association_id, {}, key),
      told: { status: 201 },
      hasEnded: async () => (await meetings()).length === 2,
      async check() {
        expect((await service.startCycle(president.user_id, association_id)).code).to.equal('cycle_in_progress');
        expect(world.membership.boundTo(association_id)).to.equal((await meetings())[0]?.cycle_id);
        expect(await world.countEvents(association_id, 'cycle.started')).to.equal(1);
        expect(await world.countEvents(association_id, 'meeting.scheduled')).to.equal(2);
      },
    });
  }

  async function refusedStart(): Promise<Scenario> {
    const { association_id, president } = world.tontine([1]);
    const cycles = () =>
      world.rows<{ status: string }>('SELECT status FROM cycles WHERE association_id = $1', [association_id]);
    return Promise.resolve({
      act: (on, key) => on.startCycle(president.user_id, association_id, {}, key),
      told: { status: 409, code: 'not_enough_members' },
      hasEnded: async () => (await cycles())[0]?.status === 'refused',
      async check() {
        expect(world.membership.boundTo(association_id)).to.equal(undefined);
        world.join(association_id);
        expect((await service.startCycle(president.user_id, association_id)).body.number).to.equal(1);
      },
    });
  }

  it('gives the refusal of a contribution again, and frees its key', async () => {
    const { president, first } = await world.cycle(service, [1, 1]);
    const pay = (on: Running) => on.contribute(president, first, 4_000, {}, 'poor');
    world.treasury.balances.set(`wallet:${president.wallet_id}`, 3_999n);
    await world.dieAt('contribution.contribution.refused', pay);
    await world.letGoOfKey('poor');
    expect((await pay(service)).code).to.equal('insufficient_funds');
    world.treasury.balances.set(`wallet:${president.wallet_id}`, 4_000n);
    expect((await pay(service)).status).to.equal(201);
  });

  it('keeps the answer in the transaction of the effect: it is there when the process dies right after', async () => {
    const { association_id, president } = world.tontine([1, 1]);
    const draw = (on: Running) => on.startCycle(president.user_id, association_id, { order: 'draw' }, 'draw');
    await world.dieAt('contribution.cycle.running', draw);
    const [cycle] = await world.rows<{ id: string; seed: string }>(
      'SELECT id, seed FROM cycles WHERE association_id = $1',
      [association_id],
    );
    const [row] = await world.rows<{ answer: { status: number; headers: { Location: string }; body: object } }>(
      `SELECT answer FROM idempotency_keys WHERE key = 'draw'`,
    );
    expect(row?.answer).to.deep.include({ status: 201 });
    expect(row?.answer.headers.Location).to.match(new RegExp(`/cycles/${cycle!.id}$`));
    expect(row?.answer.body).to.deep.include({ seed: cycle!.seed, status: 'running' });
    expect((await draw(service)).body).to.deep.equal(row?.answer.body);
  });

  it('opens a meeting again that it has closed to settle it', async () => {
    const { people, president, first, pay } = await world.cycle(service, [1, 1]);
    await world.dieAt('contribution.meeting_closed', (dying) => dying.settle(president, first));
    expect(await service.statusOf(president, first)).to.equal('settling');
    await world.recover('it is open', async () => (await service.statusOf(president, first)) === 'open');
    await pay(first);
    expect((await service.settle(president, first)).status).to.equal(200);
    expect(people.map((person) => world.wallet(person))).to.deep.equal([1_010_000, 990_000]);
  });

  it('opens a meeting again that it has closed to cancel it, unless the request is repeated', async () => {
    const { association_id, president } = world.tontine([1, 1]);
    for (const end of ['open', 'cancelled']) {
      const meeting = await service.scheduleMeeting(president, association_id);
      await world.dieAt('contribution.meeting_closed', (dying) => dying.cancel(president, meeting, meeting.id));
      await world.letGoOfKey(meeting.id);
      if (end === 'cancelled') expect((await service.cancel(president, meeting, meeting.id)).status).to.equal(200);
      else await world.recover('it is open', async () => (await service.statusOf(president, meeting)) === 'open');
      expect(await service.statusOf(president, meeting)).to.equal(end);
    }
  });
});
