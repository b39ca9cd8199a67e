import { expect } from 'chai';
import * as fc from 'fast-check';
import type { ServiceBroker } from 'moleculer';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import type { Rules } from '../../../lib/contracts/membership.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { LATER, OPENING_BALANCE, RECOVERING, TODAY, useContribution } from '../../harness/contribution.ts';
import { eventually } from '../../harness/eventually.ts';
import type { Fault } from '../../harness/fakes/fake.ts';
import { outcomeOf } from '../../harness/refusal.ts';

const AMOUNT = 60;
const LONG_WAITS = { call_timeout_ms: 5_000, settlement_timeout_ms: 5_000 };
/** Waits shorter than the ledger may take, so that recovery works while requests are in progress. */
const SHORT_WAITS = { ...RECOVERING, call_timeout_ms: 20, settlement_timeout_ms: 20, in_flight_wait_ms: 30 };
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

type Shortfall = Rules['shortfall'];

interface Scenario {
  hands: number[];
  beneficiaries: number;
  batches: Operation[][];
  faults: Fault[];
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
      // The number of parts of a hand's due; the operation pays one part.
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
    faults: fc.array(fc.constantFrom<Fault>('none', 'none', 'none', 'request_lost', 'answer_lost', 'late'), {
      maxLength: 20,
    }),
  })
  .map((drawn) => {
    const total = drawn.hands.reduce((sum, count) => sum + count, 0);
    return { ...drawn, beneficiaries: total % drawn.beneficiaries === 0 ? drawn.beneficiaries : 1 };
  });

