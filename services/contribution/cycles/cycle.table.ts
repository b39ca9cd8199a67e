import type { Frequency } from '../../../lib/calendar/calendar.ts';
import type { ROTATION_ORDERS } from '../../../lib/contracts/contribution.ts';
import type { Rules } from '../../../lib/contracts/membership.ts';
import { bigint, day, instant, integer, jsonb, key, list, optional, table, text, uuid } from '../../../lib/db/table.ts';
import type { RowOf } from '../../../lib/db/table.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import { sqlList, statesBefore, statesWhere, type StateTable } from '../../../lib/saga/states.ts';

export type CycleStatus = 'starting' | 'refusing' | 'refused' | 'running' | 'completed';

/**
 * In `starting` the saga binds the members; in `refusing` it releases them, as the cycle cannot start. An association has
 * at most one `live` cycle. An `undecided` cycle may still be refused. Clients see a cycle that is `shown`.
 */
export const CYCLE_STATES: StateTable<CycleStatus, { live: boolean; undecided: boolean; shown: boolean }> = {
  starting: { next: ['running', 'refusing'], live: true, undecided: true, shown: false },
  refusing: { next: ['refused'], live: true, undecided: true, shown: false },
  refused: { next: [], live: false, undecided: false, shown: false },
  running: { next: ['completed'], live: true, undecided: false, shown: true },
  completed: { next: [], live: false, undecided: false, shown: true },
};

/** SQL lists of the statuses from which a cycle can start and complete. */
export const STARTING = sqlList(statesBefore(CYCLE_STATES, 'running'));
export const RUNNING = sqlList(statesBefore(CYCLE_STATES, 'completed'));

export const SHOWN_CYCLES = statesWhere(CYCLE_STATES, ({ shown }) => shown);

/** A cycle with the association's terms as they were when it started; they apply until it completes. */
export const cycles = table('cycles', {
  id: key(uuid()),
  association_id: uuid(),
  /** Null until the cycle runs, so that the numbers that clients see have no gaps. */
  number: optional(integer()),
  status: text<CycleStatus>(),
  /** Null for savings, which have no turns. */
  rotation_order: optional(text<(typeof ROTATION_ORDERS)[number]>()),
  member_order: optional(list(uuid())),
  starts_on: day(),
  frequency: text<Frequency>(),
  time_zone: text(),
  currency: text(),
  contribution_amount_minor: bigint(),
  rules: jsonb<Rules>(),
  rules_version: integer(),
  /** Null until the cycle runs. */
  hands_total: optional(integer()),
  /** For savings as requested; for a rotation null until the cycle runs. */
  rounds: optional(integer()),
  /** 32 bytes in hex, from which the order of a draw follows. Null until the cycle runs, and for other orders. */
  seed: optional(text()),
  /** Why the cycle could not start. Set in `refusing` and `refused`. */
  refusal: optional(jsonb<Refusal>()),
  created_at: instant(),
  last_attempt_at: instant(),
});
export type CycleRow = RowOf<typeof cycles>;

/** SQL condition: a meeting is the last round of its cycle. The parameters are table aliases. */
export const isLastRound = (cycle: string, meeting: string): string => `${cycle}.rounds = ${meeting}.round`;

/** The turns of a cycle: the hand at this position (from 1) is paid in this round (from 1). */
export const cycleHands = table('cycle_hands', {
  cycle_id: key(uuid()),
  position: key(integer()),
  member_id: uuid(),
  round: integer(),
});

export const cycleMembers = table('cycle_members', {
  cycle_id: key(uuid()),
  member_id: key(uuid()),
  hands: integer(),
  /** What the member owes for each round: dueOf() of the cycle's terms. */
  due_minor: bigint(),
  /** The member's place in join order, from 1. */
  ordinal: integer(),
});
