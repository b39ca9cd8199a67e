import type { FineRule } from '../../../lib/contracts/membership.ts';
import { minorAmount } from '../../../lib/money/minor-amount.ts';

/** The members of a rule that are amounts. */
const AMOUNTS = ['amount', 'cap_amount'] as const;

/**
 * Checks the amounts of the rules against the currency.
 * @param pointer to the rules of fines in the request's body, as a JSON Pointer
 * @throws amount_precision, or validation_failed for an amount that is too large
 */
export function checkFineAmounts(rules: readonly FineRule[] | undefined, currency: string, pointer: string): void {
  for (const [index, rule] of (rules ?? []).entries()) {
    for (const name of AMOUNTS) {
      const amount = rule[name];
      if (amount !== undefined) minorAmount(amount, currency, `${pointer}/${String(index)}/${name}`);
    }
  }
}
