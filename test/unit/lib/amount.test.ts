import { expect } from 'chai';
import fc from 'fast-check';
import { AMOUNT_MAX_MINOR, readAmount, toMajor } from '../../../lib/money/amount.ts';
import { isCurrency, minorDigits } from '../../../lib/money/currency.ts';

describe('amounts', () => {
  it('takes the minor digits of ISO 4217', () => {
    expect(['XAF', 'EUR', 'TND', 'CLF', 'XCG'].map(minorDigits)).to.deep.equal([0, 2, 3, 4, 2]);
  });

  it('refuses codes without a minor unit, and codes that do not exist', () => {
    for (const code of ['XAU', 'XAG', 'XXX', 'XTS', 'XDR', 'ZZZ', 'eur', '', 'toString']) {
      expect(isCurrency(code), code).to.equal(false);
    }
  });

  it('reads the decimal that was written, never a float product', () => {
    // 1.1 * 100 is 110.00000000000001 in floats.
    expect(readAmount(1.1, 'EUR')).to.deep.equal({ minor: 110n });
    expect(readAmount(0.07, 'EUR')).to.deep.equal({ minor: 7n });
    expect(readAmount(1e3, 'XAF')).to.deep.equal({ minor: 1000n });
    expect(readAmount(1e-3, 'TND')).to.deep.equal({ minor: 1n });
    expect(readAmount(9_999_999_999_999.99, 'EUR')).to.deep.equal({ minor: AMOUNT_MAX_MINOR });
  });

  it('refuses more decimals than the currency has', () => {
    expect(readAmount(0.5, 'XAF')).to.deep.equal({ refused: 'precision' });
    expect(readAmount(1.005, 'EUR')).to.deep.equal({ refused: 'precision' });
    expect(readAmount(1e-7, 'TND')).to.deep.equal({ refused: 'precision' });
  });

  it('refuses more than 999 999 999 999 999 minor units', () => {
    expect(readAmount(1e15, 'XAF')).to.deep.equal({ refused: 'too_large' });
    expect(readAmount(10_000_000_000_000, 'EUR')).to.deep.equal({ refused: 'too_large' });
  });

  it('reads back every amount that it writes', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: AMOUNT_MAX_MINOR }),
        fc.constantFrom('XAF', 'EUR', 'TND', 'CLF'),
        (minor, currency) => {
          expect(readAmount(toMajor(minor, currency), currency)).to.deep.equal({ minor });
        },
      ),
    );
  });
});
