import { expect } from 'chai';
import * as fc from 'fast-check';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import type { Rules } from '../../../lib/contracts/membership.ts';
import { RECOVERING, TODAY, until, World } from '../../harness/contribution.ts';
import type { Person, Running } from '../../harness/contribution.ts';
import type { Mishap } from '../../harness/fake-treasury.ts';

const AMOUNT = 60;
const OPENING_BALANCE = 1_000_000;

type Operation =
  | { kind: 'pay'; payer: number; payee: number; round: number; parts: number }
  | { kind: 'settle'; round: number }
  | { kind: 'join' };

interface Scenario {
  hands: number[];
  beneficiaries: number;
  batches: Operation[][];
  mishaps: Mishap[];
}

const someone = fc.nat(9);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      payer: someone,
      payee: someone,
      round: fc.nat(3),
      // The share of one hand's due that is paid: all of it, a half, a third.
      parts: fc.constantFrom(1, 1, 2, 3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle' as const), round: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('join' as const) }) },
);

const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    hands: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 2, maxLength: 4 }),
    beneficiaries: fc.constantFrom(1, 1, 2),
    batches: fc.array(fc.array(operation, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 }),
    mishaps: fc.array(fc.constantFrom<Mishap>('none', 'none', 'none', 'request_lost', 'answer_lost', 'late'), {
      maxLength: 20,
    }),
  })
  .map((drawn) => {
    const total = drawn.hands.reduce((sum, count) => sum + count, 0);
    return { ...drawn, beneficiaries: total % drawn.beneficiaries === 0 ? drawn.beneficiaries : 1 };
  });

