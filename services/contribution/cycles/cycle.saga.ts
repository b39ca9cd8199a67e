import { dayIn } from '../../../lib/calendar/zones.ts';
import type { Answer } from '../../../lib/contracts/action.ts';
import { bindCycle, completeRules, releaseCycle } from '../../../lib/contracts/membership.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { insertRows } from '../../../lib/db/table.ts';
import { problem, refusalIn, type Problem } from '../../../lib/errors/problem.ts';
import { sumMaxMinor } from '../../../lib/money/amount.ts';
import { createSaga, type Attempt, type Move, type Saga } from '../../../lib/saga/saga.ts';
import { call, callOrRefusal } from '../../../lib/service/call.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import { firstLateDay } from '../fines/fine.rules.ts';
import type { ContributionTimings } from '../timings.ts';
import { storeLateChecks } from '../meetings/late-check.store.ts';
import { meetings, type LateCheck, type NewRound } from '../meetings/meeting.table.ts';
import { scheduledFact } from '../meetings/meeting.view.ts';
import { dueDays, dueOf, lastRoundTooLate, memberOrderMismatch } from './cycle.rules.ts';
import { insertRotation, nextNumber } from './cycle.store.ts';
import { CYCLE_STATES, cycles, type CycleRow, type CycleStatus } from './cycle.table.ts';
import { DRAW_SEED_BYTES } from './draw.rules.ts';
import { sortByJoining, planRotation, planSavings } from './rotation.rules.ts';
import type { Rotation, RotationOrder, RotationRefusal } from './rotation.rules.ts';

export type CycleSaga = Saga<CycleStatus, CycleRow>;

type CycleMove = Move<CycleStatus, CycleRow>;
/** The members that membership has bound to the cycle, and the terms that apply until it completes. */
export type Bound = Answer<typeof bindCycle>;

/** Rounds are written in batches of this size, as a cycle may have 200 000 of them: one for each hand. */
const ROUNDS_BATCH_ROWS = 5_000;

/** Creates the saga that starts a cycle, or refuses it and releases its members. */
export function createCycleSaga(context: ServiceContext, timings: ContributionTimings): CycleSaga {
  const { call_timeout_ms } = timings;

  async function bind(cycle: CycleRow, { via }: Attempt<CycleRow>): Promise<CycleMove> {
    const { id: cycle_id, association_id } = cycle;
    const { answer, refusal } = await callOrRefusal(via, bindCycle, { association_id, cycle_id }, call_timeout_ms);
    if (refusal !== undefined) return { to: 'refusing', set: { refusal } };
    const plan = planCycle(context, cycle, answer);
    if ('refused' in plan) return { to: 'refusing', set: { refusal: refusalIn(plan.refused) ?? null } };
    return startMove(context, await nextNumber(context.db, association_id), plan, answer.members);
  }

  /** Releases the members. From `refusing` on, no attempt can bind them to this cycle again. */
  async function release({ id: cycle_id, association_id }: CycleRow, { via }: Attempt<CycleRow>): Promise<CycleMove> {
    await call(via, releaseCycle, { association_id, cycle_id }, call_timeout_ms);
    return { to: 'refused' };
  }

  return createSaga(context, timings, {
    name: 'cycle',
    table: cycles,
    states: CYCLE_STATES,
    steps: { starting: bind, refusing: release },
  });
}

/** A cycle that can start. */
export interface CyclePlan {
  cycle: CycleRow;
  /** The columns of `cycle` that the plan sets. */
  set: Partial<CycleRow>;
  rotation: Rotation;
  rounds: NewRound[];
}

/**
 * Plans the cycle. The seed of a draw is generated here, after the members are bound and can no longer change. It is stored
 * with the drawn order: of two concurrent attempts the first to store decides, and only its seed ever becomes visible.
 */
