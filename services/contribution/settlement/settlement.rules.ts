/** What a settlement or a cancellation pays to each member (contract, sections 3 and 4), in minor units. */
import { dayOf } from '../../../lib/calendar/calendar.ts';
import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';
import type { SHORTFALL_RULES } from '../../../lib/contracts/membership.ts';
import type { Allocation, OpenArrear } from '../arrears/arrears.rules.ts';
import type { MeetingRow } from '../meetings/meeting.table.ts';
import {
  fundsLegs,
  negateFunds,
  NO_FUNDS,
  payOut,
  payoutLeg,
  addFunds,
  poolOf,
  sumFunds,
  TREASURY,
} from './monies.rules.ts';
import type { Funds, PlannedLeg, PlannedPayout, WalletOf } from './monies.rules.ts';
import { claimsOf, setOff, shareOut, totalOf, type Claim, type Missing, type Share } from './pot.rules.ts';

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

/** A meeting with what its cycle says of it. While it is open, only the settlement of an earlier round changes this. */
export interface MeetingToSettle {
  readonly meeting: MeetingRow;
  readonly kind: SettlementKind;
  readonly is_last_round: boolean;
  /** The version of the cycle's rules; null outside a cycle. */
  readonly rules_version: number | null;
  /** The round's hands in rotation order, each named by its member; empty unless `kind` is `rotation`. */
  readonly hands: readonly string[];
  /** Once false it stays false, as rounds never leave `settled`. */
  readonly earlier_round_open: boolean;
  /** The members of the hands, if any of them has arrears from earlier rounds, which may be set off. */
  readonly debtor_ids: readonly string[];
  /** All members who may be paid, whose wallets have to be known. */
  readonly payee_ids: readonly string[];
}

/** The amounts that decide what a settlement pays. */
export interface SettlementFacts {
  readonly collected: Funds;
  /** The members who have not paid all of a rotation's round, in natural order. */
  readonly missing: readonly Missing[];
  /** The beneficiaries' arrears from earlier settlements, those of one debtor oldest first. */
  readonly open: readonly OpenArrear[];
  /** What earlier rounds brought to the treasury, and what each member saved in all: for the last round of savings. */
  readonly earlier: Funds;
  readonly saved: readonly Share[];
}

/**
 * What settling a meeting would do.
 * @param shortfall the association's present rule; everything else follows the cycle's rules
 */
export function planSettlement(
  { meeting: { id }, kind, is_last_round, hands }: MeetingToSettle,
  { collected, missing, open, earlier, saved }: SettlementFacts,
  shortfall: ShortfallRule,
  walletOf: WalletOf,
): SettlementPlan {
  if (kind === 'treasury') return planToTreasury(id, collected);
  if (kind === 'rotation') {
    // Under `block` nothing becomes arrears: the round waits.
    const owed = shortfall === 'pay_collected' ? missing : [];
    return planRound({ meeting_id: id, collected, hands, missing: owed, open }, walletOf);
  }
  if (!is_last_round) return planSavingsRound(id, collected);
  return planLastSavingsRound(id, collected, earlier, saved, walletOf);
}

/** A rotation's round that is to settle. */
export type Round = Pick<SettlementFacts, 'collected' | 'missing' | 'open'> &
  Pick<MeetingToSettle, 'hands'> & { readonly meeting_id: string };

/** The pot goes to the round's hands, less what they owe from earlier rounds; what is missing becomes arrears. */
export function planRound({ meeting_id, collected, hands, missing, open }: Round, walletOf: WalletOf): SettlementPlan {
  const collected_minor = sumFunds(collected);
  const { receipts, allocations } = setOff(shareOut(collected_minor, hands), open);
  const payouts = payOut(receipts, collected, walletOf);
  return {
    payouts,
    to_treasury_minor: 0n,
    legs: [...fundsLegs(poolOf(meeting_id), negateFunds(collected)), ...payouts.map(payoutLeg)],
    savings: NO_FUNDS,
    claims: claimsOf(collected_minor, missing, hands),
    set_offs: allocations,
  };
}

/** A meeting outside a cycle: the pool moves to the treasury. */
export function planToTreasury(meeting_id: string, collected: Funds): SettlementPlan {
  return {
    payouts: [],
    to_treasury_minor: sumFunds(collected),
    legs: [...fundsLegs(poolOf(meeting_id), negateFunds(collected)), ...fundsLegs(TREASURY, collected)],
    savings: NO_FUNDS,
    claims: [],
    set_offs: [],
  };
}