describe('contribution: any interleaving of joins, payments and settlements', () => {
  let recovering: ServiceBroker;
  after(() => recovering.stop());
  const harness = useContribution(TODAY, LONG_WAITS);
  before(async () => {
    recovering = await harness.startProcess(SHORT_WAITS);
  });

  function begin({ hands, beneficiaries }: Scenario, shortfall: Shortfall) {
    harness.clock.day = TODAY;
    return harness.cycle(hands, { beneficiaries_per_meeting: beneficiaries, amount: AMOUNT, shortfall });
  }
  type Cycle = Awaited<ReturnType<typeof begin>>;

  async function perform({ association_id, meetings, people, president }: Cycle, drawn: Operation): Promise<void> {
    const pick = <T>(from: T[], index: number) => from[index % from.length]!;
    if (drawn.kind === 'join') {
      harness.join(association_id);
      return;
    }
    const meeting = pick(meetings, drawn.round);
    if (drawn.kind === 'settle') {
      expect(await outcomeOf(harness.settle(president, meeting))).to.be.oneOf(['done', ...REFUSALS.settle]);
      return;
    }
    const for_member_id = pick(people, drawn.payee).member_id;
    const payment = harness.contribute(pick(people, drawn.payer), meeting, AMOUNT / drawn.parts, { for_member_id });
    expect(await outcomeOf(payment)).to.be.oneOf(['done', ...REFUSALS.pay]);
  }

  /** Performs the generated batches, then waits until nothing is in flight. */
  async function play(cycle: Cycle, { batches, faults, hands }: Scenario): Promise<void> {
    harness.treasury.lateness_ms = LATENESS_MS;
    harness.treasury.next(transfer, ...faults);
    await harness.through(recovering, async () => {
      for (const batch of batches) {
        await Promise.all(batch.map((each) => perform(cycle, each)));
        await checkAlways(cycle, hands);
      }
    });
    harness.treasury.reset();
    await eventually(async () => {
      const inFlight = await harness.sql(
        `SELECT id FROM contributions WHERE association_id = $1 AND status = 'pending'
         UNION ALL SELECT id FROM meetings WHERE association_id = $1 AND status = 'settling'`,
        cycle.association_id,
      );
      expect(inFlight).to.deep.equal([]);
    });
  }

  /** Checks the rules that hold at any time, even while operations are in flight. */
  async function checkAlways(cycle: Cycle, hands: number[]): Promise<void> {
    const settled = (await harness.meetings(cycle)).map(({ status }) => status === 'settled');
    expect(settled.lastIndexOf(true), 'rounds settle in order').to.be.below(settled.concat(false).indexOf(false));
    for (const meeting of cycle.meetings) {
      const dues = await harness.dues(cycle.president, meeting);
      expect(dues.map((due) => due.member_id)).to.deep.equal(cycle.people.map((person) => person.member_id));
      dues.forEach((due, index) => {
        expect(due.due).to.equal(hands[index]! * AMOUNT);
        expect(due.paid + due.outstanding).to.equal(due.due);
        expect(due.outstanding).to.be.at.least(0);
        expect(due.arrears).to.be.within(0, due.outstanding);
      });
    }
  }

  const paidTo = async (cycle: Cycle, meeting: Meeting) =>
    (await harness.contributions(cycle.president, meeting)).filter(({ status }) => status === 'paid');

  /** Checks the rules that hold when nothing is in flight. */
  async function check(cycle: Cycle, shortfall: Shortfall): Promise<void> {
    let paid_directly = 0;
    let no_longer_owed = 0;
    for (const meeting of await harness.meetings(cycle)) {
      const { collected_amount, expected_amount, status } = meeting;
      // Payments after the settlement went to creditors.
      paid_directly += sumOf(await paidTo(cycle, meeting)) - collected_amount;
      expect(collected_amount).to.be.at.most(expected_amount);
      expect(harness.inPool(meeting), 'the pool').to.equal(status === 'settled' ? 0 : collected_amount);
      if (status !== 'settled') continue;
      if (shortfall === 'block') expect(collected_amount).to.equal(expected_amount);
      const settlement = await harness.getSettlement(cycle.president, meeting);
      expect(sumOf(settlement.payouts) + settlement.to_treasury_amount).to.equal(collected_amount);
      const still_owed = (await harness.dues(cycle.president, meeting)).reduce((sum, { arrears }) => sum + arrears, 0);
      no_longer_owed += sumOf(settlement.arrears) - still_owed;
    }
    const [deducted] = await harness.sql<{ minor: number }>(
      `SELECT coalesce(sum(x.amount_minor), 0)::integer AS minor FROM arrears_allocations x
         JOIN settlements s ON s.id = x.payment_id AND s.status = 'settled' WHERE s.association_id = $1`,
      cycle.association_id,
    );
    expect(no_longer_owed, 'arrears').to.equal(paid_directly + deducted!.minor);
    const inPools = cycle.meetings.reduce((sum, meeting) => sum + harness.inPool(meeting), 0);
    const inWallets = harness.wallets(cycle.people).reduce((sum, balance) => sum + balance, 0);
    expect(inPools + inWallets, 'money is neither made nor lost').to.equal(cycle.people.length * OPENING_BALANCE);
  }

  /** Settles and pays every round. Under `block`, members pay before the settlement, otherwise after it. */
  async function finish(cycle: Cycle, shortfall: Shortfall): Promise<void> {
    const { association_id, president, people, meetings } = cycle;
    const payAll = async (meeting: Meeting, amount: 'outstanding' | 'arrears') => {
      for (const [index, due] of (await harness.dues(president, meeting)).entries()) {
        if (due[amount] === 0) continue;
        expect((await harness.contribute(people[index]!, meeting, due[amount])).status).to.equal('paid');
      }
    };
    for (const meeting of meetings) {
      if (shortfall === 'block') await payAll(meeting, 'outstanding');
      await outcomeOf(harness.settle(president, meeting));
      expect(await harness.statusOf(president, meeting)).to.equal('settled');
    }
    for (const meeting of meetings) await payAll(meeting, 'arrears');
    const paid = (await Promise.all(meetings.map((meeting) => paidTo(cycle, meeting)))).flat();
    for (const person of people) {
      // Over the cycle, members receive what was paid for them.
      const received = sumOf(paid.filter(({ member_id }) => member_id === person.member_id));
      const given = sumOf(paid.filter(({ paid_by_member_id }) => paid_by_member_id === person.member_id));
      expect(harness.wallet(person)).to.equal(OPENING_BALANCE + received - given);
    }
    const owing = await harness.sql(
      'SELECT FROM arrears WHERE association_id = $1 AND paid_minor < amount_minor',
      association_id,
    );
    expect(owing).to.deep.equal([]);
    expect(await harness.countEvents(association_id, 'cycle.completed')).to.equal(1);
  }

  for (const [rule, shortfall] of [
    ['collects every due once and settles the rounds in order', 'block'],
    ['pays arrears once, directly or from the debtor’s payout', 'pay_collected'],
  ] as const) {
    it(`${rule}, under \`shortfall: ${shortfall}\``, async function () {
      this.timeout(180_000);
      await fc.assert(
        fc.asyncProperty(scenario, async (drawn) => {
          const cycle = await begin(drawn, shortfall);
          // All rounds are due, so that they settle with arrears instead of waiting for payments.
          if (shortfall === 'pay_collected') harness.clock.day = LATER;
          await play(cycle, drawn);
          await check(cycle, shortfall);
          await finish(cycle, shortfall);
          await check(cycle, shortfall);
        }),
        { numRuns: 20 },
      );
    });
  }
});

function sumOf(parts: { amount: number }[]): number {
  return parts.reduce((sum, { amount }) => sum + amount, 0);
}
