/** Dividing a pot among hands (contract, section 4), in minor units. */

/** So much for one member. */
export interface Share {
  readonly member_id: string;
  readonly amount_minor: bigint;
}

/** Equal shares; a remainder goes one unit at a time to the first of them. */
export function splitEqually(pot_minor: bigint, shares: number): bigint[] {
  const count = BigInt(shares);
  return Array.from(
    { length: shares },
    (_, index) => pot_minor / count + (BigInt(index) < pot_minor % count ? 1n : 0n),
  );
}

/**
 * Splits a pot over a round's hands, each named by its member.
 * @param hands in rotation order; a member may have several
 * @returns each member once, at the place of his first hand, also where his share is nothing
 */
export function shareOut(pot_minor: bigint, hands: readonly string[]): Share[] {
  const shares = splitEqually(pot_minor, hands.length);
  return merged(hands.map((member_id, index) => ({ member_id, amount_minor: shares[index] ?? 0n })));
}

/** Each member once with all that is his, at the place of his first share. */
export function merged(shares: readonly Share[]): Share[] {
  const byMember = new Map<string, bigint>();
  for (const { member_id, amount_minor } of shares) {
    byMember.set(member_id, (byMember.get(member_id) ?? 0n) + amount_minor);
  }
  return [...byMember].map(([member_id, amount_minor]) => ({ member_id, amount_minor }));
}

export function totalOf(amounts: readonly { readonly amount_minor: bigint }[]): bigint {
  return amounts.reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
}
