/** Amounts as people write them. */
import currencyCodes from 'currency-codes';
import type { Language } from './languages.rules.ts';

/** Codes newer than the data package, with their minor digits. */
const AMENDMENTS: Record<string, number> = { XCG: 2 };

/** Two decimals, as most currencies have. */
const USUAL_DIGITS = 2;

/**
 * Returns the number of decimals of a currency's minor unit, as ISO 4217 and the amounts of the association service have it. `Intl`
 * has fewer for some currencies, whose coins are no longer used.
 */
export function minorDigits(currency: string): number {
  return AMENDMENTS[currency] ?? currencyCodes.code(currency)?.digits ?? USUAL_DIGITS;
}

/** Returns an amount of minor units as a number of major units. */
export function toMajor(amount_minor: number, currency: string): number {
  return amount_minor / 10 ** minorDigits(currency);
}

/**
 * Writes an amount with its currency, as in "FCFA 10,000" and "10 000 FCFA".
 * @param display `code` for the ISO 4217 code instead of a symbol
 */
export function amountInWords(
  amount_minor: number,
  currency: string,
  language: Language,
  display: 'symbol' | 'code' = 'symbol',
): string {
  const digits = minorDigits(currency);
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const format = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: display,
    ...decimals,
  });
  return format.format(toMajor(amount_minor, currency));
}
