import { expect } from 'chai';
import * as fc from 'fast-check';
import type { ServiceBroker } from 'moleculer';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import type { Rules } from '../../../lib/contracts/membership.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { OPENING_BALANCE, PAY_COLLECTED, RECOVERING, TODAY, useContribution } from '../../harness/contribution.ts';
import type { Person } from '../../harness/contribution.ts';
import { eventually } from '../../harness/eventually.ts';
import type { Mishap } from '../../harness/fakes/fake.ts';
import { outcomeOf } from '../../harness/refusal.ts';

const AMOUNT = 60;
const CALM = { call_timeout_ms: 5_000, settlement_timeout_ms: 5_000 };
/** Waits shorter than the ledger may take, and recovers beside the requests. */
const HASTY = { ...RECOVERING, call_timeout_ms: 20, settlement_timeout_ms: 20, in_flight_wait_ms: 30 };
const LATENESS_MS = 30;

const REFUSALS = {
  pay: ['contribution_exceeds_due', 'meeting_not_open'],
  settle: [
    'meeting_not_open',
    'earlier_round_open',
    'contributions_in_flight',
    'meeting_not_due',
    'meeting_underfunded',
  ],
};

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

const member = fc.nat(9);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      payer: member,
      payee: member,
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
  let hasty: ServiceBroker;
  after(() => hasty.stop());
  const bench = useContribution(TODAY, CALM);
  before(async () => {
    hasty = await bench.startProcess(HASTY);
  });

  function begin({ hands, beneficiaries }: Scenario, rules: Partial<Rules> = {}) {
    bench.clock.day = TODAY;
    return bench.cycle(hands, { beneficiaries_per_meeting: beneficiaries, amount: AMOUNT, ...rules });
  }
  type Cycle = Awaited<ReturnType<typeof begin>>;

  async function perform({ association_id, meetings, people, president }: Cycle, drawn: Operation): Promise<void> {
    const pick = <T>(from: T[], index: number) => from[index % from.length]!;
    if (drawn.kind === 'join') {
      bench.join(association_id);
      return;
    }
    const meeting = pick(meetings, drawn.round);
    if (drawn.kind === 'settle') {
      expect(await outcomeOf(bench.settle(president, meeting))).to.be.oneOf(['done', ...REFUSALS.settle]);
      return;
    }
    const for_member_id = pick(people, drawn.payee).member_id;
    const payment = bench.contribute(pick(people, drawn.payer), meeting, AMOUNT / drawn.parts, { for_member_id });
    expect(await outcomeOf(payment)).to.be.oneOf(['done', ...REFUSALS.pay]);
  }

  function expectMoneyKept(people: Person[], meetings: Meeting[]): void {
    const inPools = meetings.reduce((sum, meeting) => sum + bench.inPool(meeting), 0);
    const inWallets = bench.wallets(people).reduce((sum, balance) => sum + balance, 0);
    expect(inPools + inWallets, 'money is neither made nor lost').to.equal(people.length * OPENING_BALANCE);
  }

  /** What holds at every moment, also while things are in flight. */
  async function checkAlways(cycle: Cycle, hands: number[]): Promise<void> {
    const settled = (await bench.meetings(cycle)).map(({ status }) => status === 'settled');
    expect(settled.lastIndexOf(true), 'rounds settle in order').to.be.below(settled.concat(false).indexOf(false));
    for (const meeting of cycle.meetings) {
      const dues = await bench.dues(cycle.president, meeting);
      expect(dues.map((due) => due.member_id)).to.deep.equal(cycle.people.map((person) => person.member_id));
      dues.forEach((due, index) => {
        expect(due.due).to.equal(hands[index]! * AMOUNT);
        expect(due.paid + due.outstanding).to.equal(due.due);
        expect(due.outstanding).to.be.at.least(0);
      });
    }
  }

  /** What holds when nothing is in flight. */
  async function checkPools(cycle: Cycle): Promise<void> {
    for (const meeting of await bench.meetings(cycle)) {
      const contributions = await bench.contributions(cycle.president, meeting);
      const paid = contributions.filter(({ status }) => status === 'paid');
      const collected = paid.reduce((sum, { amount }) => sum + amount, 0);
      expect(meeting.collected_amount).to.equal(collected);
      expect(collected).to.be.at.most(meeting.expected_amount);
      expect(bench.inPool(meeting), 'the pool').to.equal(meeting.status === 'settled' ? 0 : collected);
      if (meeting.status === 'settled') expect(collected).to.equal(meeting.expected_amount);
    }
    expectMoneyKept(cycle.people, cycle.meetings);
  }

  /** Pays what is left and settles every round: the cycle completes, and all turns are paid. */
  async function finish({ association_id, president, people, meetings }: Cycle, hands: number[]): Promise<void> {
    const paidBy = new Map<string, number>();
    for (const meeting of meetings) {
      for (const [index, { outstanding }] of (await bench.dues(president, meeting)).entries()) {
        if (outstanding === 0) continue;
        expect((await bench.contribute(people[index]!, meeting, outstanding)).status).to.equal('paid');
      }
      await outcomeOf(bench.settle(president, meeting));
      expect(await bench.statusOf(president, meeting)).to.equal('settled');
      for (const { paid_by_member_id, amount, status } of await bench.contributions(president, meeting)) {
        if (status === 'paid') paidBy.set(paid_by_member_id, (paidBy.get(paid_by_member_id) ?? 0) + amount);
      }
    }
    people.forEach((person, index) => {
      // Each hand receives, over the cycle, what one hand owes.
      const received = hands[index]! * AMOUNT * meetings.length;
      expect(bench.wallet(person)).to.equal(OPENING_BALANCE + received - (paidBy.get(person.member_id) ?? 0));
    });
    expect(await bench.countEvents(association_id, 'cycle.completed')).to.equal(1);
  }

  /** Performs the drawn batches, then waits until nothing is in flight. */
  async function play(cycle: Cycle, { batches, mishaps, hands }: Scenario): Promise<void> {
    bench.treasury.lateness_ms = LATENESS_MS;
    bench.treasury.next(transfer, ...mishaps);
    await bench.through(hasty, async () => {
      for (const batch of batches) {
        await Promise.all(batch.map((each) => perform(cycle, each)));
        await checkAlways(cycle, hands);
      }
    });
    bench.treasury.reset();
    await eventually(async () => {
      const inFlight = await bench.sql(
        `SELECT id FROM contributions WHERE association_id = $1 AND status = 'pending'
         UNION ALL SELECT id FROM meetings WHERE association_id = $1 AND status = 'settling'`,
        cycle.association_id,
      );
      expect(inFlight).to.deep.equal([]);
    });
  }

  it('keeps dues = paid + outstanding, collects nothing twice, settles rounds in order', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const cycle = await begin(drawn);
        await play(cycle, drawn);
        await checkAlways(cycle, drawn.hands);
        await checkPools(cycle);
        await finish(cycle, drawn.hands);
      }),
      { numRuns: 20 },
    );
  });

  /** What is gone of the arrears was paid by exactly so much money: to creditors, or off a debtor's own turn. */
  async function checkArrears(cycle: Cycle): Promise<void> {
    let gone = 0;
    for (const meeting of await bench.meetings(cycle)) {
      if (meeting.status !== 'settled') continue;
      const { arrears, payouts, ...settlement } = await bench.getSettlement(cycle.president, meeting);
      const owed = new Map(arrears.map((each) => [each.member_id, each.amount]));
      for (const due of await bench.dues(cycle.president, meeting)) {
        expect(due.arrears).to.be.within(0, due.outstanding);
        gone += (owed.get(due.member_id) ?? 0) - due.arrears;
      }
      const paid_out = payouts.reduce((sum, payout) => sum + payout.amount, 0);
      expect(paid_out + settlement.to_treasury_amount).to.equal(settlement.collected_amount);
      expect(bench.inPool(meeting)).to.equal(0);
    }
    const [sums] = await bench.sql<{ direct: number; deducted: number }>(
      `SELECT (SELECT coalesce(sum(amount_minor), 0)::integer FROM contributions
           WHERE association_id = $1 AND kind = 'arrears' AND status = 'paid') AS direct,
         (SELECT coalesce(sum(x.amount_minor), 0)::integer FROM arrears_allocations x
           JOIN settlements s ON s.id = x.payment_id AND s.status = 'settled' WHERE s.association_id = $1) AS deducted`,
      cycle.association_id,
    );
    expect(gone, 'arrears gone').to.equal(sums!.direct + sums!.deducted);
    expectMoneyKept(cycle.people, cycle.meetings);
  }

  /** Settles what is left and pays all arrears. */
  async function payEverythingOff({ president, people, meetings }: Cycle): Promise<void> {
    for (const meeting of meetings) await outcomeOf(bench.settle(president, meeting));
    for (const meeting of meetings) {
      expect(await bench.statusOf(president, meeting)).to.equal('settled');
      for (const [index, { arrears }] of (await bench.dues(president, meeting)).entries()) {
        if (arrears === 0) continue;
        expect((await bench.contribute(people[index]!, meeting, arrears)).outstanding).to.equal(0);
      }
    }
  }

  it('pays arrears once, directly or off the debtor’s turn, whatever else happens', async function () {
    this.timeout(60_000);
    await fc.assert(
      fc.asyncProperty(scenario, async (drawn) => {
        const cycle = await begin(drawn, PAY_COLLECTED);
        // Every round is due.
        bench.clock.day = '2028-01-01';
        await play(cycle, drawn);
        await checkArrears(cycle);
        await payEverythingOff(cycle);
        await checkArrears(cycle);
        const owing = await bench.sql(
          'SELECT FROM arrears WHERE association_id = $1 AND paid_minor < amount_minor',
          cycle.association_id,
        );
        expect(owing).to.deep.equal([]);
      }),
      { numRuns: 20 },
    );
  });
});
