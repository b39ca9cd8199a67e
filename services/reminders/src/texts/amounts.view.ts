/** Amounts as people write them. */
import { minorDigits, toMajor } from '@association-service/contracts/service';
import type { Language } from './languages.rules.ts';

/**
 * Writes an amount as people in the countries of its currency do: "FCFA 10,000", "₦5,000.00", "10 000 FCFA". Several currencies
 * have the symbol `$`; an association has only one currency.
 * @param canWrite whether a symbol can be written where the amount is shown; if not, the ISO 4217 code takes its place
 */
export function amountInWords(
  amount_minor: number,
  currency: string,
  language: Language,
  canWrite: (symbol: string) => boolean = () => true,
): string {
  const amount = toMajor(BigInt(amount_minor), currency);
  const withSymbol = formatOf(currency, language, 'narrowSymbol');
  const symbol = withSymbol.formatToParts(amount).find(({ type }) => type === 'currency')?.value ?? '';
  return (canWrite(symbol) ? withSymbol : formatOf(currency, language, 'code')).format(amount);
}

function formatOf(currency: string, language: Language, currencyDisplay: 'narrowSymbol' | 'code'): Intl.NumberFormat {
  // Intl shows some currencies without the decimals that ISO 4217 gives them.
  const digits = minorDigits(currency);
  const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(language, { style: 'currency', currency, currencyDisplay, ...decimals });
}
