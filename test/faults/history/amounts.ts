import { minorDigits } from '../../../lib/money/currency.ts';

/** Most decimals of any currency. Amounts of all currencies are compared in this unit. */
const DECIMALS = 4;

/** Reads an amount of the API, exactly. */
export function amountOf(major: unknown): bigint {
  if (typeof major !== 'number') throw new Error(`${JSON.stringify(major)} is not an amount`);
  const [whole = '0', fraction = ''] = major.toString().split('.');
  return BigInt(whole + fraction.padEnd(DECIMALS, '0'));
}

/** Reads an amount of a ledger leg. */
export function legAmountOf(minor: number, currency: string): bigint {
  return BigInt(minor) * 10n ** BigInt(DECIMALS - minorDigits(currency));
}
