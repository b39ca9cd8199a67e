import { expect } from 'chai';
import * as fc from 'fast-check';
import { payOff } from '../../../services/contribution/arrears/arrears.rules.ts';
import type { Allocation, OpenArrear } from '../../../services/contribution/arrears/arrears.rules.ts';
import { dueOf } from '../../../services/contribution/cycles/cycle.rules.ts';
import { planRotation } from '../../../services/contribution/cycles/rotation.rules.ts';
import type { Rotation } from '../../../services/contribution/cycles/rotation.rules.ts';
import {
  claimsOf,
  setOff,
  shareOut,
  splitEqually,
  totalOf,
} from '../../../services/contribution/settlement/pot.rules.ts';
import type { Claim, Missing } from '../../../services/contribution/settlement/pot.rules.ts';
import { planRound } from '../../../services/contribution/settlement/settlement.rules.ts';

const members = ['a', 'b', 'c', 'd'];
const someone = fc.constantFrom(...members);
const someHands = fc.array(someone, { minLength: 1, maxLength: 10 });
const pot = fc.bigInt({ min: 0n, max: 1_000_000_000n });
const positive = fc.bigInt({ min: 1n, max: 1_000_000n });

/** Arrears of one debtor, oldest first. */
const someDebts = fc.array(fc.tuple(fc.constantFrom('b', 'c', 'd'), positive), { maxLength: 8 }).map((drawn) =>
  drawn.map(([creditor_id, left_minor], index) => {
    return { meeting_id: `m${String(index)}`, debtor_id: 'a', creditor_id, left_minor };
  }),
);
const sumLeft = (open: readonly { left_minor: bigint }[]) => open.reduce((sum, each) => sum + each.left_minor, 0n);

describe('arrears: splitting', () => {
  it('gives a remainder one unit at a time to the first hands in rotation order', () => {
    expect(splitEqually(11n, 3)).to.deep.equal([4n, 4n, 3n]);
    expect(splitEqually(2n, 3)).to.deep.equal([1n, 1n, 0n]);
  });

  it('splits any pot without rest, and no two hands by more than one unit', () => {
    fc.assert(
      fc.property(pot, fc.integer({ min: 1, max: 10 }), (collected, hands) => {
        const shares = splitEqually(collected, hands);
        expect(shares.reduce((sum, share) => sum + share, 0n)).to.equal(collected);
        expect(shares[0]! - shares.at(-1)!).to.be.oneOf([0n, 1n]);
        expect(shares).to.deep.equal(shares.toSorted((a, b) => Number(b - a)));
      }),
    );
  });

  it('names each member once, at the place of their first hand', () => {
    fc.assert(
      fc.property(pot, someHands, (collected, hands) => {
        const shares = shareOut(collected, hands);
        expect(shares.map((share) => share.member_id)).to.deep.equal([...new Set(hands)]);
        expect(totalOf(shares)).to.equal(collected);
      }),
    );
  });
});

/** Debtors as they stand in the rotation: in the order in which they are named. */
const missingOf = (drawn: readonly (readonly [string, bigint])[]): Missing[] =>
  drawn.map(([member_id, outstanding_minor], position) => ({ member_id, outstanding_minor, position }));
const owedOf = (claims: readonly Claim[]) =>
  claims.map((claim) => [claim.debtor_id, claim.creditor_id, claim.amount_minor]);

