import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';
import type { SettlementPlan } from './settlement.rules.ts';

/**
 * SHA-256 (hex) of the RFC 8785 form of all that a settlement would do: two plans with the same hash pay the same to the
 * same, leave the same arrears and pay off the same ones.
 */
export function previewHash(meeting_id: string, plan: SettlementPlan): string {
  const { payouts, to_treasury_minor, claims, legs, set_offs } = plan;
  return canonicalHash({
    meeting_id,
    payouts: payouts.map(inNumbers),
    to_treasury: Number(to_treasury_minor),
    arrears: claims.map(inNumbers),
    legs: legs.map(inNumbers),
    set_offs: set_offs.map(inNumbers),
  });
}

/** Sums are safe integers, as the ledger carries none that is larger. */
export function inNumbers<T extends { readonly amount_minor: bigint }>(
  part: T,
): Omit<T, 'amount_minor'> & { amount_minor: number } {
  return { ...part, amount_minor: Number(part.amount_minor) };
}
