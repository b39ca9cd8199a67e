import type { EntityManager } from 'typeorm';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { answerLocation } from '../../../lib/service/implement.ts';
import { dayOf } from '../../../lib/calendar/calendar.ts';
import { scheduleMeeting } from '../../../lib/contracts/contribution.ts';
import { areLocked, storeUnlocked } from '../../../lib/locks/locks.ts';
import type { ContributionDeps } from '../deps.ts';
import type { MeetingRow } from './meeting.table.ts';
import { insertMeeting } from './meeting.store.ts';
import { showMeeting } from './meeting.view.ts';

/** Schedules a meeting outside a cycle: it expects nothing, and its pool goes to the treasury. */
export function scheduleMeetingAction({ foundation, timings }: ContributionDeps) {
  const { outbox, runtime } = foundation;
  return implementWrite(
    foundation,
    scheduleMeeting,
    async ({ path: { association_id }, body }, caller, ctx, operation) => {
      const { terms } = await authorizeCaller(ctx, caller, association_id, 'schedule_meeting');
      const now = runtime.clock();
      const meeting: MeetingRow = {
        id: operation.id,
        association_id,
        cycle_id: null,
        round: null,
        title: body.title ?? null,
        due_on: body.due_on ?? dayOf(now),
        status: 'open',
        currency: terms.currency,
        expected_minor: 0n,
        attempt_id: null,
        settling_since: null,
        settled_at: null,
        created_at: now,
      };
      const { id: meeting_id, due_on } = meeting;
      answerLocation(ctx, `/associations/${association_id}/meetings/${meeting_id}`);
      const gate = {
        isLocked: (manager: EntityManager) => areLocked(manager, association_id),
        stillAllowed: () => authorizeCaller(ctx, caller, association_id, 'schedule_meeting'),
        wait_ms: timings.lock_wait_ms,
      };
      return storeUnlocked(foundation, gate, async (manager) => {
        await insertMeeting(manager, meeting);
        const data = { meeting_id, cycle_id: null, round: null, due_on };
        await outbox.append(manager, { type: 'meeting.scheduled', association_id, data });
        const answer = showMeeting({ ...meeting, collected_minor: 0n, turns: [] });
        await operation.answered(manager, answer);
        return answer;
      });
    },
  );
}