describe('arrears: claims', () => {
  it('of two members who miss 10 000 go to the one beneficiary', () => {
    const missing = missingOf(['b', 'c'].map((member_id) => [member_id, 10_000n]));
    expect(owedOf(claimsOf(100_000n, missing, ['a']))).to.deep.equal([
      ['b', 'a', 10_000n],
      ['c', 'a', 10_000n],
    ]);
  });

  it('make up to each hand what its share lacks: 1 502 and 1 501 of 3 003 leave 500 and 501 of 1 001', () => {
    expect(owedOf(claimsOf(3_003n, missingOf([['d', 1_001n]]), ['a', 'b']))).to.deep.equal([
      ['d', 'a', 500n],
      ['d', 'b', 501n],
    ]);
  });

  it('are taken in rotation order, in whatever order the debtors come', () => {
    const [first, second] = missingOf([
      ['c', 1n],
      ['d', 1n],
    ]) as [Missing, Missing];
    expect(owedOf(claimsOf(2n, [second, first], ['a', 'b']))).to.deep.equal([
      ['c', 'a', 1n],
      ['d', 'b', 1n],
    ]);
  });

  it('are void as far as a beneficiary would owe themselves', () => {
    const missing = missingOf([['a', 11n]]);
    expect(claimsOf(0n, missing, ['a'])).to.deep.equal([]);
    expect(claimsOf(0n, missing, ['b', 'a', 'c'])).to.deep.equal([
      { debtor_id: 'a', creditor_id: 'b', rank: 0, amount_minor: 4n },
      { debtor_id: 'a', creditor_id: 'c', rank: 2, amount_minor: 3n },
    ]);
  });

  it('owe each hand its share of the whole pot less its share of what was collected, but for what is void', () => {
    const missing = fc.uniqueArray(fc.tuple(someone, positive), { selector: ([member]) => member });
    fc.assert(
      fc.property(pot, missing, someHands, (collected, drawn, hands) => {
        const lacking = missingOf(drawn);
        const claims = planOf(collected, hands, lacking, []).claims;
        const expected = collected + lacking.reduce((sum, each) => sum + each.outstanding_minor, 0n);
        const shareOfWhole = new Map(shareOut(expected, hands).map((share) => [share.member_id, share.amount_minor]));
        const shareOfCollected = new Map(shareOut(collected, hands).map((each) => [each.member_id, each.amount_minor]));
        for (const member of members) {
          const lacks = (shareOfWhole.get(member) ?? 0n) - (shareOfCollected.get(member) ?? 0n);
          const is_owed = totalOf(claims.filter((claim) => claim.creditor_id === member));
          const own = claims.filter((claim) => claim.debtor_id === member);
          const outstanding = lacking.find((each) => each.member_id === member)?.outstanding_minor ?? 0n;
          // What of a debt is owed to no other is what the debtor's own hands lack because of it.
          expect(lacks - is_owed, member).to.equal(outstanding - totalOf(own));
          if (outstanding === 0n) expect(is_owed, member).to.equal(lacks);
          const ranks = own.map((claim) => claim.rank);
          expect(ranks).to.deep.equal(ranks.toSorted((one, other) => one - other));
        }
        expect(claims.every((claim) => claim.debtor_id !== claim.creditor_id && claim.amount_minor > 0n)).to.equal(
          true,
        );
      }),
    );
  });
});

/** What one round settles to, with money in wallets only. */
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

