/** Divides a pot among hands, and computes the arrears for what is missing, in minor units. */
import { payOff, type Allocation, type OpenArrear } from '../arrears/arrears.rules.ts';

/** An amount for one member. */
export interface Share {
  readonly member_id: string;
  readonly amount_minor: bigint;
}

/** Splits a pot into equal shares. The remainder goes to the first shares, one unit to each. */
export function splitEqually(pot_minor: bigint, shares: number): bigint[] {
  const count = BigInt(shares);
  return Array.from(
    { length: shares },
    (_, index) => pot_minor / count + (BigInt(index) < pot_minor % count ? 1n : 0n),
  );
}

/**
 * Splits a pot equally among a round's hands.
 * @param hands the member of each hand, in rotation order; a member may have several
 * @returns each member once, in the order of their first hands, even if their share is zero
 */
export function shareOut(pot_minor: bigint, hands: readonly string[]): Share[] {
  const shares = splitEqually(pot_minor, hands.length);
  return mergeShares(hands.map((member_id, index) => ({ member_id, amount_minor: shares[index] ?? 0n })));
}

/** Adds up the shares of each member, in the order of their first shares. */
function mergeShares(shares: readonly Share[]): Share[] {
  const byMember = new Map<string, bigint>();
  for (const { member_id, amount_minor } of shares) {
    byMember.set(member_id, (byMember.get(member_id) ?? 0n) + amount_minor);
  }
  return [...byMember].map(([member_id, amount_minor]) => ({ member_id, amount_minor }));
}

export function totalOf(amounts: readonly { readonly amount_minor: bigint }[]): bigint {
  return amounts.reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
}

export interface SetOff {
  /** The payments in order: for each beneficiary first to their creditors, then the rest to the beneficiary. */
  readonly receipts: readonly Share[];
  /** The parts of the arrears that are paid off. */
  readonly allocations: readonly Allocation[];
}

/**
 * Deducts from each share what its member owes, and pays it to the creditors.
 * @param shares the shares of the pot, each beneficiary once, in rotation order
 * @param open the beneficiaries' arrears from earlier settlements, those of one debtor oldest first
 */
export function setOff(shares: readonly Share[], open: readonly OpenArrear[]): SetOff {
  const debts = Map.groupBy(open, (arrear) => arrear.debtor_id);
  const parts = shares.map(({ member_id, amount_minor }) => {
    const allocations = payOff(amount_minor, debts.get(member_id) ?? []);
    const creditors = mergeShares(
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
  /** The creditor's place among the round's beneficiaries, from 0. Claims are paid off in this order. */
  readonly rank: number;
  readonly amount_minor: bigint;
}

/**
 * Adds the missing dues to the pot one by one, in rotation order: each debtor owes every hand the amount by which their due
 * raises the hand's share. So a hand is owed exactly its share of the whole pot less its share of what was collected. If
 * each due were split separately, the first hands would get the remainder of every due. A beneficiary owes themselves
 * nothing.
 * @param hands the member of each hand of the round, in rotation order
 * @returns the claims by debtor in rotation order, then by rank
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