/** Any round of savings but the last: what came in moves to the treasury, as savings that nothing else may take. */
export function planSavingsRound(meeting_id: string, collected: Funds): SettlementPlan {
  return { ...planToTreasury(meeting_id, collected), savings: collected };
}

/**
 * The last round of savings: each member gets back exactly what was paid for them over the whole cycle, in one transfer
 * out of the last pool and of what earlier rounds had brought to the treasury.
 * @param saved by each member, in natural order: together `collected` and `earlier`
 * @param earlier what the earlier rounds brought to the treasury
 */
export function planLastSavingsRound(
  meeting_id: string,
  collected: Funds,
  earlier: Funds,
  saved: readonly Share[],
  walletOf: WalletOf,
): SettlementPlan {
  const payouts = payOut(saved, addFunds(collected, earlier), walletOf);
  const back = negateFunds(earlier);
  return {
    payouts,
    // Below zero: so the payouts and what went to the treasury are always what this meeting collected.
    to_treasury_minor: sumFunds(back),
    legs: [
      ...fundsLegs(poolOf(meeting_id), negateFunds(collected)),
      ...fundsLegs(TREASURY, back),
      ...payouts.map(payoutLeg),
    ],
    savings: sumFunds(earlier) === 0n ? NO_FUNDS : back,
    claims: [],
    set_offs: [],
  };
}

/** What was paid for a member from one wallet, or, without one, in cash. */
export interface Refund {
  readonly member_id: string;
  readonly wallet_id: string | null;
  readonly amount_minor: bigint;
}

/**
 * Cancelling a meeting refunds every contribution to the wallet that paid it, or in cash.
 * @param paid all that came in for the meeting, each member and wallet once
 */
export function planRefund(meeting_id: string, paid: readonly Refund[]): SettlementPlan {
  const payouts = paid.map(({ member_id, wallet_id, amount_minor }): PlannedPayout =>
    wallet_id === null
      ? { member_id, method: 'cash', wallet_id, amount_minor }
      : { member_id, method: 'wallet', wallet_id, amount_minor },
  );
  const collected: Funds = {
    emoney_minor: totalOf(paid.filter((each) => each.wallet_id !== null)),
    cash_minor: totalOf(paid.filter((each) => each.wallet_id === null)),
  };
  return {
    payouts,
    to_treasury_minor: 0n,
    legs: [...fundsLegs(poolOf(meeting_id), negateFunds(collected)), ...payouts.map(payoutLeg)],
    savings: NO_FUNDS,
    claims: [],
    set_offs: [],
  };
}

/**
 * Why a meeting cannot settle now; undefined if it can. Before its day it settles only if all is paid; under `block` a
 * round of a rotation always needs all. Savings settle with whatever came in, and outside a cycle nothing is expected.
 * @param meeting as it is now: its day may have changed since it was first read
 */
export function refusalToSettle(
  { expected_minor, due_on }: Pick<MeetingRow, 'expected_minor' | 'due_on'>,
  kind: SettlementKind,
  shortfall: ShortfallRule,
  collected_minor: bigint,
  now: Date,
): 'meeting_not_due' | 'meeting_underfunded' | undefined {
  if (collected_minor >= expected_minor) return undefined;
  if (dayOf(now) < due_on) return 'meeting_not_due';
  return kind === 'rotation' && shortfall === 'block' ? 'meeting_underfunded' : undefined;
}

/** What was expected and did not come in. */
export function shortfallOf(expected_minor: bigint, collected_minor: bigint): bigint {
  return collected_minor >= expected_minor ? 0n : expected_minor - collected_minor;
}

/**
 * SHA-256 (hex) of the RFC 8785 form of all that a settlement would do: plans with the same hash make the same payouts,
 * and leave and pay off the same arrears.
 */
export function previewHash(meeting_id: string, plan: SettlementPlan): string {
  const { payouts, to_treasury_minor, claims, legs, set_offs } = plan;
  return canonicalHash({
    meeting_id,
    payouts: payouts.map(withNumbers),
    to_treasury: Number(to_treasury_minor),
    arrears: claims.map(withNumbers),
    legs: legs.map(withNumbers),
    set_offs: set_offs.map(withNumbers),
  });
}

/** For JSON, which has no bigint. Amounts are safe integers, as the ledger accepts no larger ones. */
export function withNumbers<T extends { readonly amount_minor: bigint }>(
  part: T,
): Omit<T, 'amount_minor'> & { amount_minor: number } {
  return { ...part, amount_minor: Number(part.amount_minor) };
}
