/** Pays off what is owed from settled rounds, in minor units. docs/settlement.md describes arrears. */

/** What a debtor owes one creditor from one meeting, less what payments have taken. */
export interface OpenArrear {
  readonly meeting_id: string;
  readonly debtor_id: string;
  readonly creditor_id: string;
  readonly left_minor: bigint;
}

/** The part of a payment that pays off one open arrear. */
export interface Allocation {
  readonly meeting_id: string;
  readonly debtor_id: string;
  readonly creditor_id: string;
  readonly amount_minor: bigint;
}

/**
 * Pays off arrears one after another as far as the amount goes.
 * @param open the arrears, in the order in which they are paid off
 */
export function payOff(amount_minor: bigint, open: readonly OpenArrear[]): Allocation[] {
  let rest = amount_minor;
  return open.flatMap(({ left_minor, meeting_id, debtor_id, creditor_id }) => {
    const part = left_minor < rest ? left_minor : rest;
    rest -= part;
    return part > 0n ? [{ meeting_id, debtor_id, creditor_id, amount_minor: part }] : [];
  });
}
