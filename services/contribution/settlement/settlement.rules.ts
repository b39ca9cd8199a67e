/** Plans what a settlement or a cancellation pays to each member, in minor units. */
import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';
import type { FineRule, SHORTFALL_RULES } from '../../../lib/contracts/membership.ts';
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
} from './funds.rules.ts';
import type { Funds, PlannedLeg, PlannedPayout, WalletOf } from './funds.rules.ts';
import { claimsOf, setOff, shareOut, totalOf, type Claim, type Missing, type Share } from './pot.rules.ts';

/** What a settlement or a cancellation does. */
export interface SettlementPlan {
  readonly payouts: readonly PlannedPayout[];
  /** Negative if savings return from the treasury. The payouts and this amount sum to what was collected. */
  readonly to_treasury_minor: bigint;
  /** The ledger transfer, which empties the pool; no legs if no money moves. They sum to zero in each kind of money. */
  readonly legs: readonly PlannedLeg[];
  /** The change of the savings in the treasury; negative if they decrease. */
  readonly savings: Funds;
  /** The arrears that it leaves. */
  readonly claims: readonly Claim[];
  /** The parts of earlier arrears that it pays off. */
  readonly set_offs: readonly Allocation[];
}

/** How a meeting settles: it pays the round's hands, keeps or returns savings, or pays the treasury. */
export type SettlementKind = 'rotation' | 'savings' | 'treasury';
export type ShortfallRule = (typeof SHORTFALL_RULES)[number];

/** A meeting with data of its cycle. While the meeting is open, only the settlement of an earlier round changes them. */
export interface MeetingToSettle {
  readonly meeting: MeetingRow;
  readonly kind: SettlementKind;
  readonly is_last_round: boolean;
  /** The version of the cycle's rules; null outside a cycle. */
  readonly rules_version: number | null;
  /** The rules of fines of its cycle; null outside a cycle. */
  readonly fine_rules: readonly FineRule[] | null;
  /** The member of each hand of the round, in rotation order; empty unless `kind` is `rotation`. */
  readonly hands: readonly string[];
  /** Once false it stays false, as a settled round never opens again. */
  readonly earlier_round_open: boolean;
  /** The members of the hands, if any of them has arrears from earlier rounds that may be set off; otherwise empty. */
  readonly debtor_ids: readonly string[];
  /** All members who may be paid, and whose wallets are needed. */
  readonly payee_ids: readonly string[];
}

/** The amounts that decide what a settlement pays. */
export interface SettlementFacts {
  readonly collected: Funds;
  /** The members who have not paid all of a rotation's round, in join order. */
  readonly missing: readonly Missing[];
  /** The beneficiaries' arrears from earlier settlements, those of one debtor oldest first. */
  readonly open: readonly OpenArrear[];
  /** For the last round of savings: what earlier rounds brought to the treasury. */
  readonly earlier: Funds;
  /** For the last round of savings: what each member has saved in all rounds, in join order. */
  readonly saved: readonly Share[];
}

/**
 * Plans the settlement of a meeting.
 * @param shortfall the association's current rule; everything else follows the cycle's rules
 */
export function planSettlement(
  { meeting: { id }, kind, is_last_round, hands }: MeetingToSettle,
  { collected, missing, open, earlier, saved }: SettlementFacts,
  shortfall: ShortfallRule,
  walletOf: WalletOf,
): SettlementPlan {
  if (kind === 'treasury') return planToTreasury(id, collected);
  if (kind === 'rotation') {
    // Under `block` there are no arrears: the round waits until all is paid.
    const owed = shortfall === 'pay_collected' ? missing : [];
    return planRound({ meeting_id: id, collected, hands, missing: owed, open }, walletOf);
  }
  if (!is_last_round) return planSavingsRound(id, collected);
  return planLastSavingsRound(id, collected, earlier, saved, walletOf);
}

/** A rotation's round to be settled. */
export type Round = Pick<SettlementFacts, 'collected' | 'missing' | 'open'> &
  Pick<MeetingToSettle, 'hands'> & { readonly meeting_id: string };

/** Pays the pot to the round's hands, less what they owe from earlier rounds. What is missing becomes arrears. */
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

/** Moves the pool of a meeting outside a cycle to the treasury. */
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

/** Moves the pool of a round of savings, except the last, to the treasury, as savings that nothing else may spend. */
export function planSavingsRound(meeting_id: string, collected: Funds): SettlementPlan {
  return { ...planToTreasury(meeting_id, collected), savings: collected };
}

/**
 * Plans the last round of savings: each member gets back exactly what was paid for them in the whole cycle, in one transfer
 * from the last pool and from what earlier rounds have brought to the treasury.
 * @param earlier what the earlier rounds have brought to the treasury
 * @param saved what each member has saved, in join order; the sum must equal that of `collected` and `earlier`
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
    // Negative, so that the payouts and this amount sum to what this meeting collected.
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

/**
 * The most refunds of one cancellation, which are one transfer and one message: 140 bytes each, half of NATS's 8 MB. Three times as
 * many as an association can have members, so that only members who paid for many others can exceed it.
 */
export const REFUNDS_MAX = 30_000;

/** What was paid for a member from one wallet or, if `wallet_id` is null, in cash. */
export interface Refund {
  readonly member_id: string;
  readonly wallet_id: string | null;
  readonly amount_minor: bigint;
}

/**
 * Plans the cancellation of a meeting: every contribution is refunded to the wallet that paid it, or in cash.
 * @param paid all payments into the meeting's pool, each member and wallet once
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
 * Returns why a meeting cannot settle now; undefined if it can. Before its day, a meeting settles only if all is paid. From
 * then on, only a rotation's round under `block` requires that; other meetings settle with what was collected. Outside a
 * cycle nothing is expected.
 * @param meeting as it is now, as its day may have changed since it was first read
 * @param today in the time zone of the association
 */
export function refusalToSettle(
  { expected_minor, due_on }: Pick<MeetingRow, 'expected_minor' | 'due_on'>,
  kind: SettlementKind,
  shortfall: ShortfallRule,
  collected_minor: bigint,
  today: string,
): 'meeting_not_due' | 'meeting_underfunded' | undefined {
  if (collected_minor >= expected_minor) return undefined;
  if (today < due_on) return 'meeting_not_due';
  return kind === 'rotation' && shortfall === 'block' ? 'meeting_underfunded' : undefined;
}

/** Returns how much of the expected amount was not collected. */
export function shortfallOf(expected_minor: bigint, collected_minor: bigint): bigint {
  return collected_minor >= expected_minor ? 0n : expected_minor - collected_minor;
}

/**
 * Returns the SHA-256 (hex) of the RFC 8785 form of all that a settlement would do. Plans with the same hash make the same
 * payouts, and leave and pay off the same arrears.
 */
export function previewHash(meeting_id: string, plan: SettlementPlan): string {
  const { payouts, to_treasury_minor, claims, legs, set_offs } = plan;
  return canonicalHash({
    meeting_id,
    payouts: payouts.map(amountToNumber),
    to_treasury: Number(to_treasury_minor),
    arrears: claims.map(amountToNumber),
    legs: legs.map(amountToNumber),
    set_offs: set_offs.map(amountToNumber),
  });
}

/** Converts the amount for JSON, which has no bigint. Amounts are safe integers, as the ledger accepts no larger ones. */
export function amountToNumber<T extends { readonly amount_minor: bigint }>(
  part: T,
): Omit<T, 'amount_minor'> & { amount_minor: number } {
  return { ...part, amount_minor: Number(part.amount_minor) };
}
