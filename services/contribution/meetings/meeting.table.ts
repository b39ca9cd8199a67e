import type { MEETING_STATUSES } from '../../../lib/contracts/contribution.ts';
import { bigint, day, instant, integer, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import { sqlList, statesBefore, statesWhere, type StateTable } from '../../../lib/saga/states.ts';

export type MeetingStatus = (typeof MEETING_STATUSES)[number];

/**
 * A meeting that is being settled or cancelled is `settling`: it takes no contributions. `pays`: what a contribution to
 * the meeting pays.
 */
export const MEETING_STATES: StateTable<MeetingStatus, { live: boolean; pays: 'pool' | 'arrears' | null }> = {
  open: { next: ['settling'], live: true, pays: 'pool' },
  settling: { next: ['open', 'settled', 'cancelled'], live: true, pays: null },
  settled: { next: [], live: false, pays: 'arrears' },
  cancelled: { next: [], live: false, pays: null },
};

/** Lists for SQL. */
export const OPEN = sqlList(statesWhere(MEETING_STATES, ({ pays }) => pays === 'pool'));
export const OWING = sqlList(statesWhere(MEETING_STATES, ({ pays }) => pays === 'arrears'));
export const SETTLING = sqlList(statesBefore(MEETING_STATES, 'settled'));

/** Whether a contribution may be made to its pool. */
export function isOpen(status: MeetingStatus): boolean {
  return MEETING_STATES[status].pays === 'pool';
}

/** A round of a cycle, or, with neither cycle nor round, a meeting outside of one. */
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
  /** The attempt to settle or cancel it: no other may store a plan or open the meeting again. */
  attempt_id: optional(uuid()),
  /** When that attempt began; null once its plan is stored, which recovery then carries out. */
  settling_since: optional(instant()),
  settled_at: optional(instant()),
  created_at: instant(),
});
export type MeetingRow = RowOf<typeof meetings>;

/** A meeting with what clients see beside its row. */
export interface ShownMeetingRow extends MeetingRow {
  /** What has been paid for it, in minor units. */
  collected_minor: bigint;
  /** The member of each hand that is paid at it, in rotation order. */
  turns: string[];
}

/** A round of a starting cycle. */
export type NewRound = Omit<MeetingRow, 'title' | 'attempt_id' | 'settling_since' | 'settled_at'>;

/** How a path names a meeting. */
export interface MeetingPath {
  association_id: string;
  meeting_id: string;
}
