import type { MEETING_STATUSES } from '../../../lib/contracts/contribution.ts';
import { bigint, day, instant, integer, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import { sqlList, statesBefore, statesWhere, type StateTable } from '../../../lib/saga/states.ts';

export type MeetingStatus = (typeof MEETING_STATUSES)[number];

/**
 * A meeting that is being settled or cancelled is `settling`, and accepts no contributions. A `live` meeting is not
 * finished. `pays` says what a contribution to the meeting pays.
 */
export const MEETING_STATES: StateTable<MeetingStatus, { live: boolean; pays: 'pool' | 'arrears' | null }> = {
  open: { next: ['settling'], live: true, pays: 'pool' },
  settling: { next: ['open', 'settled', 'cancelled'], live: true, pays: null },
  settled: { next: [], live: false, pays: 'arrears' },
  cancelled: { next: [], live: false, pays: null },
};

/**
 * SQL lists of statuses: contributions pay the pool in OPEN and arrears in OWING. Only SETTLING can become settled, and dues are
 * owed in NOT_SETTLED.
 */
export const NOT_SETTLED = sqlList(statesWhere(MEETING_STATES, ({ live }) => live));
export const OPEN = sqlList(statesWhere(MEETING_STATES, ({ pays }) => pays === 'pool'));
export const OWING = sqlList(statesWhere(MEETING_STATES, ({ pays }) => pays === 'arrears'));
export const SETTLING = sqlList(statesBefore(MEETING_STATES, 'settled'));

/** Whether the meeting accepts contributions to its pool. */
export function isOpen(status: MeetingStatus): boolean {
  return MEETING_STATES[status].pays === 'pool';
}

/** Rounds of cycles and, with neither cycle nor round, meetings outside a cycle. */
export const meetings = table('meetings', {
  id: key(uuid()),
  association_id: uuid(),
  cycle_id: optional(uuid()),
  round: optional(integer()),
  title: optional(text()),
  due_on: day(),
  status: text<MeetingStatus>(),
  currency: text(),
  expected_minor: bigint(),
  /** The attempt to settle or cancel the meeting. Only this attempt may store a plan or open the meeting again. */
  attempt_id: optional(uuid()),
  /** When that attempt began; null once its plan is stored, as recovery then carries out the plan. */
  settling_since: optional(instant()),
  settled_at: optional(instant()),
  created_at: instant(),
});
export type MeetingRow = RowOf<typeof meetings>;

/** The rounds whose late payments may be fined. */
export const lateChecks = table('late_checks', {
  meeting_id: key(uuid()),
  /** The day on which it must be looked at next; null if nothing of it can be late at present. */
  check_on: optional(day()),
  /** The day on which the round got its due day. Null in rows of earlier versions. */
  day_set_on: optional(day()),
});
export type LateCheck = RowOf<typeof lateChecks>;

/** A meeting with what clients see besides its row. */
export interface ShownMeetingRow extends MeetingRow {
  /** What has been paid into its pool, in minor units. */
  collected_minor: bigint;
  /** The members of the hands that the meeting pays, in rotation order. */
  turns: string[];
}

/** The columns of a round that a starting cycle stores. */
export type NewRound = Omit<MeetingRow, 'title' | 'attempt_id' | 'settling_since' | 'settled_at'>;

/** The path parameters that identify a meeting. */
export interface MeetingPath {
  association_id: string;
  meeting_id: string;
}
