import { expect } from 'chai';
import fc from 'fast-check';
import { boundsOf, sumUp, type Movement } from '../../../services/treasury/statements/statement.rules.ts';

const movement = (amount: bigint, given: Partial<Movement> = {}): Movement => ({
  transfer_id: '01890a5d-ac96-774b-bcce-000000000001',
  seq: 7n,
  kind: 'contribution',
  posted_at: new Date('2026-01-31T12:00:00.000Z'),
  by_wallet: true,
  amount,
  reference: null,
  hash: 'f'.repeat(64),
  ...given,
});

describe('treasury: a statement', () => {
  it('leads from the opening balance to the closing balance, movement by movement', () => {
    const amounts = fc.array(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }).filter((amount) => amount !== 0n));
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), amounts, (opening, sequence) => {
        const sums = sumUp(
          opening,
          sequence.map((amount) => movement(amount)),
          new Map(),
          'XAF',
        );
        let balance = sums.opening_balance;
        for (const { amount, balance_after } of sums.movements) {
          balance += amount;
          expect(balance_after).to.equal(balance);
        }
        expect(sums.closing_balance).to.equal(balance);
        expect(sums.opening_balance + sums.paid_in - sums.paid_out).to.equal(sums.closing_balance);
        expect(sums.paid_in >= 0 && sums.paid_out >= 0).to.equal(true);
      }),
    );
  });

  it('includes its whole first and last day, in the time zone of the association', () => {
    const day = { from: '2026-02-28', to: '2026-02-28' };
    expect(boundsOf(day, 'UTC')).to.deep.equal({
      since: new Date('2026-02-28T00:00:00.000Z'),
      before: new Date('2026-03-01T00:00:00.000Z'),
    });
    expect(boundsOf(day, 'Africa/Douala')).to.deep.equal({
      since: new Date('2026-02-27T23:00:00.000Z'),
      before: new Date('2026-02-28T23:00:00.000Z'),
    });
    expect(boundsOf({}, 'UTC')).to.deep.equal({ since: null, before: null });
  });
});
