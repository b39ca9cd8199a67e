import { expect } from 'chai';
import fc from 'fast-check';
import { AMOUNT_MAX_MINOR, readAmount, toMajor } from '../../../lib/money/amount.ts';
import { isCurrency, minorDigits } from '../../../lib/money/currency.ts';
import { minorAmount } from '../../../lib/money/minor-amount.ts';
import { complaintOf } from '../../harness/refusal.ts';

describe('amounts', () => {
  it('have the minor digits of ISO 4217, and only in currencies that have a minor unit', () => {
    expect(['XAF', 'EUR', 'TND', 'CLF', 'XCG'].map(minorDigits)).to.deep.equal([0, 2, 3, 4, 2]);
    const refused = ['XAU', 'XAG', 'XXX', 'XTS', 'XDR', 'ZZZ', 'eur', '', 'toString'];
    expect(refused.filter(isCurrency)).to.deep.equal([]);
  });

  const readings: [number, string, ReturnType<typeof readAmount>][] = [
    // 1.1 * 100 is 110.00000000000001 in floats.
    [1.1, 'EUR', { minor: 110n }],
    [0.07, 'EUR', { minor: 7n }],
    [1e3, 'XAF', { minor: 1000n }],
    [1e-3, 'TND', { minor: 1n }],
    [9_999_999_999_999.99, 'EUR', { minor: AMOUNT_MAX_MINOR }],
    [0.5, 'XAF', { refused: 'precision' }],
    [1.005, 'EUR', { refused: 'precision' }],
    [1e-7, 'TND', { refused: 'precision' }],
    [1e15, 'XAF', { refused: 'too_large' }],
    [10_000_000_000_000, 'EUR', { refused: 'too_large' }],
  ];
  for (const [major, currency, reading] of readings) {
    it(`are read exactly as written or refused: ${String(major)} ${currency}`, () => {
      expect(readAmount(major, currency)).to.deep.equal(reading);
    });
  }

  it('are the same after writing and reading', () => {
    const minors = fc.bigInt({ min: 1n, max: AMOUNT_MAX_MINOR });
    fc.assert(
      fc.property(minors, fc.constantFrom('XAF', 'EUR', 'TND', 'CLF'), (minor, currency) => {
        expect(readAmount(toMajor(minor, currency), currency)).to.deep.equal({ minor });
      }),
    );
  });
});

describe('the amount of a request', () => {
  it("is read in the currency's minor units", () => {
    expect(minorAmount(10_000, 'XAF', '/amount')).to.equal(10_000n);
    expect(minorAmount(12.34, 'EUR', '/amount')).to.equal(1_234n);
    expect(minorAmount(1.005, 'TND', '/amount')).to.equal(1_005n);
  });

  for (const [amount, currency, code] of [
    [0.5, 'XAF', 'amount_precision'],
    // Above 999 999 999 999 999 minor units.
    [10_000_000_000_000, 'EUR', 'validation_failed'],
  ] as const) {
    it(`is refused with ${code}, naming the field, if it is ${String(amount)} ${currency}`, async () => {
      const attempt = Promise.try(() => minorAmount(amount, currency, '/contribution_amount'));
      expect(await complaintOf(attempt)).to.deep.equal([code, '/contribution_amount']);
    });
  }
});
