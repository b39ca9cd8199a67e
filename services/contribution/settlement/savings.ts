/** Settling the rounds of a cycle of savings (contract, section 4, "savings"), in minor units. */
import { fundsLegs, NO_FUNDS, negated, payOut, payoutLeg, plus, poolOf, sumOfFunds, TREASURY } from './monies.rules.ts';
import type { Funds, WalletOf } from './monies.rules.ts';
import type { SettlementPlan } from './settlement.rules.ts';
import type { Share } from './pot.rules.ts';

/** Any round but the last: what came in moves to the treasury, as savings that nothing else may take. */
export function planSavingsRound(meeting_id: string, collected: Funds): SettlementPlan {
  const legs = [...fundsLegs(poolOf(meeting_id), negated(collected)), ...fundsLegs(TREASURY, collected)];
  return {
    payouts: [],
    to_treasury_minor: sumOfFunds(collected),
    legs,
    savings: collected,
    claims: [],
    set_offs: [],
  };
}

/**
 * The last round: each member gets back exactly what was paid for him over the whole cycle, in one transfer out of the
 * last pool and of what earlier rounds had brought to the treasury.
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
  const payouts = payOut(saved, plus(collected, earlier), walletOf);
  const legs = [
    ...fundsLegs(poolOf(meeting_id), negated(collected)),
    ...fundsLegs(TREASURY, negated(earlier)),
    ...payouts.map(payoutLeg),
  ];
  const back = negated(earlier);
  return {
    payouts,
    // Below zero: so the payouts and what went to the treasury are always what this meeting collected.
    to_treasury_minor: sumOfFunds(back),
    legs,
    savings: sumOfFunds(earlier) === 0n ? NO_FUNDS : back,
    claims: [],
    set_offs: [],
  };
}
