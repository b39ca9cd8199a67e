/** Cancelling a meeting: every contribution goes back to where it came from (contract, section 3), in minor units. */
import { fundsLegs, negated, payoutLeg, poolOf } from './monies.rules.ts';
import type { Funds, PlannedLeg, PlannedPayout } from './monies.rules.ts';
import { totalOf } from './pot.rules.ts';

/** What was paid for a member from one wallet, or in cash. */
export interface Paid {
  readonly member_id: string;
  /** Null for cash. */
  readonly wallet_id: string | null;
  readonly amount_minor: bigint;
}

export interface RefundPlan {
  readonly payouts: readonly PlannedPayout[];
  readonly legs: readonly PlannedLeg[];
}

/** @param paid all that came in for the meeting, each member and wallet once */
export function planRefund(meeting_id: string, paid: readonly Paid[]): RefundPlan {
  const payouts = paid.map(({ member_id, wallet_id, amount_minor }): PlannedPayout =>
    wallet_id === null
      ? { member_id, method: 'cash', wallet_id, amount_minor }
      : { member_id, method: 'wallet', wallet_id, amount_minor },
  );
  return { payouts, legs: [...fundsLegs(poolOf(meeting_id), negated(fundsOf(paid))), ...payouts.map(payoutLeg)] };
}

function fundsOf(paid: readonly Paid[]): Funds {
  return {
    emoney_minor: totalOf(paid.filter((each) => each.wallet_id !== null)),
    cash_minor: totalOf(paid.filter((each) => each.wallet_id === null)),
  };
}
