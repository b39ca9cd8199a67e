import { dayOf } from '../../../lib/calendar/calendar.ts';
import type { Terms } from '../../../lib/contracts/membership.ts';
import type { Connection } from '../../../lib/db/statements.ts';
import type { Missing } from '../domain/claims.ts';
import type { Funds } from '../domain/monies.ts';
import { sumOfFunds } from '../domain/monies.ts';
import { planLastSavingsRound, planSavingsRound } from '../domain/savings.ts';
import { hindrance, planRound, planToTreasury } from '../domain/settlement.ts';
import type { SettlementPlan, ShortfallRule } from '../domain/settlement.ts';
import type { MeetingRow } from '../persistence/meeting.entity.ts';
import { settlementFacts } from '../persistence/settlement-facts.ts';
import type { SettlementFacts } from '../persistence/settlement-facts.ts';
import { walletIn } from './payout-wallets.ts';
import type { PayoutWallets } from './payout-wallets.ts';
import { isLastRound } from './situation.ts';
import type { Situation } from './situation.ts';

/** What settling a meeting would do as things stand, and what hinders it. */
export interface JudgedSettlement {
  readonly collected: Funds;
  readonly plan: SettlementPlan;
  readonly in_flight: boolean;
  /** Whether arrears are being paid that it would set off. */
  readonly are_paying_arrears: boolean;
  readonly hindrance: 'meeting_not_due' | 'meeting_underfunded' | undefined;
  /** Who has not paid all, in natural order; nobody but in a rotation. */
  readonly missing: readonly Missing[];
}

/** What a settlement is judged by beside the money. */
export interface Grounds {
  situation: Situation;
  /** The association's own, whose rule on shortfalls holds at once; all else is the cycle's. */
  terms: Terms;
  wallets: PayoutWallets;
  now: Date;
}

/** Reads what came in and what is owed, as the connection sees it. */
export function readFacts(
  connection: Connection,
  { meeting, kind, cycle, debtor_ids }: Situation,
): Promise<SettlementFacts> {
  const { id: meeting_id, association_id, cycle_id } = meeting;
  const gives_back = kind === 'savings' && cycle !== null && isLastRound(meeting, cycle);
  return settlementFacts(connection, { association_id, meeting_id, kind, cycle_id, debtor_ids, gives_back });
}

/** @param meeting as it is now: it may have been put on another day since it was looked at */
export function judgeSettlement(
  meeting: MeetingRow,
  facts: SettlementFacts,
  { situation, terms, wallets, now }: Grounds,
): JudgedSettlement {
  const { shortfall } = terms.rules;
  const { collected, missing } = facts;
  return {
    collected,
    plan: planOf(situation, facts, shortfall, wallets),
    in_flight: facts.in_flight !== 'nothing',
    are_paying_arrears: facts.are_paying_arrears,
    hindrance: hindrance({
      kind: situation.kind,
      shortfall,
      collected_minor: sumOfFunds(collected),
      expected_minor: meeting.expected_minor,
      due_on: meeting.due_on,
      today: dayOf(now),
    }),
    missing,
  };
}

function planOf(
  { meeting, cycle, kind, hands }: Situation,
  { collected, missing, open, earlier, saved }: SettlementFacts,
  shortfall: ShortfallRule,
  wallets: PayoutWallets,
): SettlementPlan {
  if (cycle === null) return planToTreasury(meeting.id, collected);
  if (kind === 'rotation') {
    // Under `block` nothing becomes arrears: the round waits.
    const owed = shortfall === 'pay_collected' ? missing : [];
    return planRound({ meeting_id: meeting.id, collected, hands, missing: owed, open }, walletIn(wallets));
  }
  if (!isLastRound(meeting, cycle)) return planSavingsRound(meeting.id, collected);
  return planLastSavingsRound(meeting.id, collected, earlier, saved, walletIn(wallets));
}
