import { invalid, problem } from '../errors/problem.ts';
import { readAmount } from './amount.ts';

/**
 * Converts a request's amount to minor units.
 * @param pointer the field with the amount, as a JSON Pointer
 * @throws amount_precision, or validation_failed above 999 999 999 999 999 minor units
 */
export function minorAmount(major: number, currency: string, pointer: string): bigint {
  const reading = readAmount(major, currency);
  if ('minor' in reading) return reading.minor;
  if (reading.refused === 'precision') {
    const detail = `${currency} does not have that many decimals.`;
    throw problem('amount_precision', { errors: [{ pointer, code: 'amount_precision', detail }] });
  }
  throw invalid({ pointer, code: 'too_large', detail: 'At most 999 999 999 999 999 minor units.' });
}
