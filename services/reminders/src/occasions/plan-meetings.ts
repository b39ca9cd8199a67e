import { faultOf } from '../faults.ts';
import { findGroup } from '../groups/learn-group.ts';
import { markPlanned, readUnplanned, type Meeting } from '../groups/groups.store.ts';
import type { Parts } from '../parts.ts';
import { isLongOver, planDays } from './occasions.rules.ts';
import { storeOccasion } from './occasions.store.ts';

/** Read at once; a cycle has some dozen rounds. */
const BATCH_ROWS = 100;

/** Stores what is to be told of meetings that were scheduled or moved, until `stopping` is aborted. */
export async function planMeetings(parts: Parts, stopping: AbortSignal): Promise<void> {
  for (;;) {
    const meetings = await readUnplanned(parts.db, BATCH_ROWS);
    let planned = 0;
    for (const meeting of meetings) {
      if (stopping.aborted) return;
      if (await planMeeting(parts, meeting)) planned += 1;
    }
    // Those of associations that cannot be asked for stay until the next run.
    if (planned < BATCH_ROWS) return;
  }
}

/** @returns false if the association cannot be found out now */
async function planMeeting(parts: Parts, meeting: Meeting): Promise<boolean> {
  const { db, clock, newId, reached, log } = parts;
  const { meeting_id, association_id, due_on, status } = meeting;
  const isOver = status === 'cancelled' || isLongOver(due_on, clock());
  const group = isOver ? undefined : await findGroup(parts, association_id).catch(faultOf);
  if (group !== undefined && 'error' in group) {
    log.warn('reminders: a meeting will be planned later', { meeting_id, ...group });
    return false;
  }
  if (!isOver && group === undefined) log.warn('reminders: the association of a meeting is unknown', { meeting_id });
  const plans = group === undefined ? [] : planDays(meeting, group.time_zone, clock());
  await reached('reminders.planning');
  await db.transaction(async (tx) => {
    // First, as it locks the meeting: an event that moves it waits, and then drops what is stored here.
    if (!(await markPlanned(tx, meeting))) return;
    for (const plan of plans) {
      const about = { association_id, meeting_id, member_id: null, user_id: null, facts: { meeting_id, due_on } };
      await storeOccasion(tx, { occasion_id: newId(), ...plan, ...about });
    }
  });
  await reached('reminders.planned');
  return true;
}