describe('arrears: over a whole cycle', () => {
  /** How many thousandths of what it applies to: of a due that is paid in time, of a debt that is paid later. */
  const fraction = fc.integer({ min: 0, max: 1000 });
  const partOf = (amount_minor: bigint, thousandths: number) => (amount_minor * BigInt(thousandths)) / 1000n;

  it('net every hand to zero once all are paid, in parts, by set-off, and to several creditors', () => {
    const drawn = fc.record({
      amount: fc.bigInt({ min: 1n, max: 10_000_000n }),
      counts: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 2, maxLength: 6 }),
      beneficiaries: fc.integer({ min: 1, max: 4 }),
      paid: fc.func<[string, number], number>(fc.oneof(fc.constantFrom(0, 1000), fraction)),
      later: fc.func<[string, number], number>(fraction),
    });
    fc.assert(
      fc.property(drawn, ({ amount, counts, beneficiaries, paid, later }) => {
        const pinned = counts.map((hands, index) => {
          return { member_id: `m${String(index)}`, hands, joined_at: new Date(index).toISOString() };
        });
        const total = counts.reduce((all, count) => all + count, 0);
        fc.pre(total % beneficiaries === 0);
        const rotation = planRotation(pinned, { by: 'join' }, beneficiaries) as Rotation;
        const net = new Map(pinned.map((each) => [each.member_id, 0n]));
        const add = (member_id: string, minor: bigint) => net.set(member_id, net.get(member_id)! + minor);
        let open: OpenArrear[] = [];
        const payDebts = (parts: readonly Allocation[]) => {
          for (const part of parts) {
            open = open.map((debt) =>
              debt.meeting_id === part.meeting_id &&
              debt.debtor_id === part.debtor_id &&
              debt.creditor_id === part.creditor_id
                ? { ...debt, left_minor: debt.left_minor - part.amount_minor }
                : debt,
            );
          }
          expect(open.every((debt) => debt.left_minor >= 0n)).to.equal(true);
          open = open.filter((debt) => debt.left_minor > 0n);
        };
        for (let round = 1; round <= rotation.rounds; round += 1) {
          const hands = rotation.hands.filter((hand) => hand.round === round).map((hand) => hand.member_id);
          const missing = pinned.flatMap(({ member_id, hands: count }, position) => {
            const due = dueOf(count, amount);
            const in_time = partOf(due, paid(member_id, round));
            add(member_id, -in_time);
            return in_time < due ? [{ member_id, outstanding_minor: due - in_time, position }] : [];
          });
          const collected = dueOf(total, amount) - missing.reduce((sum, each) => sum + each.outstanding_minor, 0n);
          const plan = planOf(collected, hands, missing, open, `round ${String(round)}`);
          for (const payout of plan.payouts) add(payout.member_id, payout.amount_minor);
          payDebts(plan.set_offs);
          open.push(
            ...plan.claims.map(({ debtor_id, creditor_id, amount_minor }) => {
              return { meeting_id: `round ${String(round)}`, debtor_id, creditor_id, left_minor: amount_minor };
            }),
          );
          // Some of what one member owes is paid later; after the last round, all of it.
          for (const { member_id } of pinned) {
            const debts = open.filter((debt) => debt.debtor_id === member_id);
            const all = sumLeft(debts);
            const parts = payOff(round === rotation.rounds ? all : partOf(all, later(member_id, round)), debts);
            for (const part of parts) {
              add(part.debtor_id, -part.amount_minor);
              add(part.creditor_id, part.amount_minor);
            }
            payDebts(parts);
          }
        }
        expect(open).to.deep.equal([]);
        expect([...net.values()]).to.deep.equal(pinned.map(() => 0n));
      }),
    );
  });
});

describe('arrears: paying off', () => {
  it('pays one after another, and never more than each', () => {
    fc.assert(
      fc.property(someDebts, pot, (open, amount) => {
        const parts = payOff(amount, open);
        const owed = sumLeft(open);
        expect(totalOf(parts)).to.equal(amount < owed ? amount : owed);
        // All but the last one touched are paid in full.
        parts.slice(0, -1).forEach((part, index) => expect(part.amount_minor).to.equal(open[index]!.left_minor));
        parts.forEach((part, index) => expect(part.amount_minor <= open[index]!.left_minor).to.equal(true));
      }),
    );
  });

  it('sets off at the debtor’s own turn before they get anything themselves', () => {
    fc.assert(
      fc.property(someDebts, pot, (open, share) => {
        const { receipts, allocations } = setOff([{ member_id: 'a', amount_minor: share }], open);
        expect(totalOf(receipts)).to.equal(share);
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

  it('leaves the shares of those alone who owe nothing', () => {
    const shares = [
      { member_id: 'b', amount_minor: 5n },
      { member_id: 'a', amount_minor: 5n },
    ];
    const open = [{ meeting_id: 'm', debtor_id: 'a', creditor_id: 'b', left_minor: 2n }];
    expect(setOff(shares, open).receipts).to.deep.equal([
      { member_id: 'b', amount_minor: 5n },
      { member_id: 'b', amount_minor: 2n },
      { member_id: 'a', amount_minor: 3n },
    ]);
  });
});
