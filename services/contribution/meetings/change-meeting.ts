import { changeMeeting } from '../../../lib/contracts/contribution.ts';
import type { Db } from '../../../lib/db/db.ts';
import { invalid, problem, type Problem } from '../../../lib/errors/problem.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { preferPreconditionFailed, requireUnchanged } from '../../../lib/service/preconditions.ts';
import { keepsOrder } from '../cycles/cycle.rules.ts';
import type { ContributionDeps } from '../deps.ts';
import { storeDueDay } from '../fines/assess-automatic-fines.ts';
import { findMeeting, findShownMeeting, lockWithNeighbours, updateMeeting } from './meeting.store.ts';
import type { LockedMeeting } from './meeting.store.ts';
import { isOpen } from './meeting.table.ts';
import { showMeeting } from './meeting.view.ts';

/**
 * Changes the day or title of an open meeting. A round stays between its neighbours. A request that changes nothing is
 * accepted, and writes no event.
 */
export function changeMeetingAction(deps: ContributionDeps) {
  const { db, outbox, runtime } = deps;
  return implementWrite(deps, changeMeeting, async ({ path, body }, caller, ctx, operation) => {
    const found = await findMeeting(db, path);
    const shownIn = async (at: Db) => showMeeting(await findShownMeeting(at, path));
    const authorizing = authorizeCaller(ctx, caller, path.association_id, 'schedule_meeting');
    await preferPreconditionFailed(authorizing, () => requireUnchanged(ctx, () => shownIn(db)));
    return db.transaction(async (tx) => {
      const { meeting, neighbours } = await lockWithNeighbours(tx, found);
      await requireUnchanged(ctx, () => shownIn(tx));
      if (!isOpen(meeting.status)) throw problem('meeting_not_open');
      const changed = { ...meeting, ...body };
      const { id: meeting_id, association_id, due_on, title } = changed;
      if (!keepsOrder(due_on, neighbours.before, neighbours.after)) throw outOfOrder(neighbours);
      if (due_on !== meeting.due_on || title !== meeting.title) {
        updateMeeting(tx, changed);
        if (changed.cycle_id !== null && due_on !== meeting.due_on)
          await storeDueDay(tx, changed.cycle_id, changed, runtime.clock());
        outbox.append(tx, { type: 'meeting.rescheduled', association_id, data: { meeting_id, due_on, title } });
      }
      const answer = await shownIn(tx);
      await operation.keep(tx, answer);
      return answer;
    });
  });
}

function outOfOrder({ before, after }: LockedMeeting['neighbours']): Problem {
  const bounds: string[] = [];
  if (before !== null) bounds.push(`not before ${before}`);
  if (after !== null) bounds.push(`not after ${after}`);
  return invalid({
    pointer: '/due_on',
    code: 'round_order',
    detail: `Rounds stay in order: the day of this round must be ${bounds.join(' and ')}.`,
  });
}
