import { expect } from 'chai';
import * as fc from 'fast-check';
import { payOff, type Allocation, type OpenArrear } from '../../../services/contribution/arrears/arrears.rules.ts';
import { dueOf } from '../../../services/contribution/cycles/cycle.rules.ts';
import { planRotation, type Rotation } from '../../../services/contribution/cycles/rotation.rules.ts';
import {
  claimsOf,
  setOff,
  shareOut,
  splitEqually,
  totalOf,
} from '../../../services/contribution/settlement/pot.rules.ts';
import type { Missing } from '../../../services/contribution/settlement/pot.rules.ts';
import { planRound } from '../../../services/contribution/settlement/settlement.rules.ts';

const members = ['a', 'b', 'c', 'd'];
const someMember = fc.constantFrom(...members);
const someHands = fc.array(someMember, { minLength: 1, maxLength: 10 });
const pot = fc.bigInt({ min: 0n, max: 1_000_000_000n });
const positive = fc.bigInt({ min: 1n, max: 1_000_000n });

/** Arrears of one debtor, oldest first. */
const someArrears = fc.array(fc.tuple(fc.constantFrom('b', 'c', 'd'), positive), { maxLength: 8 }).map((drawn) =>
  drawn.map(([creditor_id, left_minor], index) => {
    return { meeting_id: `m${String(index)}`, debtor_id: 'a', creditor_id, left_minor };
  }),
);
const sumLeft = (open: readonly OpenArrear[]) => open.reduce((sum, each) => sum + each.left_minor, 0n);

describe('arrears: splitting', () => {
  it('distributes a pot completely; the first hands get at most one minor unit more', () => {
    fc.assert(
      fc.property(pot, fc.integer({ min: 1, max: 10 }), (collected, hands) => {
        const shares = splitEqually(collected, hands);
        expect(shares.reduce((sum, share) => sum + share, 0n)).to.equal(collected);
        expect(shares[0]! - shares.at(-1)!).to.be.oneOf([0n, 1n]);
        expect(shares).to.deep.equal(shares.toSorted((a, b) => Number(b - a)));
      }),
    );
  });

  it('lists each member once, at the position of their first hand', () => {
    fc.assert(
      fc.property(pot, someHands, (collected, hands) => {
        const shares = shareOut(collected, hands);
        expect(shares.map((share) => share.member_id)).to.deep.equal([...new Set(hands)]);
        expect(totalOf(shares)).to.equal(collected);
      }),
    );
  });
});

/** Creates debtors whose order in the rotation is the order in which they are given. */
const missingOf = (drawn: readonly (readonly [string, bigint])[]): Missing[] =>
  drawn.map(([member_id, outstanding_minor], position) => ({ member_id, outstanding_minor, position }));

