import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { changeMeeting } from '../../../lib/contracts/contribution.ts';
import { invalid, problem } from '../../../lib/errors/problem.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import type { ContributionDeps } from '../deps.ts';
import { keepsOrder } from '../cycles/due-days.ts';
import { takesContributions } from './meeting-states.ts';
import { lockWithNeighbours, updateMeeting } from './reschedule.ts';
import type { Neighbours } from './reschedule.ts';
import { meetingOfPath } from './meeting-of-path.ts';
import { shownMeetingOf } from './meeting.view.ts';

/**
 * Moves an open meeting to another day, or gives it another title. Rounds stay in order: one lies between its
 * neighbours. Changing nothing is fine, and tells nobody.
 */
export function changeMeetingAction({ foundation }: ContributionDeps) {
  const { db, outbox } = foundation;
  return implementWrite(foundation, changeMeeting, async ({ path, body }, caller, ctx, operation) => {
    const found = await meetingOfPath(db.manager, path);
    await authorizeCaller(ctx, caller, path.association_id, 'schedule_meeting');
    return foundation.transaction(async (manager) => {
      const { meeting, neighbours } = await lockWithNeighbours(manager, found);
      if (!takesContributions(meeting.status)) throw problem('meeting_not_open');
      const changed = { ...meeting, ...body };
      const { id: meeting_id, association_id, due_on, title } = changed;
      if (!keepsOrder(due_on, neighbours.before, neighbours.after)) throw outOfOrder(neighbours);
      if (due_on !== meeting.due_on || title !== meeting.title) {
        await updateMeeting(manager, changed);
        const data = { meeting_id, due_on, title };
        await outbox.append(manager, { type: 'meeting.rescheduled', association_id, data });
      }
      const answer = await shownMeetingOf(manager, path);
      await operation.answered(manager, answer);
      return answer;
    });
  });
}

function outOfOrder({ before, after }: Neighbours): Problem {
  const bounds = [before === null ? [] : [`not before ${before}`], after === null ? [] : [`not after ${after}`]].flat();
  return invalid({
    pointer: '/due_on',
    code: 'round_order',
    detail: `Rounds stay in order: this one can be ${bounds.join(' and ')}.`,
  });
}
