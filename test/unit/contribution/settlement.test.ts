import { expect } from 'chai';
import * as fc from 'fast-check';
import { sumMaxMinor } from '../../../lib/money/amount.ts';
import { dueOf, expectedOf, outstandingOf } from '../../../services/contribution/domain/dues.ts';
import { planRotation } from '../../../services/contribution/domain/rotation.ts';
import type { Rotation } from '../../../services/contribution/domain/rotation.ts';
import {
  hindrance,
  planRound,
  planToTreasury,
  shortfallOf,
  splitEqually,
} from '../../../services/contribution/domain/settlement.ts';

const hand = (member_id: string) => ({ member_id, wallet_id: `w-${member_id}` });
const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
const pot = fc.bigInt({ min: 0n, max: sumMaxMinor('XAF') });

describe('settlement: splitting a pot', () => {
  it('pays 12 hands of 10 000 to one beneficiary', () => {
    const { payouts } = planRound('m', expectedOf(12, 10_000n), [hand('a')]);
    expect(payouts).to.deep.equal([{ member_id: 'a', method: 'wallet', wallet_id: 'w-a', amount_minor: 120_000n }]);
  });

  it('gives a remainder one unit at a time to the first hands in rotation order', () => {
    expect(splitEqually(11n, 3)).to.deep.equal([4n, 4n, 3n]);
    expect(splitEqually(2n, 3)).to.deep.equal([1n, 1n, 0n]);
  });

  it('pays a member with several hands of the round in one leg, at the place of his first', () => {
    const { payouts, legs } = planRound('m', 11n, [hand('b'), hand('a'), hand('b')]);
    expect(payouts.map((payout) => [payout.member_id, payout.amount_minor])).to.deep.equal([
      ['b', 7n],
      ['a', 4n],
    ]);
    expect(legs).to.deep.equal([
      { account: 'pool:m', amount_minor: -11n },
      { account: 'wallet:w-b', amount_minor: 7n },
      { account: 'wallet:w-a', amount_minor: 4n },
    ]);
  });

  it('makes no leg of nothing', () => {
    expect(planRound('m', 1n, [hand('a'), hand('b')]).payouts).to.have.length(1);
    expect(planRound('m', 0n, [hand('a')])).to.deep.equal({ payouts: [], to_treasury_minor: 0n, legs: [] });
    expect(planToTreasury('m', 0n).legs).to.deep.equal([]);
  });

  it('moves the pool of a meeting outside a cycle to the treasury', () => {
    expect(planToTreasury('m', 5n)).to.deep.equal({
      payouts: [],
      to_treasury_minor: 5n,
      legs: [
        { account: 'pool:m', amount_minor: -5n },
        { account: 'treasury', amount_minor: 5n },
      ],
    });
  });

  it('splits any pot without rest, and no two hands by more than one unit', () => {
    fc.assert(
      fc.property(pot, fc.integer({ min: 1, max: 10 }), (collected, hands) => {
        const shares = splitEqually(collected, hands);
        expect(sum(shares)).to.equal(collected);
        expect(shares[0]! - shares.at(-1)!).to.be.oneOf([0n, 1n]);
        expect(shares).to.deep.equal(shares.toSorted((a, b) => Number(b - a)));
      }),
    );
  });

  it('always pays out what was collected: the legs sum to zero, the pool giving all', () => {
    const hands = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(pot, hands, fc.boolean(), (collected, members, in_cycle) => {
        const plan = in_cycle ? planRound('m', collected, members.map(hand)) : planToTreasury('m', collected);
        expect(sum(plan.legs.map((leg) => leg.amount_minor))).to.equal(0n);
        expect(sum(plan.payouts.map((payout) => payout.amount_minor)) + plan.to_treasury_minor).to.equal(collected);
        if (collected > 0n) expect(plan.legs[0]).to.deep.equal({ account: 'pool:m', amount_minor: -collected });
        expect(new Set(plan.legs.map((leg) => leg.account)).size).to.equal(plan.legs.length);
      }),
    );
  });

  it('nets every hand to zero over a whole cycle', () => {
    const amount = fc.bigInt({ min: 1n, max: 999_999_999_999n });
    const hands = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(amount, hands, fc.integer({ min: 1, max: 10 }), (amount_minor, counts, beneficiaries) => {
        const members = counts.map((count, index) => ({
          member_id: `m${String(index)}`,
          hands: count,
          joined_at: new Date(index).toISOString(),
        }));
        const total = counts.reduce((all, count) => all + count, 0);
        fc.pre(total >= 2 && total % beneficiaries === 0);
        const rotation = planRotation(members, { by: 'join' }, beneficiaries) as Rotation;
        const net = new Map(members.map((each) => [each.member_id, 0n]));
        const add = (member_id: string, minor: bigint) => net.set(member_id, net.get(member_id)! + minor);
        for (let round = 1; round <= rotation.rounds; round += 1) {
          for (const each of members) add(each.member_id, -dueOf(each.hands, amount_minor));
          const turns = rotation.hands.filter((each) => each.round === round).map((each) => hand(each.member_id));
          const plan = planRound('m', expectedOf(total, amount_minor), turns);
          for (const payout of plan.payouts) add(payout.member_id, payout.amount_minor);
        }
        expect([...net.values()]).to.deep.equal(members.map(() => 0n));
      }),
      { numRuns: 50 },
    );
  });
});

describe('settlement: what hinders it', () => {
  const standing = { collected_minor: 9n, expected_minor: 10n, due_on: '2026-03-10', today: '2026-03-10' };

  it('blocks from its day on while something is owed', () => {
    expect(hindrance(standing)).to.equal('meeting_underfunded');
    expect(hindrance({ ...standing, today: '2026-12-01' })).to.equal('meeting_underfunded');
  });

  it('is not due before its day unless all is paid', () => {
    expect(hindrance({ ...standing, today: '2026-03-09' })).to.equal('meeting_not_due');
    expect(hindrance({ ...standing, today: '2026-03-09', collected_minor: 10n })).to.equal(undefined);
  });

  it('never hinders a meeting that expects nothing', () => {
    const outside = { ...standing, expected_minor: 0n, collected_minor: 0n, today: '2026-01-01' };
    expect(hindrance(outside)).to.equal(undefined);
  });
});

describe('dues', () => {
  it('are an amount for each hand', () => {
    expect(dueOf(3, 10_000n)).to.equal(30_000n);
    expect(expectedOf(200_000, 999_999_999_999_999n)).to.equal(199_999_999_999_999_800_000n);
  });

  it('leave outstanding what is not paid, and nothing where nothing is due', () => {
    expect(outstandingOf(10n, 4n)).to.equal(6n);
    expect(outstandingOf(10n, 10n)).to.equal(0n);
    expect(outstandingOf(null, 5n)).to.equal(0n);
    expect(outstandingOf(0n, 5n)).to.equal(0n);
  });

  it('fall short by what did not come in', () => {
    expect(shortfallOf(10n, 4n)).to.equal(6n);
    expect(shortfallOf(0n, 4n)).to.equal(0n);
  });
});
