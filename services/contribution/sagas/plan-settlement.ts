import type { EntityManager } from 'typeorm';
import type { Terms } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { ContributionDeps } from '../deps.ts';
import type { PlannedLeg, PlannedPayout } from '../domain/monies.ts';
import { sumOfFunds } from '../domain/monies.ts';
import { inNumbers, previewHash } from '../domain/preview-hash.ts';
import { planRefund } from '../domain/refund.ts';
import { totalOf } from '../domain/split.ts';
import { lockArrears, takeArrears } from '../persistence/arrears.ts';
import { inFlightTo, paidInto } from '../persistence/contributions.ts';
import type { MeetingRow } from '../persistence/meeting.entity.ts';
import type { SettlementRow } from '../persistence/settlement.entity.ts';
import { lockMeeting, reopenMeeting, storePlan } from '../persistence/settling.ts';
import { judgeSettlement } from './judge-settlement.ts';
import type { JudgedSettlement } from './judge-settlement.ts';
import type { PayoutWallets } from './payout-wallets.ts';
import type { Situation } from './situation.ts';

/** Who tries to end the meeting. */
export interface PlanningAttempt {
  attempt_id: string;
  meeting_id: string;
  settled_by_member_id: string;
  terms: Terms;
}

export interface SettlementAttempt extends PlanningAttempt {
  situation: Situation;
  wallets: PayoutWallets;
  /** What the caller was shown; nothing else may be settled then. */
  preview_hash: string | undefined;
}

/**
 * Stores the plan of a meeting that this attempt has closed and to which nothing is in flight, or opens it again. What
 * it sets off is taken in the same transaction.
 * @throws contributions_in_flight, settlement_changed, meeting_not_due, meeting_underfunded
 */
export async function planOrReopen(deps: ContributionDeps, attempt: SettlementAttempt): Promise<SettlementRow> {
  const { situation, terms } = attempt;
  return storedOrReopened(deps, attempt, async (manager, meeting) => {
    const now = deps.foundation.runtime.clock();
    if (situation.debtor_ids.length > 0) {
      await lockArrears(manager, meeting.association_id, situation.debtor_ids);
    }
    // It may have been put on another day since it was looked at.
    const judged = await judgeSettlement(manager, { ...situation, meeting }, terms, attempt.wallets, now);
    const refused = refusalOf(judged, meeting, attempt.preview_hash);
    if (refused !== undefined) return { refused };
    const { plan, collected } = judged;
    await takeArrears(
      manager,
      attempt.attempt_id,
      plan.set_offs.map((part) => ({ ...part, wallet_id: null })),
    );
    return {
      ...rowOf(attempt, meeting, now),
      ...storedForm(plan),
      kind: 'settlement',
      rules_version: (situation.cycle ?? terms).rules_version,
      collected_minor: sumOfFunds(collected),
      to_treasury_minor: plan.to_treasury_minor,
      savings_emoney_minor: plan.savings.emoney_minor,
      savings_cash_minor: plan.savings.cash_minor,
      claims: plan.claims.map(inNumbers),
    };
  });
}

/**
 * The same for cancelling it: what came in is to go back to where it came from.
 * @throws contributions_in_flight
 */
export async function planCancellation(deps: ContributionDeps, attempt: PlanningAttempt): Promise<SettlementRow> {
  return storedOrReopened(deps, attempt, async (manager, meeting) => {
    if ((await inFlightTo(manager, meeting.id)) !== 'nothing') return { refused: problem('contributions_in_flight') };
    const paid = await paidInto(manager, meeting.id);
    return {
      ...rowOf(attempt, meeting, deps.foundation.runtime.clock()),
      ...storedForm(planRefund(meeting.id, paid)),
      kind: 'cancellation',
      rules_version: attempt.terms.rules_version,
      collected_minor: totalOf(paid),
      to_treasury_minor: 0n,
      savings_emoney_minor: 0n,
      savings_cash_minor: 0n,
      claims: [],
    };
  });
}

async function storedOrReopened(
  { foundation }: ContributionDeps,
  { meeting_id, attempt_id }: PlanningAttempt,
  plan: (manager: EntityManager, meeting: MeetingRow) => Promise<SettlementRow | { refused: Problem }>,
): Promise<SettlementRow> {
  // A refusal is a value here: thrown, it would roll back the opening.
  const result = await foundation.transaction(async (manager): Promise<SettlementRow | { refused: Problem }> => {
    const meeting = await lockMeeting(manager, meeting_id);
    // A sweeper took this attempt for dead and opened the meeting again.
    if (meeting.attempt_id !== attempt_id) return { refused: problem('contributions_in_flight') };
    const planned = await plan(manager, meeting);
    if ('refused' in planned) await reopenMeeting(manager, meeting_id, attempt_id);
    else await storePlan(manager, planned);
    return planned;
  });
  if ('refused' in result) throw result.refused;
  return result;
}

/** In the contract's order. */
function refusalOf(
  { in_flight, hindrance: code, plan, missing }: JudgedSettlement,
  meeting: MeetingRow,
  preview_hash: string | undefined,
): Problem | undefined {
  if (in_flight) return problem('contributions_in_flight');
  if (preview_hash !== undefined && preview_hash.toLowerCase() !== previewHash(meeting.id, plan)) {
    return problem('settlement_changed');
  }
  if (code !== 'meeting_underfunded') return code === undefined ? undefined : problem(code);
  return problem(code, {
    missing: missing.map(({ member_id, outstanding_minor }) => ({
      member_id,
      outstanding: toMajor(outstanding_minor, meeting.currency),
    })),
  });
}

function rowOf({ attempt_id, settled_by_member_id }: PlanningAttempt, meeting: MeetingRow, now: Date) {
  return {
    id: attempt_id,
    association_id: meeting.association_id,
    meeting_id: meeting.id,
    status: 'planned' as const,
    currency: meeting.currency,
    expected_minor: meeting.expected_minor,
    settled_by_member_id,
    failure_code: null,
    created_at: now,
    settled_at: null,
    driven_at: now,
  };
}

/** JSON has no bigint; sums are safe integers, as the ledger carries none that is larger. */
function storedForm({ payouts, legs }: { payouts: readonly PlannedPayout[]; legs: readonly PlannedLeg[] }) {
  return { payouts: payouts.map(inNumbers), legs: legs.map(inNumbers), paid_out_minor: totalOf(payouts) };
}
