/** Amounts as people write them. */
import { minorDigits, toMajor } from '@association-service/contracts/service';
import type { Language } from './languages.rules.ts';

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
  return format.format(toMajor(BigInt(amount_minor), currency));
}
