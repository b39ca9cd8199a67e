import type { EntityManager } from 'typeorm';
import { dayOf } from '../../../lib/calendar/calendar.ts';
import type { Terms } from '../../../lib/contracts/membership.ts';
import type { Funds } from '../domain/monies.ts';
import { sumOfFunds } from '../domain/monies.ts';
import { planLastSavingsRound, planSavingsRound } from '../domain/savings.ts';
import { hindrance, planRound, planToTreasury } from '../domain/settlement.ts';
import type { SettlementPlan } from '../domain/settlement.ts';
import type { Missing } from '../domain/claims.ts';
import { openArrears } from '../persistence/arrears.ts';
import { fundsOf, inFlightTo } from '../persistence/contributions.ts';
import { missingFor, savedIn } from '../persistence/dues.ts';
import { savingsOf } from '../persistence/settling.ts';
import { walletIn } from './payout-wallets.ts';
import type { PayoutWallets } from './payout-wallets.ts';
import { isLastRound } from './situation.ts';
import type { Situation } from './situation.ts';

/** What settling a meeting would do as things stand, and what hinders it. */
export interface JudgedSettlement {
  readonly collected: Funds;
  readonly plan: SettlementPlan;
  readonly in_flight: boolean;
  readonly hindrance: 'meeting_not_due' | 'meeting_underfunded' | undefined;
  /** Who has not paid all, in natural order; nobody outside a cycle. */
  readonly missing: readonly Missing[];
}

/** @param terms the association's own, whose rule on shortfalls holds at once; all else is the cycle's */
export async function judgeSettlement(
  manager: EntityManager,
  situation: Situation,
  terms: Terms,
  wallets: PayoutWallets,
  now: Date,
): Promise<JudgedSettlement> {
  const { meeting, kind } = situation;
  const { shortfall } = terms.rules;
  const collected = await fundsOf(manager, meeting.id);
  const missing = meeting.cycle_id === null ? [] : await missingFor(manager, meeting.cycle_id, meeting.id);
  // Under `block` nothing becomes arrears: the round waits.
  const owed = shortfall === 'pay_collected' ? missing : [];
  return {
    collected,
    plan: await planOf(manager, situation, collected, owed, wallets),
    in_flight: (await inFlightTo(manager, meeting.id)) !== 'nothing',
    hindrance: hindrance({
      kind,
      shortfall,
      collected_minor: sumOfFunds(collected),
      expected_minor: meeting.expected_minor,
      due_on: meeting.due_on,
      today: dayOf(now),
    }),
    missing,
  };
}

async function planOf(
  manager: EntityManager,
  { meeting, cycle, kind, hands, debtor_ids }: Situation,
  collected: Funds,
  missing: readonly Missing[],
  wallets: PayoutWallets,
): Promise<SettlementPlan> {
  if (cycle === null) return planToTreasury(meeting.id, collected);
  if (kind === 'rotation') {
    const open = debtor_ids.length === 0 ? [] : await openArrears(manager, meeting.association_id, debtor_ids);
    return planRound({ meeting_id: meeting.id, collected, hands, missing, open }, walletIn(wallets));
  }
  if (!isLastRound(meeting, cycle)) return planSavingsRound(meeting.id, collected);
  const earlier = await savingsOf(manager, cycle.id);
  const saved = await savedIn(manager, cycle.id);
  return planLastSavingsRound(meeting.id, collected, earlier, saved, walletIn(wallets));
}