describe('contribution: any interleaving of joins, payments and settlements', () => {
  let world: World;
  /** Works under pressure: it waits shorter than the ledger may take, and recovers beside the requests. */
  let service: Running;
  /** Waits as long as it takes. */
  let calm: Running;

  before(async () => {
    world = await World.create();
    world.treasury.lateness_ms = 30;
    const hasty = { call_timeout_ms: 20, settlement_timeout_ms: 20, in_flight_wait_ms: 30 };
    service = await world.start({ ...RECOVERING, ...hasty });
    calm = await world.start({ call_timeout_ms: 5_000, settlement_timeout_ms: 5_000 });
  });

  after(async () => {
    await service.stop();
    await calm.stop();
    await world.destroy();
  });

  async function begin({ hands, beneficiaries }: Scenario, rules: Partial<Rules> = {}) {
    world.today = TODAY;
    world.treasury.mishaps.length = 0;
    return world.cycle(service, hands, { beneficiaries, amount: AMOUNT, ...rules });
  }
  type Group = Awaited<ReturnType<typeof begin>>;

  async function perform(group: Group, operation: Operation): Promise<void> {
    const pick = <T>(from: T[], index: number) => from[index % from.length]!;
    if (operation.kind === 'join') {
      world.join(group.association_id);
      return;
    }
    const meeting = pick(group.meetings, operation.round);
    if (operation.kind === 'settle') {
      const { code } = await service.settle(group.president, meeting);
      expect(code).to.be.oneOf([undefined, ...SETTLE_REFUSALS]);
      return;
    }
    const payee = pick(group.people, operation.payee).member_id;
    const payer = pick(group.people, operation.payer);
    const { code } = await service.contribute(payer, meeting, AMOUNT / operation.parts, { for_member_id: payee });
    expect(code).to.be.oneOf([undefined, 'contribution_exceeds_due', 'meeting_not_open']);
  }

  function expectMoneyKept(people: Person[], meetings: Meeting[]): void {
    const inPools = meetings.reduce((sum, meeting) => sum + world.inPool(meeting), 0);
    const inWallets = people.reduce((sum, person) => sum + world.wallet(person), 0);
    expect(inPools + inWallets, 'money is neither made nor lost').to.equal(people.length * OPENING_BALANCE);
  }

  /** What holds at every moment, also while things are in flight. */
  async function checkAlways({ association_id, president, people, meetings }: Group, hands: number[]): Promise<void> {
    const now = await service.meetings(president.user_id, association_id);
    const settled = now.map((meeting) => meeting.status === 'settled');
    expect(
      settled.toSorted((a, b) => Number(b) - Number(a)),
      'rounds settle in order',
    ).to.deep.equal(settled);
    for (const meeting of meetings) {
      const dues = await service.dues(president, meeting);
      expect(dues.map((due) => due.member_id)).to.deep.equal(people.map((person) => person.member_id));
      dues.forEach((due, index) => {
        expect(due.due).to.equal(hands[index]! * AMOUNT);
        expect(due.paid + due.outstanding).to.equal(due.due);
        expect(due.outstanding).to.be.at.least(0);
      });
    }
  }

  async function checkSettledDown({ association_id, president, people, meetings }: Group): Promise<void> {
    for (const meeting of await service.meetings(president.user_id, association_id)) {
      const contributions = await service.contributions(president, meeting);
      const paid = contributions.filter((each) => each.status === 'paid');
      const collected = paid.reduce((sum, each) => sum + each.amount, 0);
      expect(meeting.collected_amount).to.equal(collected);
      expect(collected).to.be.at.most(meeting.expected_amount);
      expect(world.inPool(meeting), 'the pool').to.equal(meeting.status === 'settled' ? 0 : collected);
      if (meeting.status === 'settled') expect(collected).to.equal(meeting.expected_amount);
    }
    expectMoneyKept(people, meetings);
  }

  /** Pays what is left, settles every round, and sees the cycle complete with everyone's turns paid. */
  async function finish({ association_id, president, people, meetings }: Group, hands: number[]): Promise<void> {
    const paidBy = new Map<string, number>();
    for (const meeting of meetings) {
      for (const [index, due] of (await service.dues(president, meeting)).entries()) {
        if (due.outstanding > 0) {
          expect((await calm.contribute(people[index]!, meeting, due.outstanding)).status).to.equal(201);
        }
      }
      await calm.settle(president, meeting);
      expect(await calm.statusOf(president, meeting)).to.equal('settled');
      for (const { paid_by_member_id, amount, status } of await service.contributions(president, meeting)) {
        if (status === 'paid') paidBy.set(paid_by_member_id, (paidBy.get(paid_by_member_id) ?? 0) + amount);
      }
    }
    people.forEach((person, index) => {
      // Each hand gets back, over the cycle, what one hand owes.
      const received = hands[index]! * AMOUNT * meetings.length;
      const net = received - (paidBy.get(person.member_id) ?? 0);
      expect(world.wallet(person)).to.equal(OPENING_BALANCE + net);
    });
    expect(await world.countEvents(association_id, 'cycle.completed')).to.equal(1);
  }

  const undecided = async (association_id: string) => {
    const [row] = await world.rows<{ left: boolean }>(
      `SELECT EXISTS (SELECT FROM contributions WHERE association_id = $1 AND status = 'pending')
         OR EXISTS (SELECT FROM meetings WHERE association_id = $1 AND status = 'settling') AS left`,
      [association_id],
    );
    return row?.left === true;
  };

  /** Performs the drawn batches, then waits until nothing is in flight. */
  async function play(group: Group, drawn: Scenario): Promise<void> {
    world.treasury.mishaps.push(...drawn.mishaps);
    for (const batch of drawn.batches) {
      await Promise.all(batch.map((each) => perform(group, each)));
      await checkAlways(group, drawn.hands);
    }
    world.treasury.mishaps.length = 0;
    await until('nothing is in flight', async () => !(await undecided(group.association_id)));
  }

  it('keeps dues = paid + outstanding, collects nothing twice, settles rounds in order', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const group = await begin(drawn);
        await play(group, drawn);
        await checkAlways(group, drawn.hands);
        await checkSettledDown(group);
        await finish(group, drawn.hands);
      }),
      { numRuns: 20 },
    );
  });

  /** What is gone of the arrears was paid by just so much money: straight to creditors, or off a debtor's own turn. */
  async function checkArrears({ association_id, president, people, meetings }: Group): Promise<void> {
    let gone = 0;
    for (const meeting of meetings) {
      const reply = await service.getSettlement(president, meeting);
      if (reply.code !== undefined) continue;
      const { body } = reply;
      const dues = await service.dues(president, meeting);
      const owed = new Map(body.arrears.map((each) => [each.member_id, each.amount]));
      for (const due of dues) {
        expect(due.arrears).to.be.within(0, due.outstanding);
        gone += (owed.get(due.member_id) ?? 0) - due.arrears;
      }
      const paid_out = body.payouts.reduce((sum, payout) => sum + payout.amount, 0);
      expect(paid_out + body.to_treasury_amount).to.equal(body.collected_amount);
      expect(world.inPool(meeting)).to.equal(0);
    }
    const [sums] = await world.rows<{ direct: number; set_off: number }>(
      `SELECT (SELECT coalesce(sum(amount_minor), 0)::integer FROM contributions
           WHERE association_id = $1 AND kind = 'arrears' AND status = 'paid') AS direct,
         (SELECT coalesce(sum(x.amount_minor), 0)::integer FROM arrears_allocations x
           JOIN settlements s ON s.id = x.payment_id AND s.status = 'settled' WHERE s.association_id = $1) AS set_off`,
      [association_id],
    );
    expect(gone, 'arrears gone').to.equal(sums!.direct + sums!.set_off);
    expectMoneyKept(people, meetings);
  }

  /** Settles what is left and pays all arrears: nothing is owed then. */
  async function payEverythingOff({ president, people, meetings }: Group): Promise<void> {
    for (const meeting of meetings) await calm.settle(president, meeting);
    for (const meeting of meetings) {
      expect(await calm.statusOf(president, meeting)).to.equal('settled');
      for (const [index, due] of (await calm.dues(president, meeting)).entries()) {
        if (due.arrears === 0) continue;
        expect((await calm.contribute(people[index]!, meeting, due.arrears)).body.outstanding).to.equal(0);
      }
    }
  }

  it('pays arrears once, directly or off the debtor’s turn, whatever else happens', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const group = await begin(drawn, { shortfall: 'pay_collected' });
        // Every round is due.
        world.today = '2028-01-01';
        await play(group, drawn);
        await checkArrears(group);
        await payEverythingOff(group);
        await checkArrears(group);
        const owing = await world.rows('SELECT FROM arrears WHERE association_id = $1 AND paid_minor < amount_minor', [
          group.association_id,
        ]);
        expect(owing).to.deep.equal([]);
      }),
      { numRuns: 20 },
    );
  });
});

const SETTLE_REFUSALS = [
  'meeting_not_open',
  'earlier_round_open',
  'contributions_in_flight',
  'meeting_not_due',
  'meeting_underfunded',
];
