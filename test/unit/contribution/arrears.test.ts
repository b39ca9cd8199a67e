import { expect } from 'chai';
import * as fc from 'fast-check';
import { payOff } from '../../../services/contribution/domain/arrears.ts';
import { claimsOf } from '../../../services/contribution/domain/claims.ts';
import { setOff } from '../../../services/contribution/domain/set-off.ts';
import { shareOut, splitEqually, totalOf } from '../../../services/contribution/domain/split.ts';

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

  it('names each member once, at the place of his first hand', () => {
    fc.assert(
      fc.property(pot, someHands, (collected, hands) => {
        const shares = shareOut(collected, hands);
        expect(shares.map((share) => share.member_id)).to.deep.equal([...new Set(hands)]);
        expect(totalOf(shares)).to.equal(collected);
      }),
    );
  });
});

describe('arrears: claims', () => {
  it('of two members who miss 10 000 go to the one beneficiary', () => {
    const missing = ['b', 'c'].map((member_id) => ({ member_id, outstanding_minor: 10_000n }));
    expect(
      claimsOf(missing, ['a']).map((claim) => [claim.debtor_id, claim.creditor_id, claim.amount_minor]),
    ).to.deep.equal([
      ['b', 'a', 10_000n],
      ['c', 'a', 10_000n],
    ]);
  });

  it('are void as far as a beneficiary would owe himself', () => {
    const missing = [{ member_id: 'a', outstanding_minor: 11n }];
    expect(claimsOf(missing, ['a'])).to.deep.equal([]);
    expect(claimsOf(missing, ['b', 'a', 'c'])).to.deep.equal([
      { debtor_id: 'a', creditor_id: 'b', rank: 0, amount_minor: 4n },
      { debtor_id: 'a', creditor_id: 'c', rank: 2, amount_minor: 3n },
    ]);
  });

  it('and what is void make up all that is missing, and nobody owes himself', () => {
    const missing = fc.uniqueArray(fc.tuple(someone, positive), { selector: ([member]) => member });
    fc.assert(
      fc.property(missing, someHands, (drawn, hands) => {
        const lacking = drawn.map(([member_id, outstanding_minor]) => ({ member_id, outstanding_minor }));
        const claims = claimsOf(lacking, hands);
        for (const { member_id, outstanding_minor } of lacking) {
          const own = claims.filter((claim) => claim.debtor_id === member_id);
          const void_part = shareOut(outstanding_minor, hands).find((share) => share.member_id === member_id);
          expect(totalOf(own) + (void_part?.amount_minor ?? 0n)).to.equal(outstanding_minor);
          const ranks = own.map((claim) => claim.rank);
          expect(ranks).to.deep.equal(ranks.toSorted((a, b) => a - b));
        }
        expect(claims.some((claim) => claim.debtor_id === claim.creditor_id || claim.amount_minor <= 0n)).to.equal(
          false,
        );
        expect(claimsOf(lacking, hands)).to.deep.equal(claims);
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

  it('sets off at the debtor’s own turn before he gets anything himself', () => {
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
