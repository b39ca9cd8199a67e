import type { EntityManager } from 'typeorm';
import { call } from '../../../lib/service/call.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import type { Answer } from '../../../lib/contracts/action.ts';
import { bindCycle, releaseCycle } from '../../../lib/contracts/membership.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { invalid, problem, problemExtras } from '../../../lib/errors/problem.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import { sumMaxMinor } from '../../../lib/money/amount.ts';
import type { ContributionDeps } from '../deps.ts';
import { DRAW_SEED_BYTES } from './draw.rules.ts';
import { dueDays } from './due-days.ts';
import { expectedOf } from './dues.ts';
import { byJoining, planRotation, planSavings } from './rotation.rules.ts';
import type { Rotation, RotationOrder, RotationRefusal } from './rotation.rules.ts';
import type { CycleRow } from './cycle.table.ts';
import { beginRefusing, endRefusing } from './cycle.store.ts';
import { storeRunningCycle } from './run-cycle.ts';
import type { RunningCycle } from './run-cycle.ts';
import { outcomeOf } from '../settlement/outcome.ts';
import type { Outcome } from '../settlement/outcome.ts';

/** A cycle may have as many rounds as hands (200 000): their events are written so many at a time. */
const EVENTS_BATCH_ROWS = 5_000;

/**
 * Takes a stored cycle to `running`, or refuses it and lets its members go again. Each step may be repeated, so the
 * request and, where that died, the sweeper drive it the same way.
 * @param started has its part in the transaction in which the cycle begins to run
 */
export async function driveCycle(
  deps: ContributionDeps,
  via: CanCall,
  cycle: CycleRow,
  started: (manager: EntityManager) => Promise<void> = () => Promise.resolve(),
): Promise<Outcome<unknown>> {
  if (cycle.status === 'refusing') return finishRefusing(deps, via, cycle, refusalOf(cycle));
  if (cycle.status === 'refused') return { kind: 'refused', problem: refusalOf(cycle) };
  if (cycle.status !== 'starting') return { kind: 'done', answer: undefined };
  const { id: cycle_id, association_id } = cycle;
  const bound = await outcomeOf(
    call(via, bindCycle, { association_id, cycle_id }, deps.timings.membership_deadline_ms),
  );
  await deps.foundation.runtime.reached('contribution.cycle_bound');
  if (bound.kind === 'refused') return refuseCycle(deps, via, cycle, bound.problem);
  if (bound.kind === 'unknown') return bound;
  const plan = planCycle(deps, cycle, bound.answer);
  if ('refused' in plan) return refuseCycle(deps, via, cycle, plan.refused);
  await deps.foundation.transaction(async (manager) => {
    if (await storeRunning(deps, manager, plan)) await started(manager);
  });
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

/** The rotation of the bound members, or their rounds of savings, as the cycle was asked for. */
function rotationOf(
  { rotation_order, member_order, rounds }: CycleRow,
  seed: Buffer | null,
  { terms, members }: Answer<typeof bindCycle>,
): Rotation | { refused: RotationRefusal } {
  if (rotation_order === null) return planSavings(members, rounds ?? 0);
  return planRotation(members, orderOf(rotation_order, member_order, seed), terms.rules.beneficiaries_per_meeting);
}

/** How the cycle's hands are put in order. */
function orderOf(
  by: NonNullable<CycleRow['rotation_order']>,
  member_order: string[] | null,
  seed: Buffer | null,
): RotationOrder {
  if (by === 'join') return { by };
  if (by === 'manual') return { by, member_order: member_order ?? [] };
  if (seed === null) throw new Error('A draw needs a seed');
  return { by, seed };
}

/**
 * The cycle as it is to run. The seed of a draw is made here, when the members are bound and can no longer change, and
 * stored with what came of it: of two drivers at once the first to store decides, and nobody ever sees another seed.
 */
function planCycle(
  { foundation: { runtime } }: ContributionDeps,
  cycle: CycleRow,
  bound: Answer<typeof bindCycle>,
): RunningCycle | { refused: Problem } {
  const { terms, members } = bound;
  const seed = cycle.rotation_order === 'draw' ? runtime.randomBytes(DRAW_SEED_BYTES) : null;
  const rotation = rotationOf(cycle, seed, bound);
  if ('refused' in rotation) return { refused: problemOf(rotation.refused) };
  const contribution_amount_minor = BigInt(terms.contribution_amount_minor);
  const expected_minor = expectedOf(rotation.hands_total, contribution_amount_minor);
  // The ledger could not hold the pot of a meeting, or what savings come to until the last round gives them back.
  const held_at_once_minor = cycle.rotation_order === null ? expected_minor * BigInt(rotation.rounds) : expected_minor;
  if (held_at_once_minor > sumMaxMinor(terms.currency)) return { refused: problem('balance_limit_exceeded') };
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
      seed: seed?.toString('hex') ?? null,
    },
    members: byJoining(members),
    rotation,
    meetings: days.map((due_on, index) => ({ id: runtime.newId(), round: index + 1, due_on })),
    expected_minor,
    now: runtime.clock(),
  };
}

/** Whoever finds the cycle no longer starting leaves it as the other driver made it, and gets false. */
async function storeRunning(
  { foundation: { outbox } }: ContributionDeps,
  manager: EntityManager,
  plan: RunningCycle,
): Promise<boolean> {
  const number = await storeRunningCycle(manager, plan);
  if (number === undefined) return false;
  const { id: cycle_id, association_id, starts_on, rotation_order: order, seed } = plan.cycle;
  const { rounds } = plan.rotation;
  await outbox.append(manager, {
    type: 'cycle.started',
    association_id,
    data: { cycle_id, number, rounds, starts_on, order, seed },
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
  return true;
}

/** From `refusing` on, nobody binds the members to this cycle again; then they are let go. */
async function refuseCycle(
  deps: ContributionDeps,
  via: CanCall,
  cycle: CycleRow,
  refusal: Problem,
): Promise<Outcome<unknown>> {
  const { foundation } = deps;
  const reason = { code: refusal.type as ErrorCode, extras: problemExtras(refusal) };
  const refusing = await foundation.transaction((manager) => beginRefusing(manager, cycle.id, reason));
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
    await foundation.transaction((manager) => endRefusing(manager, id));
  }
  return { kind: 'refused', problem: refusal };
}

/** Why this cycle was refused. */
function refusalOf({ id, refusal }: CycleRow): Problem {
  if (refusal === null) throw new Error(`Cycle ${id} was refused for no reason`);
  return problem(refusal.code, { ...refusal.extras });
}

function problemOf(refused: RotationRefusal): Problem {
  return refused === 'member_order_mismatch' ? memberOrderMismatch() : problem(refused);
}

function lastRoundTooLate(): Problem {
  return invalid({
    pointer: '/starts_on',
    code: 'last_round_too_late',
    detail: 'The last round would be due after the year 9999.',
  });
}
