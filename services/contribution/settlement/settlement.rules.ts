/** What a settlement pays to whom (contract, section 4), in minor units. */
import type { SHORTFALL_RULES } from '../../../lib/contracts/membership.ts';
import type { Allocation, OpenArrear } from '../arrears/arrears.rules.ts';
import { claimsOf } from './claims.ts';
import type { Claim, Missing } from './claims.ts';
import { fundsLegs, negated, NO_FUNDS, payOut, payoutLeg, poolOf, sumOfFunds, TREASURY } from './monies.rules.ts';
import type { Funds, PlannedLeg, PlannedPayout, WalletOf } from './monies.rules.ts';
import { setOff } from './set-off.ts';
import { shareOut } from './pot.rules.ts';

export interface SettlementPlan {
  readonly payouts: readonly PlannedPayout[];
  /** Below zero where savings come back from the treasury. Σ payouts + this = what was collected. */
  readonly to_treasury_minor: bigint;
  /** The one ledger transfer; empty when nothing moves. They sum to zero in each money, the pools giving all they have. */
  readonly legs: readonly PlannedLeg[];
  /** By how much it raises, or below zero lowers, the savings in the treasury. */
  readonly savings: Funds;
  /** What it leaves owed. */
  readonly claims: readonly Claim[];
  /** What it pays off of earlier arrears. */
  readonly set_offs: readonly Allocation[];
}

/** How a meeting settles. */
export type SettlementKind = 'rotation' | 'savings' | 'treasury';
export type ShortfallRule = (typeof SHORTFALL_RULES)[number];

export interface Standing {
  readonly kind: SettlementKind;
  readonly shortfall: ShortfallRule;
  readonly collected_minor: bigint;
  readonly expected_minor: bigint;
  readonly due_on: string;
  readonly today: string;
}

/**
 * Why a meeting cannot settle as it stands, if so: before its day only when all is paid; under `block` a rotation's
 * round never while something is owed. Savings settle with whatever came in, and outside a cycle nothing is expected.
 */
export function hindrance(standing: Standing): 'meeting_not_due' | 'meeting_underfunded' | undefined {
  if (standing.collected_minor >= standing.expected_minor) return undefined;
  if (standing.today < standing.due_on) return 'meeting_not_due';
  return standing.kind === 'rotation' && standing.shortfall === 'block' ? 'meeting_underfunded' : undefined;
}

/** A rotation's round that is to settle. */
export interface Round {
  readonly meeting_id: string;
  readonly collected: Funds;
  /** The round's hands, each named by its member, in rotation order. */
  readonly hands: readonly string[];
  /** Who has not paid all, in any order. */
  readonly missing: readonly Missing[];
  /** The beneficiaries' arrears from earlier settlements, those of one debtor oldest first. */
  readonly open: readonly OpenArrear[];
}

/** The pot goes to the round's hands, less what they owe from earlier rounds; what is missing becomes arrears. */
export function planRound({ meeting_id, collected, hands, missing, open }: Round, walletOf: WalletOf): SettlementPlan {
  const collected_minor = sumOfFunds(collected);
  const { receipts, allocations } = setOff(shareOut(collected_minor, hands), open);
  const payouts = payOut(receipts, collected, walletOf);
  return {
    payouts,
    to_treasury_minor: 0n,
    legs: [...fundsLegs(poolOf(meeting_id), negated(collected)), ...payouts.map(payoutLeg)],
    savings: NO_FUNDS,
    claims: claimsOf(collected_minor, missing, hands),
    set_offs: allocations,
  };
}

/** A meeting outside a cycle: the pool moves to the treasury. */
export function planToTreasury(meeting_id: string, collected: Funds): SettlementPlan {
  return {
    payouts: [],
    to_treasury_minor: sumOfFunds(collected),
    legs: [...fundsLegs(poolOf(meeting_id), negated(collected)), ...fundsLegs(TREASURY, collected)],
    savings: NO_FUNDS,
    claims: [],
    set_offs: [],
  };
}

/** What was expected and did not come in. */
export function shortfallOf(expected_minor: bigint, collected_minor: bigint): bigint {
  return collected_minor >= expected_minor ? 0n : expected_minor - collected_minor;
}
