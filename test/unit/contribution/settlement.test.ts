import { expect } from 'chai';
import * as fc from 'fast-check';
import { sumMaxMinor } from '../../../lib/money/amount.ts';
import { outstandingOf, dueOf } from '../../../services/contribution/cycles/cycle.rules.ts';
import type { Funds, PlannedLeg } from '../../../services/contribution/settlement/funds.rules.ts';
import {
  refusalToSettle,
  planLastSavingsRound,
  planRefund,
  planRound,
  planSavingsRound,
  planToTreasury,
  previewHash,
  shortfallOf,
} from '../../../services/contribution/settlement/settlement.rules.ts';
import type {
  Round,
  SettlementKind,
  ShortfallRule,
} from '../../../services/contribution/settlement/settlement.rules.ts';

const walletOf = (member_id: string) => `w-${member_id}`;
const emoney = (emoney_minor: bigint): Funds => ({ emoney_minor, cash_minor: 0n });
const sum = (parts: readonly { amount_minor: bigint }[]) => parts.reduce((all, part) => all + part.amount_minor, 0n);
const isCash = ({ account }: PlannedLeg) => account.startsWith('cash_');
const round = (collected: Funds, hands: string[], more: Partial<Round> = {}) =>
  planRound({ meeting_id: 'm', collected, hands, missing: [], open: [], ...more }, walletOf);

/** Checks that the legs of e-money, and the legs of cash, sum to zero. */
function expectBalanced(legs: readonly PlannedLeg[]): void {
  expect(sum(legs.filter(isCash)), 'cash').to.equal(0n);
  expect(sum(legs.filter((leg) => !isCash(leg))), 'e-money').to.equal(0n);
  expect(legs.every((leg) => leg.amount_minor !== 0n)).to.equal(true);
}

const amount = fc.bigInt({ min: 0n, max: sumMaxMinor('XAF') / 4n });
const funds = fc.record({ emoney_minor: amount, cash_minor: amount });
const members = ['a', 'b', 'c', 'd', 'e'];
const someMember = fc.constantFrom(...members);
const someHands = fc.array(someMember, { minLength: 1, maxLength: 10 });
const positive = fc.bigInt({ min: 1n, max: 1_000_000n });

describe('settlement: a round of a rotation', () => {
  it('has no payout and no leg with an amount of zero', () => {
    expect(round(emoney(1n), ['a', 'b']).payouts).to.have.length(1);
    expect(round(emoney(0n), ['a']).legs).to.deep.equal([]);
    expect(planToTreasury('m', emoney(0n)).legs).to.deep.equal([]);
  });

  it('pays e-money first and then cash; a beneficiary of both gets two payouts', () => {
    const { payouts, legs } = round({ emoney_minor: 70n, cash_minor: 50n }, ['a', 'b']);
    expect(payouts).to.deep.equal([
      { member_id: 'a', method: 'wallet', wallet_id: 'w-a', amount_minor: 60n },
      { member_id: 'b', method: 'wallet', wallet_id: 'w-b', amount_minor: 10n },
      { member_id: 'b', method: 'cash', wallet_id: null, amount_minor: 50n },
    ]);
    expect(legs).to.deep.equal([
      { account: 'pool:m', amount_minor: -70n },
      { account: 'cash_pool:m', amount_minor: -50n },
      { account: 'wallet:w-a', amount_minor: 60n, member_id: 'a' },
      { account: 'wallet:w-b', amount_minor: 10n, member_id: 'b' },
      { account: 'cash_funding', amount_minor: 50n, member_id: 'b' },
    ]);
  });

  it("deducts a beneficiary's arrears from their own share only, and pays them to the creditors", () => {
    const open = [
      { meeting_id: 'm1', debtor_id: 'b', creditor_id: 'a', left_minor: 30n },
      { meeting_id: 'm2', debtor_id: 'b', creditor_id: 'c', left_minor: 5n },
      { meeting_id: 'm3', debtor_id: 'b', creditor_id: 'a', left_minor: 5n },
    ];
    const { payouts, set_offs } = round(emoney(200n), ['a', 'b'], { open });
    expect(payouts.map((payout) => [payout.member_id, payout.amount_minor])).to.deep.equal([
      ['a', 100n],
      ['a', 35n],
      ['c', 5n],
      ['b', 60n],
    ]);
    expect(set_offs.map((part) => [part.meeting_id, part.amount_minor])).to.deep.equal([
      ['m1', 30n],
      ['m2', 5n],
      ['m3', 5n],
    ]);
  });

  it('always pays out exactly the e-money and the cash that were collected, regardless of arrears', () => {
    const debts = fc.array(fc.tuple(someMember, someMember, positive), { maxLength: 8 });
    const missing = fc.uniqueArray(fc.tuple(someMember, positive), { selector: ([member]) => member });
    fc.assert(
      fc.property(funds, someHands, debts, missing, (collected, hands, drawn, lacking) => {
        const open = drawn
          .filter(([debtor, creditor]) => debtor !== creditor && hands.includes(debtor))
          .map(([debtor_id, creditor_id, left_minor], index) => {
            return { meeting_id: `m${String(index)}`, debtor_id, creditor_id, left_minor };
          });
        const owed = lacking.map(([member_id, outstanding_minor], position) => {
          return { member_id, outstanding_minor, position };
        });
        const plan = round(collected, hands, { missing: owed, open });
        expectBalanced(plan.legs);
        expect(sum(plan.payouts)).to.equal(collected.emoney_minor + collected.cash_minor);
        expect(sum(plan.payouts.filter((payout) => payout.method === 'cash'))).to.equal(collected.cash_minor);
        const methods = plan.payouts.map(({ method }) => method);
        expect(methods, 'wallets first').to.deep.equal(methods.toSorted().toReversed());
        // Planning again yields the same plan with the same hash.
        const again = round(collected, hands, { missing: owed, open });
        expect(previewHash('m', again)).to.equal(previewHash('m', plan));
        expect(previewHash('n', plan)).not.to.equal(previewHash('m', plan));
      }),
    );
  });
});

