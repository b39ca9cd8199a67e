/** A debtor's own turn: his arrears are deducted first and paid to whom they are owed (contract, section 4). */
import { payOff } from '../arrears/arrears.rules.ts';
import type { Allocation, OpenArrear } from '../arrears/arrears.rules.ts';
import { merged, totalOf } from './pot.rules.ts';
import type { Share } from './pot.rules.ts';

export interface SetOff {
  /** Who is paid, in this order: for each beneficiary first his creditors, then himself with what is left to him. */
  readonly receipts: readonly Share[];
  /** What of the arrears this pays off. */
  readonly allocations: readonly Allocation[];
}

/**
 * Deducts from each share what its member owes.
 * @param shares of the pot, each beneficiary once, in rotation order
 * @param open the beneficiaries' arrears from earlier settlements, those of one debtor oldest first
 */
export function setOff(shares: readonly Share[], open: readonly OpenArrear[]): SetOff {
  const debts = Map.groupBy(open, (arrear) => arrear.debtor_id);
  const parts = shares.map(({ member_id, amount_minor }) => {
    const allocations = payOff(amount_minor, debts.get(member_id) ?? []);
    const creditors = merged(
      allocations.map((part) => ({ member_id: part.creditor_id, amount_minor: part.amount_minor })),
    );
    const own = { member_id, amount_minor: amount_minor - totalOf(allocations) };
    return { allocations, receipts: [...creditors, own].filter((receipt) => receipt.amount_minor > 0n) };
  });
  return {
    receipts: parts.flatMap((part) => part.receipts),
    allocations: parts.flatMap((part) => part.allocations),
  };
}
