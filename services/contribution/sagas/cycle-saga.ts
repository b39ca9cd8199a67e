import type { EntityManager } from 'typeorm';
import { call } from '../../../lib/actions/call.ts';
import type { CanCall } from '../../../lib/actions/call.ts';
import type { Answer } from '../../../lib/contracts/action.ts';
import { bindCycle, releaseCycle } from '../../../lib/contracts/membership.ts';
import { invalid, problem } from '../../../lib/errors/problem.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import { sumMaxMinor } from '../../../lib/money/amount.ts';
import type { ContributionDeps } from '../deps.ts';
import { CYCLE_MOVES } from '../domain/cycle-states.ts';
import { dueDays } from '../domain/due-days.ts';
import { expectedOf } from '../domain/dues.ts';
import { byJoining, planRotation } from '../domain/rotation.ts';
import type { RotationOrder, RotationRefusal } from '../domain/rotation.ts';
import type { CycleRow } from '../persistence/cycle.entity.ts';
import { moveRefusal } from '../persistence/cycles.ts';
import { storeRunningCycle } from '../persistence/run-cycle.ts';
import type { RunningCycle } from '../persistence/run-cycle.ts';
import { outcomeOf } from './outcome.ts';
import type { Outcome } from './outcome.ts';

/** A cycle may have as many rounds as hands (200 000): their events are written so many at a time. */
const EVENTS_BATCH_ROWS = 5_000;

/**
 * Takes a stored cycle to `running`, or refuses it and lets its members go again. Each step may be repeated, so the
 * request and, where that died, the sweeper drive it the same way.
 */
export async function driveCycle(deps: ContributionDeps, via: CanCall, cycle: CycleRow): Promise<Outcome<unknown>> {
  if (cycle.status === 'refusing') return finishRefusing(deps, via, cycle, problem('cycle_in_progress'));
  const { id: cycle_id, association_id } = cycle;
  const bound = await outcomeOf(
    call(via, bindCycle, { association_id, cycle_id }, deps.timings.membership_deadline_ms),
  );
  await deps.foundation.runtime.reached('contribution.cycle_bound');
  if (bound.kind === 'refused') return refuseCycle(deps, via, cycle, bound.problem);
  if (bound.kind === 'unknown') return bound;
  const plan = planCycle(deps, cycle, bound.answer);
  if ('refused' in plan) return refuseCycle(deps, via, cycle, plan.refused);
  await deps.foundation.transaction((manager) => storeRunning(deps, manager, plan));
  await deps.foundation.runtime.reached('contribution.cycle_running');
  return { kind: 'done', answer: undefined };
}

/** The refusal of a manual order that does not name each member once per hand. */
export function memberOrderMismatch(): Problem {
  return invalid({
    pointer: '/member_order',
    code: 'member_order_mismatch',
    detail: 'member_order must name each member exactly once per hand, and nobody else.',
  });
}

/** How the cycle's hands are put in order. */
function orderOf(cycle: Pick<CycleRow, 'rotation_order' | 'member_order'>): RotationOrder {
  return cycle.rotation_order === 'join' ? { by: 'join' } : { by: 'manual', member_order: cycle.member_order ?? [] };
}

function planCycle(
  { foundation: { runtime } }: ContributionDeps,
  cycle: CycleRow,
  { terms, members }: Answer<typeof bindCycle>,
): RunningCycle | { refused: Problem } {
  const rotation = planRotation(members, orderOf(cycle), terms.rules.beneficiaries_per_meeting);
  if ('refused' in rotation) return { refused: refusalOf(rotation.refused) };
  const contribution_amount_minor = BigInt(terms.contribution_amount_minor);
  const expected_minor = expectedOf(rotation.hands.length, contribution_amount_minor);
  // The ledger could not hold the pot of a meeting.
  if (expected_minor > sumMaxMinor(terms.currency)) return { refused: problem('balance_limit_exceeded') };
  const days = dueDays(cycle.starts_on, terms.contribution_frequency, rotation.rounds);
  if (days === undefined) return { refused: lastRoundTooLate() };
  return {
    cycle: {
      ...cycle,
      frequency: terms.contribution_frequency,
      currency: terms.currency,
      contribution_amount_minor,
      rules: terms.rules,
      rules_version: terms.rules_version,
    },
    members: byJoining(members),
    rotation,
    meetings: days.map((due_on, index) => ({ id: runtime.newId(), round: index + 1, due_on })),
    expected_minor,
    now: runtime.clock(),
  };
}

/** Whoever finds the cycle no longer starting leaves it as the other driver made it. */
async function storeRunning(
  { foundation: { outbox } }: ContributionDeps,
  manager: EntityManager,
  plan: RunningCycle,
): Promise<void> {
  const number = await storeRunningCycle(manager, plan);
  if (number === undefined) return;
  const { id: cycle_id, association_id, starts_on } = plan.cycle;
  const { rounds } = plan.rotation;
  await outbox.append(manager, {
    type: 'cycle.started',
    association_id,
    data: { cycle_id, number, rounds, starts_on },
  });
  for (let first = 0; first < plan.meetings.length; first += EVENTS_BATCH_ROWS) {
    const facts = plan.meetings
      .slice(first, first + EVENTS_BATCH_ROWS)
      .map(({ id: meeting_id, round, due_on }): Fact => ({
        type: 'meeting.scheduled',
        association_id,
        data: { meeting_id, cycle_id, round, due_on },
      }));
    await outbox.append(manager, ...facts);
  }
}

/** From `refusing` on, nobody binds the members to this cycle again; then they are let go. */
async function refuseCycle(
  deps: ContributionDeps,
  via: CanCall,
  cycle: CycleRow,
  refusal: Problem,
): Promise<Outcome<unknown>> {
  const { foundation } = deps;
  const refusing = await foundation.transaction((manager) =>
    moveRefusal(manager, cycle.id, CYCLE_MOVES.begin_refusing),
  );
  await foundation.runtime.reached('contribution.cycle_refusal_stored');
  // Another driver was faster: what he made of it counts.
  if (!refusing) return { kind: 'unknown' };
  return finishRefusing(deps, via, cycle, refusal);
}

async function finishRefusing(
  { foundation, timings }: ContributionDeps,
  via: CanCall,
  { id, association_id }: CycleRow,
  refusal: Problem,
): Promise<Outcome<unknown>> {
  const release = { association_id, cycle_id: id };
  const released = await outcomeOf(call(via, releaseCycle, release, timings.membership_deadline_ms));
  await foundation.runtime.reached('contribution.cycle_released');
  // The refusal stands even if the sweeper has to let the members go.
  if (released.kind === 'done') {
    await foundation.transaction((manager) => moveRefusal(manager, id, CYCLE_MOVES.refuse));
  }
  return { kind: 'refused', problem: refusal };
}

function refusalOf(refused: RotationRefusal): Problem {
  return refused === 'member_order_mismatch' ? memberOrderMismatch() : problem(refused);
}

function lastRoundTooLate(): Problem {
  return invalid({
    pointer: '/starts_on',
    code: 'last_round_too_late',
    detail: 'The last round would be due after the year 9999.',
  });
}
