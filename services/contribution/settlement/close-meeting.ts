import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import { arePayingArrears } from '../arrears/arrears.store.ts';
import type { ContributionDeps } from '../deps.ts';
import { beginSettling, lockMeeting, reopenMeeting } from '../meetings/meeting.store.ts';
import { isOpen } from '../meetings/meeting.table.ts';
import { findInFlight } from '../payments/contribution.store.ts';
import type { InFlight } from '../payments/contribution.store.ts';

/** One attempt to end a meeting, by settling or cancelling it. It goes by the operation's id. */
export interface ClosingAttempt {
  association_id: string;
  meeting_id: string;
  attempt_id: string;
  /** Members whose arrears the settlement sets off: what they are paying of them just now is waited for. */
  debtor_ids: readonly string[];
}

/**
 * Moves the meeting to `settling`: the attempt that does is the only one. A repeat of the same operation goes on with
 * its own.
 * @param objection what else hinders, judged once the meeting is known to be open
 * @throws meeting_not_open, the objection
 */
export async function closeForContributions(
  { db, runtime }: ContributionDeps,
  { meeting_id, attempt_id }: ClosingAttempt,
  objection?: Problem,
): Promise<void> {
  await db.transaction(async (tx) => {
    const meeting = await lockMeeting(tx, meeting_id);
    const is_own = meeting.attempt_id === attempt_id && meeting.settling_since !== null;
    if (!is_own && !isOpen(meeting.status)) throw problem('meeting_not_open');
    if (objection !== undefined) throw objection;
    beginSettling(tx, meeting_id, attempt_id, runtime.clock());
  });
  await runtime.reached('contribution.meeting_closed');
}

/**
 * Gives pending payments time to be decided, and opens the meeting again if contributions to it are not. Cash is for
 * people to decide, so it is not waited for.
 * @throws contributions_in_flight
 */
export async function waitForContributions({ db, timings }: ContributionDeps, attempt: ClosingAttempt): Promise<void> {
  for (let waited_ms = 0; ; waited_ms += timings.in_flight_poll_ms) {
    const in_flight = await findInFlight(db, attempt.meeting_id);
    const is_over = waited_ms >= timings.in_flight_wait_ms;
    if (in_flight === 'cash' || (is_over && in_flight === 'wallet')) {
      await db.transaction((tx) => Promise.resolve(reopenMeeting(tx, attempt.meeting_id, attempt.attempt_id)));
      throw problem('contributions_in_flight');
    }
    if (is_over || !(await isWaitedFor(db, attempt, in_flight))) return;
    await sleep(timings.in_flight_poll_ms);
  }
}

async function isWaitedFor(
  db: Db,
  { association_id, debtor_ids }: ClosingAttempt,
  in_flight: InFlight,
): Promise<boolean> {
  if (in_flight !== 'nothing') return true;
  return debtor_ids.length > 0 && (await arePayingArrears(db, association_id, debtor_ids));
}
