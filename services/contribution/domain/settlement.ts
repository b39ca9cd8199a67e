/** What a settlement pays to whom (contract, section 4), in minor units. */

/** A beneficiary hand's member, and the wallet that his payouts go to. */
export interface Beneficiary {
  readonly member_id: string;
  readonly wallet_id: string;
}

export interface PlannedPayout {
  readonly member_id: string;
  readonly method: 'wallet';
  readonly wallet_id: string;
  readonly amount_minor: bigint;
}

export interface PlannedLeg {
  readonly account: string;
  readonly amount_minor: bigint;
}

export interface SettlementPlan {
  readonly payouts: readonly PlannedPayout[];
  readonly to_treasury_minor: bigint;
  /** The one ledger transfer; empty when nothing was collected. They sum to zero, the pool giving all it has. */
  readonly legs: readonly PlannedLeg[];
}

export interface Standing {
  readonly collected_minor: bigint;
  readonly expected_minor: bigint;
  readonly due_on: string;
  readonly today: string;
}

/**
 * Why a meeting cannot settle as it stands, if so: before its day only when all is paid; under `block` never while
 * something is owed. Outside a cycle nothing is expected, so nothing hinders it.
 */
export function hindrance(standing: Standing): 'meeting_not_due' | 'meeting_underfunded' | undefined {
  if (standing.collected_minor >= standing.expected_minor) return undefined;
  return standing.today < standing.due_on ? 'meeting_not_due' : 'meeting_underfunded';
}

/** A tontine's round: the pot goes to the round's hands, given in rotation order; a member's hands are paid in one. */
export function planRound(meeting_id: string, collected_minor: bigint, hands: readonly Beneficiary[]): SettlementPlan {
  const shares = splitEqually(collected_minor, hands.length);
  const byMember = new Map<string, PlannedPayout>();
  hands.forEach(({ member_id, wallet_id }, index) => {
    const amount_minor = (byMember.get(member_id)?.amount_minor ?? 0n) + (shares[index] ?? 0n);
    byMember.set(member_id, { member_id, method: 'wallet', wallet_id, amount_minor });
  });
  const payouts = [...byMember.values()].filter((payout) => payout.amount_minor > 0n);
  const legs = payouts.map((payout) => ({ account: `wallet:${payout.wallet_id}`, amount_minor: payout.amount_minor }));
  return { payouts, to_treasury_minor: 0n, legs: fromPool(meeting_id, collected_minor, legs) };
}

/** A meeting outside a cycle: the pool moves to the treasury. */
export function planToTreasury(meeting_id: string, collected_minor: bigint): SettlementPlan {
  const legs = [{ account: 'treasury', amount_minor: collected_minor }];
  return { payouts: [], to_treasury_minor: collected_minor, legs: fromPool(meeting_id, collected_minor, legs) };
}

/** Equal shares; a remainder goes one unit at a time to the first of them. */
export function splitEqually(pot_minor: bigint, shares: number): bigint[] {
  const count = BigInt(shares);
  return Array.from(
    { length: shares },
    (_, index) => pot_minor / count + (BigInt(index) < pot_minor % count ? 1n : 0n),
  );
}

/** What was expected and did not come in. */
export function shortfallOf(expected_minor: bigint, collected_minor: bigint): bigint {
  return collected_minor >= expected_minor ? 0n : expected_minor - collected_minor;
}

function fromPool(meeting_id: string, collected_minor: bigint, legs: readonly PlannedLeg[]): PlannedLeg[] {
  return collected_minor === 0n ? [] : [{ account: `pool:${meeting_id}`, amount_minor: -collected_minor }, ...legs];
}