describe('arrears: claims', () => {
  const [first, second] = missingOf([
    ['c', 1n],
    ['d', 1n],
  ]) as [Missing, Missing];
  type Claimed = [debtor: string, creditor: string, rank: number, amount_minor: bigint];
  const cases: [rule: string, collected: bigint, Missing[], hands: string[], Claimed[]][] = [
    [
      'are the difference between each full share and each paid share: 500 and 501 of 1 001',
      3_003n,
      missingOf([['d', 1_001n]]),
      ['a', 'b'],
      [
        ['d', 'a', 0, 500n],
        ['d', 'b', 1, 501n],
      ],
    ],
    [
      'are assigned in rotation order, regardless of the order in which debtors are given',
      2n,
      [second, first],
      ['a', 'b'],
      [
        ['c', 'a', 0, 1n],
        ['d', 'b', 1, 1n],
      ],
    ],
    ['are void if the only beneficiary would owe themselves', 0n, missingOf([['a', 11n]]), ['a'], []],
    [
      'omit the part that a beneficiary would owe themselves',
      0n,
      missingOf([['a', 11n]]),
      ['b', 'a', 'c'],
      [
        ['a', 'b', 0, 4n],
        ['a', 'c', 2, 3n],
      ],
    ],
  ];
  for (const [rule, collected, missing, hands, claimed] of cases) {
    it(rule, () => {
      const claims = claimsOf(collected, missing, hands);
      expect(claims.map((each) => [each.debtor_id, each.creditor_id, each.rank, each.amount_minor])).to.deep.equal(
        claimed,
      );
    });
  }

  it('sum to the share of the full pot minus the share of the collected pot, for each member, except void parts', () => {
    const missing = fc.uniqueArray(fc.tuple(someMember, positive), { selector: ([member]) => member });
    fc.assert(
      fc.property(pot, missing, someHands, (collected, drawn, hands) => {
        const lacking = missingOf(drawn);
        const { claims } = planOf(collected, hands, lacking, []);
        const expected = collected + lacking.reduce((sum, each) => sum + each.outstanding_minor, 0n);
        const shareOf = (pot_minor: bigint, member: string) =>
          shareOut(pot_minor, hands).find((share) => share.member_id === member)?.amount_minor ?? 0n;
        for (const member of members) {
          const lacks = shareOf(expected, member) - shareOf(collected, member);
          const is_owed = totalOf(claims.filter((claim) => claim.creditor_id === member));
          const own = claims.filter((claim) => claim.debtor_id === member);
          const outstanding = lacking.find((each) => each.member_id === member)?.outstanding_minor ?? 0n;
          // The part of a debt that is owed to no other member is what the debtor's own hands lack because of it.
          expect(lacks - is_owed, member).to.equal(outstanding - totalOf(own));
          if (outstanding === 0n) expect(is_owed, member).to.equal(lacks);
          const ranks = own.map((claim) => claim.rank);
          expect(ranks).to.deep.equal(ranks.toSorted((one, other) => one - other));
        }
        for (const { debtor_id, creditor_id, amount_minor } of claims) {
          expect([debtor_id !== creditor_id, amount_minor > 0n]).to.deep.equal([true, true]);
        }
      }),
    );
  });
});

/** Plans the settlement of one round whose money is all in wallets. */
function planOf(
  collected_minor: bigint,
  hands: readonly string[],
  missing: readonly Missing[],
  open: readonly OpenArrear[],
  meeting_id = 'm',
) {
  const collected = { emoney_minor: collected_minor, cash_minor: 0n };
  return planRound({ meeting_id, collected, hands, missing, open }, (member_id) => `w-${member_id}`);
}

/** Returns the arrears that remain after these parts of them are paid. */
function leftAfter(open: readonly OpenArrear[], parts: readonly Allocation[]): OpenArrear[] {
  const keyOf = (each: Pick<OpenArrear, 'meeting_id' | 'debtor_id' | 'creditor_id'>) =>
    [each.meeting_id, each.debtor_id, each.creditor_id].join();
  const paid = new Map(parts.map((part) => [keyOf(part), part.amount_minor]));
  const left = open.map((each) => ({ ...each, left_minor: each.left_minor - (paid.get(keyOf(each)) ?? 0n) }));
  expect(left.every((each) => each.left_minor >= 0n)).to.equal(true);
  return left.filter((each) => each.left_minor > 0n);
}

