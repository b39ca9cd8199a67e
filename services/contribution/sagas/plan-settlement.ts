import type { EntityManager } from 'typeorm';
import { dayOf } from '../../../lib/calendar/calendar.ts';
import type { Terms } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { ContributionDeps } from '../deps.ts';
import { hindrance, planRound, planToTreasury } from '../domain/settlement.ts';
import type { Beneficiary, SettlementPlan } from '../domain/settlement.ts';
import { hasPending } from '../persistence/contributions.ts';
import { cycleById } from '../persistence/cycles.ts';
import { missingFor } from '../persistence/dues.ts';
import type { MeetingRow } from '../persistence/meeting.entity.ts';
import { collectedFor } from '../persistence/meetings.ts';
import type { SettlementRow } from '../persistence/settlement.entity.ts';
import { lockMeeting, reopenMeeting, storePlan } from '../persistence/settling.ts';

export interface SettlementAttempt {
  attempt_id: string;
  meeting_id: string;
  /** The round's hands in rotation order; none outside a cycle. */
  hands: readonly Beneficiary[];
  settled_by_member_id: string;
  terms: Terms;
}

/**
 * Stores the plan of a meeting that this attempt has closed and to which nothing is in flight, or opens it again.
 * @throws contributions_in_flight, meeting_not_due, meeting_underfunded
 */
export async function planOrReopen(deps: ContributionDeps, attempt: SettlementAttempt): Promise<SettlementRow> {
  // A refusal is a value here: thrown, it would roll back the opening.
  const result = await deps.foundation.transaction(async (manager): Promise<SettlementRow | { refused: Problem }> => {
    const meeting = await lockMeeting(manager, attempt.meeting_id);
    // A sweeper took this attempt for dead and opened the meeting again.
    if (meeting.attempt_id !== attempt.attempt_id) return { refused: problem('contributions_in_flight') };
    const collected_minor = (await collectedFor(manager, [meeting.id])).get(meeting.id) ?? 0n;
    const refused = await refusalOf(deps, manager, meeting, collected_minor);
    if (refused !== undefined) {
      await reopenMeeting(manager, meeting.id, attempt.attempt_id);
      return { refused };
    }
    const settlement = await settlementOf(deps, manager, meeting, collected_minor, attempt);
    await storePlan(manager, settlement);
    return settlement;
  });
  if ('refused' in result) throw result.refused;
  return result;
}

async function refusalOf(
  { foundation: { runtime } }: ContributionDeps,
  manager: EntityManager,
  meeting: MeetingRow,
  collected_minor: bigint,
): Promise<Problem | undefined> {
  if (await hasPending(manager, meeting.id)) return problem('contributions_in_flight');
  const { expected_minor, due_on, currency } = meeting;
  const code = hindrance({
    collected_minor,
    expected_minor,
    due_on,
    today: dayOf(runtime.clock()),
  });
  if (code !== 'meeting_underfunded' || meeting.cycle_id === null) return code === undefined ? code : problem(code);
  const missing = (await missingFor(manager, meeting.cycle_id, meeting.id)).map((row) => ({
    member_id: row.member_id,
    outstanding: toMajor(row.outstanding_minor, currency),
  }));
  return problem(code, { missing });
}

async function settlementOf(
  { foundation: { runtime } }: ContributionDeps,
  manager: EntityManager,
  meeting: MeetingRow,
  collected_minor: bigint,
  attempt: SettlementAttempt,
): Promise<SettlementRow> {
  const plan =
    meeting.cycle_id === null
      ? planToTreasury(meeting.id, collected_minor)
      : planRound(meeting.id, collected_minor, attempt.hands);
  const { rules_version } = meeting.cycle_id === null ? attempt.terms : await cycleById(manager, meeting.cycle_id);
  const now = runtime.clock();
  return {
    id: attempt.attempt_id,
    association_id: meeting.association_id,
    meeting_id: meeting.id,
    status: 'planned',
    currency: meeting.currency,
    collected_minor,
    expected_minor: meeting.expected_minor,
    ...storedForm(plan),
    rules_version,
    settled_by_member_id: attempt.settled_by_member_id,
    failure_code: null,
    created_at: now,
    settled_at: null,
    driven_at: now,
  };
}

/** JSON has no bigint; sums are safe integers, as the ledger carries none that is larger. */
function storedForm({ payouts, legs, to_treasury_minor }: SettlementPlan) {
  return {
    payouts: payouts.map((payout) => ({ ...payout, amount_minor: Number(payout.amount_minor) })),
    legs: legs.map((leg) => ({ ...leg, amount_minor: Number(leg.amount_minor) })),
    to_treasury_minor,
    paid_out_minor: payouts.reduce((sum, payout) => sum + payout.amount_minor, 0n),
  };
}
