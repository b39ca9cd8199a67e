/** When members are told of a meeting. */
import type { MessageType } from '../message-types.rules.ts';
import { addDays, startOfDay } from '../times/zones.rules.ts';

/** The types that belong to a day of a meeting. */
export const DAY_TYPES = ['due_soon', 'due_today', 'due_late', 'turn_tomorrow'] as const;
export type DayType = (typeof DAY_TYPES)[number];

/** Those that have no sense once the meeting is settled. A late due stays owed. */
export const BEFORE_SETTLEMENT = ['due_soon', 'due_today', 'turn_tomorrow'] as const satisfies readonly DayType[];

/**
 * The days, counted from the day of the meeting, at whose beginnings it is told and is no longer. After an outage, what is due soon
 * is told until it is due today, and what is late for three days; what is told of a day is not told after it.
 */
const DAYS: Record<DayType, readonly [first: number, end: number]> = {
  due_soon: [-3, 0],
  due_today: [0, 1],
  due_late: [1, 4],
  turn_tomorrow: [-1, 0],
};

/** After this many days, nothing is told of a meeting any more, in any time zone. */
const OVER_AFTER_DAYS = 6;

export interface DayPlan {
  type: DayType;
  key: string;
  due_at: Date;
  expires_at: Date;
}

/** Names what is told once of a meeting on a day. */
function dayKey(type: DayType, meeting_id: string, due_on: string): string {
  return `${type}:${meeting_id}:${due_on}`;
}

/** Returns what is still to be told of a meeting, and when, in the time zone of its association. */
export function planDays(meeting: { meeting_id: string; due_on: string }, zone: string, now: Date): DayPlan[] {
  const { meeting_id, due_on } = meeting;
  const plans = DAY_TYPES.map((type) => {
    const [due_at, expires_at] = DAYS[type].map((days) => startOfDay(zone, addDays(due_on, days)));
    return { type, key: dayKey(type, meeting_id, due_on), due_at, expires_at } as DayPlan;
  });
  return plans.filter(({ expires_at }) => expires_at > now);
}

/** Whether a meeting was so long ago that there is nothing to tell, whatever the zone. */
export function isLongOver(due_on: string, now: Date): boolean {
  return addDays(due_on, OVER_AFTER_DAYS) < now.toISOString().slice(0, 10);
}

export function isDayType(type: MessageType): type is DayType {
  return (DAY_TYPES as readonly string[]).includes(type);
}

/** What a meeting means for a member, as contribution answers. */
interface Due {
  outstanding_minor: number;
  arrears_minor: number;
}

export type MeetingStatus = 'open' | 'settling' | 'settled' | 'cancelled';

/** Returns what a member is told to owe; 0 if nothing. After a settlement, what was not paid is owed as arrears. */
export function owedMinor(type: DayType, status: MeetingStatus, { outstanding_minor, arrears_minor }: Due): number {
  if (status === 'cancelled') return 0;
  if (type === 'due_late') return Math.max(outstanding_minor, 0) + Math.max(arrears_minor, 0);
  return status === 'settled' ? 0 : Math.max(outstanding_minor, 0);
}