describe('arrears: over a whole cycle', () => {
  /** Thousandths of an amount: of a due that is paid in time, or of a debt that is paid later. */
  const fraction = fc.integer({ min: 0, max: 1000 });
  const partOf = (amount_minor: bigint, thousandths: number) => (amount_minor * BigInt(thousandths)) / 1000n;
  const cycle = fc.record({
    amount: fc.bigInt({ min: 1n, max: 10_000_000n }),
    counts: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 6 }),
    beneficiaries: fc.integer({ min: 1, max: 4 }),
    paid: fc.func<[string, number], number>(fc.oneof(fc.constantFrom(0, 1000), fraction)),
    later: fc.func<[string, number], number>(fraction),
  });

  it('leave every member with a net of zero once all are paid, in parts, by deduction and to several creditors', () => {
    fc.assert(
      fc.property(cycle, ({ amount, counts, beneficiaries, paid, later }) => {
        const pinned = counts.map((hands, index) => {
          return { member_id: `m${String(index)}`, hands, joined_at: new Date(index).toISOString() };
        });
        const total = counts.reduce((all, count) => all + count, 0);
        fc.pre(total % beneficiaries === 0);
        const rotation = planRotation(pinned, { by: 'join' }, beneficiaries) as Rotation;
        const net = new Map(pinned.map((each) => [each.member_id, 0n]));
        const add = (member_id: string, minor: bigint) => net.set(member_id, net.get(member_id)! + minor);
        let open: OpenArrear[] = [];
        for (let round = 1; round <= rotation.rounds; round += 1) {
          const meeting_id = `round ${String(round)}`;
          const hands = rotation.hands.filter((hand) => hand.round === round).map((hand) => hand.member_id);
          const missing = pinned.flatMap(({ member_id, hands: count }, position) => {
            const due = dueOf(count, amount);
            const in_time = partOf(due, paid(member_id, round));
            add(member_id, -in_time);
            return in_time < due ? [{ member_id, outstanding_minor: due - in_time, position }] : [];
          });
          const collected = dueOf(total, amount) - missing.reduce((sum, each) => sum + each.outstanding_minor, 0n);
          const plan = planOf(collected, hands, missing, open, meeting_id);
          for (const payout of plan.payouts) add(payout.member_id, payout.amount_minor);
          open = leftAfter(open, plan.set_offs);
          for (const { debtor_id, creditor_id, amount_minor } of plan.claims) {
            open.push({ meeting_id, debtor_id, creditor_id, left_minor: amount_minor });
          }
          // Each member pays a part of their debt later; after the last round, all of it.
          for (const { member_id } of pinned) {
            const own = open.filter((each) => each.debtor_id === member_id);
            const thousandths = round === rotation.rounds ? 1000 : later(member_id, round);
            const parts = payOff(partOf(sumLeft(own), thousandths), own);
            for (const part of parts) {
              add(part.debtor_id, -part.amount_minor);
              add(part.creditor_id, part.amount_minor);
            }
            open = leftAfter(open, parts);
          }
        }
        expect(open).to.deep.equal([]);
        expect([...net.values()]).to.deep.equal(pinned.map(() => 0n));
      }),
    );
  });
});

describe('arrears: paying off', () => {
  it('pays arrears in order, and never more than is left of each', () => {
    fc.assert(
      fc.property(someArrears, pot, (open, amount) => {
        const parts = payOff(amount, open);
        const owed = sumLeft(open);
        expect(totalOf(parts)).to.equal(amount < owed ? amount : owed);
        // All arrears except the last paid one are paid in full.
        parts.slice(0, -1).forEach((part, index) => expect(part.amount_minor).to.equal(open[index]!.left_minor));
        parts.forEach((part, index) => expect(part.amount_minor <= open[index]!.left_minor).to.equal(true));
      }),
    );
  });

  it('deducts all that debtors owe from their own payout before they receive any of it', () => {
    fc.assert(
      fc.property(someArrears, pot, (open, share) => {
        const { receipts, allocations } = setOff([{ member_id: 'a', amount_minor: share }], open);
        const own = receipts.filter((receipt) => receipt.member_id === 'a');
        expect(totalOf(own) + totalOf(allocations)).to.equal(share);
        if (totalOf(own) > 0n) {
          expect(totalOf(allocations)).to.equal(sumLeft(open));
          expect(receipts.at(-1)?.member_id).to.equal('a');
        }
        for (const creditor of ['b', 'c', 'd']) {
          const received = totalOf(receipts.filter((receipt) => receipt.member_id === creditor));
          expect(received).to.equal(totalOf(allocations.filter((part) => part.creditor_id === creditor)));
        }
      }),
    );
  });
});
