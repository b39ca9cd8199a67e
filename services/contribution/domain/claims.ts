/** What a round that settles with dues missing leaves owed, and to whom (contract, section 4, "arrears"). */
import { shareOut } from './split.ts';

/** A member who has not paid all of his due for the round, and how much is missing. */
export interface Missing {
  readonly member_id: string;
  readonly outstanding_minor: bigint;
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
 * Each missing amount is split over the round's hands as the pot is; what a beneficiary would owe himself is void.
 * @param hands the round's, each named by its member, in rotation order
 * @returns by debtor in the order given, then by rank
 */
export function claimsOf(missing: readonly Missing[], hands: readonly string[]): Claim[] {
  return missing.flatMap(({ member_id: debtor_id, outstanding_minor }) =>
    shareOut(outstanding_minor, hands)
      .map(({ member_id: creditor_id, amount_minor }, rank) => ({ debtor_id, creditor_id, rank, amount_minor }))
      .filter(({ creditor_id, amount_minor }) => creditor_id !== debtor_id && amount_minor > 0n),
  );
}