export function planCycle(
  { runtime }: { runtime: Pick<ServiceContext['runtime'], 'randomBytes' | 'newId' | 'clock'> },
  found: CycleRow,
  { terms, members }: Bound,
): CyclePlan | { refused: Problem } {
  const seed = found.rotation_order === 'draw' ? runtime.randomBytes(DRAW_SEED_BYTES) : null;
  const rotation =
    found.rotation_order === null
      ? planSavings(members, found.rounds ?? 0)
      : planRotation(members, orderOf(found, seed), terms.rules.beneficiaries_per_meeting);
  if ('refused' in rotation) return { refused: problemOf(rotation.refused) };
  const { hands_total, rounds } = rotation;
  const contribution_amount_minor = BigInt(terms.contribution_amount_minor);
  const expected_minor = dueOf(hands_total, contribution_amount_minor);
  // The most that the ledger would hold: the pot of one meeting, or all savings until the last round returns them.
  const most_held_minor = found.rotation_order === null ? expected_minor * BigInt(rounds) : expected_minor;
  if (most_held_minor > sumMaxMinor(terms.currency)) return { refused: problem('balance_limit_exceeded') };
  const days = dueDays(found.starts_on, terms.contribution_frequency, rounds);
  if (days === undefined) return { refused: lastRoundTooLate() };
  const { rules, rules_version, currency, contribution_frequency: frequency } = terms;
  const keptTerms = { rules, rules_version, currency, frequency, contribution_amount_minor };
  const set = { ...keptTerms, hands_total, rounds, seed: seed?.toString('hex') ?? null };
  const cycle = { ...found, ...set };
  return { cycle, set, rotation, rounds: roundsOf(cycle, expected_minor, days, runtime) };
}

/** Returns the order of the cycle's hands, as requested. */
function orderOf({ rotation_order: by, member_order }: CycleRow, seed: Buffer | null): RotationOrder {
  if (by === 'join') return { by };
  if (by === 'manual') return { by, member_order: member_order ?? [] };
  if (by === null || seed === null) throw new Error('Expected a draw with a seed');
  return { by, seed };
}

function roundsOf(
  { id: cycle_id, association_id, currency }: CycleRow,
  expected_minor: bigint,
  days: readonly string[],
  { newId, clock }: Pick<ServiceContext['runtime'], 'newId' | 'clock'>,
): NewRound[] {
  const shared = { association_id, cycle_id, status: 'open' as const, currency, expected_minor, created_at: clock() };
  return days.map((due_on, index) => ({ ...shared, id: newId(), round: index + 1, due_on }));
}

/** Returns the move that starts the planned cycle, and stores its members, hands and rounds. */
function startMove(
  { outbox }: Pick<ServiceContext, 'outbox'>,
  number: number,
  { cycle, set, rotation, rounds }: CyclePlan,
  members: Bound['members'],
): CycleMove {
  const { id: cycle_id, association_id, starts_on, rotation_order: order, seed } = cycle;
  return {
    to: 'running',
    set: { ...set, number },
    facts: [
      {
        type: 'cycle.started',
        association_id,
        data: { cycle_id, number, rounds: rounds.length, starts_on, order, seed },
      },
    ],
    also: async (tx: Transaction) => {
      await insertRotation(tx, cycle, sortByJoining(members), rotation.hands);
      for (let first = 0; first < rounds.length; first += ROUNDS_BATCH_ROWS) {
        const batch = rounds.slice(first, first + ROUNDS_BATCH_ROWS);
        await insertRows(tx, meetings, batch);
        storeLateChecks(tx, lateChecksOf(batch, cycle));
        outbox.append(tx, ...batch.map(scheduledFact));
      }
    },
  };
}

/** Returns the day on which each round is first looked at for late payments, if the rules fine them. */
export function lateChecksOf(rounds: readonly NewRound[], { rules, time_zone, created_at }: CycleRow): LateCheck[] {
  const { fines } = completeRules(rules);
  const day_set_on = dayIn(time_zone, created_at);
  return rounds.flatMap(({ id: meeting_id, due_on }) => {
    const check_on = firstLateDay(due_on, fines);
    return check_on === null ? [] : [{ meeting_id, check_on, day_set_on }];
  });
}

function problemOf(refused: RotationRefusal): Problem {
  return refused === 'member_order_mismatch' ? memberOrderMismatch() : problem(refused);
}
