import type { Meeting } from '../../../lib/contracts/contribution.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { MeetingRow, ShownMeetingRow } from './meeting.table.ts';

/** Returns a meeting as clients see it. */
export function showMeeting(row: ShownMeetingRow): Meeting {
  return {
    id: row.id,
    association_id: row.association_id,
    cycle_id: row.cycle_id,
    round: row.round,
    title: row.title,
    due_on: row.due_on,
    status: row.status,
    expected_amount: toMajor(row.expected_minor, row.currency),
    collected_amount: toMajor(row.collected_minor, row.currency),
    beneficiaries: countHands(row.turns),
    settled_at: row.settled_at?.toISOString() ?? null,
  };
}

/** Returns each member once, in the order of their first turns, with the number of their hands. */
function countHands(turns: readonly string[]): { member_id: string; hands: number }[] {
  const hands = new Map<string, number>();
  for (const member_id of turns) hands.set(member_id, (hands.get(member_id) ?? 0) + 1);
  return [...hands].map(([member_id, count]) => ({ member_id, hands: count }));
}

/** Returns the event of a scheduled meeting. */
export function scheduledFact({
  id: meeting_id,
  association_id,
  cycle_id,
  round,
  due_on,
}: Pick<MeetingRow, 'id' | 'association_id' | 'cycle_id' | 'round' | 'due_on'>): Fact {
  return { type: 'meeting.scheduled', association_id, data: { meeting_id, cycle_id, round, due_on } };
}
