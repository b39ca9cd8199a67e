/** What a round that settles with dues missing leaves owed, and to whom (contract, section 4, "arrears"). */
import { shareOut } from './pot.rules.ts';

/** A member who has not paid all of their due for the round, and how much is missing. */
export interface Missing {
  readonly member_id: string;
  readonly outstanding_minor: bigint;
  /** The place of their first hand in the cycle's rotation. */
  readonly position: number;
}

/** What one member owes another from one round. */
export interface Claim {
  readonly debtor_id: string;
  readonly creditor_id: string;
  /** The creditor's place, from 0, among the round's beneficiaries: claims are paid off in this order. */
  readonly rank: number;
  readonly amount_minor: bigint;
}

/**
 * Each debtor owes every hand what its share of the pot would grow by with the debtor's due in it, the debtors adding
 * theirs in rotation order. So a hand is owed exactly its share of the whole pot less its share of what was collected:
 * splitting each due by itself would give the first hands a remainder for every debtor. What a beneficiary would owe
 * themselves is void.
 * @param hands the round's, each named by its member, in rotation order
 * @returns by debtor in rotation order, then by rank
 */
export function claimsOf(collected_minor: bigint, missing: readonly Missing[], hands: readonly string[]): Claim[] {
  let pot_minor = collected_minor;
  return missing
    .toSorted((a, b) => a.position - b.position)
    .flatMap(({ member_id: debtor_id, outstanding_minor }) => {
      const before = shareOut(pot_minor, hands);
      pot_minor += outstanding_minor;
      return shareOut(pot_minor, hands)
        .map(({ member_id: creditor_id, amount_minor }, rank) => {
          return { debtor_id, creditor_id, rank, amount_minor: amount_minor - (before[rank]?.amount_minor ?? 0n) };
        })
        .filter(({ creditor_id, amount_minor }) => creditor_id !== debtor_id && amount_minor > 0n);
    });
}
