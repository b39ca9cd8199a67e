import { dayIn } from '../../../lib/calendar/zones.ts';
import { scheduleMeeting } from '../../../lib/contracts/contribution.ts';
import { zoneOf } from '../../../lib/contracts/membership.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { areLocked, storeWhenUnlocked } from '../../../lib/locks/locks.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { answerLocation } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { meetings, type MeetingRow } from './meeting.table.ts';
import { scheduledFact, showMeeting } from './meeting.view.ts';

/** Schedules a meeting outside a cycle. Its members owe nothing, and its pool goes to the treasury. */
export function scheduleMeetingAction(deps: ContributionDeps) {
  const { db, outbox, runtime, timings } = deps;
  return implementWrite(deps, scheduleMeeting, async ({ path: { association_id }, body }, caller, ctx, operation) => {
    const { terms } = await authorizeCaller(ctx, caller, association_id, 'schedule_meeting');
    const now = runtime.clock();
    const meeting: MeetingRow = {
      id: operation.id,
      association_id,
      cycle_id: null,
      round: null,
      title: body.title ?? null,
      due_on: body.due_on ?? dayIn(zoneOf(terms), now),
      status: 'open',
      currency: terms.currency,
      expected_minor: 0n,
      attempt_id: null,
      settling_since: null,
      settled_at: null,
      created_at: now,
    };
    answerLocation(ctx, `/associations/${association_id}/meetings/${meeting.id}`);
    const gate = {
      isLocked: (tx: Transaction) => areLocked(tx, association_id),
      checkStillAllowed: () => authorizeCaller(ctx, caller, association_id, 'schedule_meeting'),
      wait_ms: timings.lock_wait_ms,
    };
    return storeWhenUnlocked(db, gate, async (tx) => {
      await tx.orm.insert(meetings, meeting);
      outbox.append(tx, scheduledFact(meeting));
      const answer = showMeeting({ ...meeting, collected_minor: 0n, turns: [] });
      await operation.keep(tx, answer);
      return answer;
    });
  });
}
