import { minorDigits } from './currency.ts';

/** The largest amount of one request, in minor units: a JSON number holds 15 digits exactly. */
export const AMOUNT_MAX_MINOR = 999_999_999_999_999n;

/**
 * Returns the largest balance or sum in a currency, in minor units, that a JSON number holds exactly: the largest safe
 * integer without decimals, 15 digits with decimals.
 */
export function sumMaxMinor(currency: string): bigint {
  return minorDigits(currency) === 0 ? BigInt(Number.MAX_SAFE_INTEGER) : AMOUNT_MAX_MINOR;
}

export type AmountReading = { minor: bigint } | { refused: 'precision' | 'too_large' };

/**
 * Reads an amount of major units, exactly: from the number's shortest decimal form, never by multiplying floats.
 * @param major a JSON number above zero
 */
export function readAmount(major: number, currency: string): AmountReading {
  const digits = minorDigits(currency);
  const { units, scale } = decimalOf(major);
  if (scale > digits) return { refused: 'precision' };
  const minor = units * 10n ** BigInt(digits - scale);
  return minor > AMOUNT_MAX_MINOR ? { refused: 'too_large' } : { minor };
}

/** Returns an amount of minor units as a JSON number of major units, exact up to 15 significant digits. */
export function toMajor(minor: bigint, currency: string): number {
  return Number(minor) / 10 ** minorDigits(currency);
}

/** Returns a finite number as `units / 10^scale`, with the smallest scale of at least 0. */
function decimalOf(value: number): { units: bigint; scale: number } {
  const [mantissa = '0', exponent = '0'] = value.toString().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const shift = Number(exponent) - fraction.length;
  const units = BigInt(whole + fraction);
  return shift >= 0 ? { units: units * 10n ** BigInt(shift), scale: 0 } : reduce(units, -shift);
}

function reduce(units: bigint, scale: number): { units: bigint; scale: number } {
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n;
    scale -= 1;
  }
  return { units, scale };
}