describe('settlement: outside a rotation', () => {
  it('moves the pool of a meeting outside a cycle to the treasury, e-money and cash separately', () => {
    const plan = planToTreasury('m', { emoney_minor: 5n, cash_minor: 2n });
    expect(plan).to.deep.include({ payouts: [], to_treasury_minor: 7n, savings: { emoney_minor: 0n, cash_minor: 0n } });
    expect(plan.legs).to.deep.equal([
      { account: 'pool:m', amount_minor: -5n },
      { account: 'cash_pool:m', amount_minor: -2n },
      { account: 'treasury', amount_minor: 5n },
      { account: 'cash_treasury', amount_minor: 2n },
    ]);
  });

  it('moves the pool of a savings round to the treasury as savings', () => {
    const collected = { emoney_minor: 5n, cash_minor: 2n };
    expect(planSavingsRound('m', collected)).to.deep.include({ to_treasury_minor: 7n, savings: collected });
  });

  it('pays each member exactly their savings, and withdraws exactly the earlier savings from the treasury', () => {
    const saving = fc.uniqueArray(fc.tuple(someMember, positive), { minLength: 1, selector: ([member]) => member });
    fc.assert(
      fc.property(saving, fc.nat(100), fc.nat(100), fc.nat(100), (drawn, cash_share, early_share, early_cash) => {
        const saved = drawn.map(([member_id, amount_minor]) => ({ member_id, amount_minor }));
        const total = sum(saved);
        const part = (of: bigint, percent: number) => (of * BigInt(percent)) / 100n;
        const cash = part(total, cash_share);
        const earlier = {
          emoney_minor: part(total - cash, early_share),
          cash_minor: part(cash, early_cash),
        };
        const collected = {
          emoney_minor: total - cash - earlier.emoney_minor,
          cash_minor: cash - earlier.cash_minor,
        };
        const plan = planLastSavingsRound('m', collected, earlier, saved, walletOf);
        expectBalanced(plan.legs);
        expect(sum(plan.payouts) + plan.to_treasury_minor).to.equal(collected.emoney_minor + collected.cash_minor);
        for (const { member_id, amount_minor } of saved) {
          expect(sum(plan.payouts.filter((payout) => payout.member_id === member_id))).to.equal(amount_minor);
        }
        expect(-plan.savings.emoney_minor).to.equal(earlier.emoney_minor);
        expect(-plan.savings.cash_minor).to.equal(earlier.cash_minor);
        const of = (account: string) => sum(plan.legs.filter((leg) => leg.account === account));
        expect([of('treasury'), of('cash_treasury')]).to.deep.equal([-earlier.emoney_minor, -earlier.cash_minor]);
      }),
    );
  });

  it('refunds every contribution to the wallet it came from, or in cash', () => {
    const paid = fc.array(fc.record({ member_id: someMember, cash: fc.boolean(), amount_minor: positive }));
    fc.assert(
      fc.property(paid, (drawn) => {
        const contributions = drawn.map(({ member_id, cash, amount_minor }) => {
          return { member_id, wallet_id: cash ? null : walletOf(member_id), amount_minor };
        });
        const { payouts, legs } = planRefund('m', contributions);
        expectBalanced(legs);
        expect(
          payouts.map(({ member_id, wallet_id, amount_minor }) => ({ member_id, wallet_id, amount_minor })),
        ).to.deep.equal(contributions);
      }),
    );
  });
});

describe('settlement: the refusal of a meeting', () => {
  const DUE_ON = '2026-03-10';
  type Given = [SettlementKind, ShortfallRule, collected: bigint, today: string];
  const cases: [what: string, Given, code?: string][] = [
    [
      'is meeting_underfunded on the due day while dues are missing, with the rule block',
      ['rotation', 'block', 9n, DUE_ON],
      'meeting_underfunded',
    ],
    [
      'is meeting_underfunded long after the due day while dues are missing, with the rule block',
      ['rotation', 'block', 9n, '2026-12-01'],
      'meeting_underfunded',
    ],
    [
      'is meeting_not_due before the due day while dues are missing, with the rule block',
      ['rotation', 'block', 9n, '2026-03-09'],
      'meeting_not_due',
    ],
    [
      'is meeting_not_due before the due day while dues are missing, with the rule pay_collected',
      ['rotation', 'pay_collected', 9n, '2026-03-09'],
      'meeting_not_due',
    ],
    [
      'is meeting_not_due before the due day of a savings round while dues are missing',
      ['savings', 'block', 9n, '2026-03-09'],
      'meeting_not_due',
    ],
    ['is absent before the due day once all dues are paid', ['rotation', 'block', 10n, '2026-03-09']],
    ['is absent before the due day of a savings round once all dues are paid', ['savings', 'block', 10n, '2026-03-09']],
    [
      'is absent on the due day with the rule pay_collected, even if nothing was collected',
      ['rotation', 'pay_collected', 0n, DUE_ON],
    ],
    ['is absent on the due day of a savings round, even if nothing was collected', ['savings', 'block', 0n, DUE_ON]],
  ];
  for (const [what, [kind, shortfall, collected, today], code] of cases) {
    it(what, () => {
      const meeting = { expected_minor: 10n, due_on: DUE_ON };
      expect(refusalToSettle(meeting, kind, shortfall, collected, today)).to.equal(code);
    });
  }

  it('is absent for a meeting that expects nothing, even before the due day', () => {
    const meeting = { expected_minor: 0n, due_on: DUE_ON };
    expect(refusalToSettle(meeting, 'treasury', 'block', 0n, '2026-01-01')).to.equal(undefined);
  });
});

describe('dues', () => {
  it('are the contribution amount times the number of hands', () => {
    expect(dueOf(3, 10_000n)).to.equal(30_000n);
    expect(dueOf(200_000, 999_999_999_999_999n)).to.equal(199_999_999_999_999_800_000n);
  });

  it('are outstanding as far as they are not paid; a meeting without dues has nothing outstanding', () => {
    expect(outstandingOf(10n, 4n)).to.equal(6n);
    expect(outstandingOf(10n, 10n)).to.equal(0n);
    expect(outstandingOf(null, 5n)).to.equal(0n);
    expect(outstandingOf(0n, 5n)).to.equal(0n);
  });

  it('have a shortfall of the expected minus the collected amount, never below zero', () => {
    expect(shortfallOf(10n, 4n)).to.equal(6n);
    expect(shortfallOf(0n, 4n)).to.equal(0n);
  });
});
