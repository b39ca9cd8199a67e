import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { arePayingArrears } from '../arrears/arrears.store.ts';
import type { ContributionDeps } from '../deps.ts';
import { beginSettling, lockMeeting, reopenMeeting } from '../meetings/meeting.store.ts';
import { isOpen } from '../meetings/meeting.table.ts';
import { findInFlight, type InFlight } from '../payments/contribution.store.ts';

/** One attempt to settle or cancel a meeting. */
export interface ClosingAttempt {
  association_id: string;
  meeting_id: string;
  /** The operation's id. */
  attempt_id: string;
  /** Members whose arrears the settlement sets off: it waits for payments of these arrears that are in flight. */
  debtor_ids: readonly string[];
}

/**
 * Moves the meeting to `settling` for this attempt alone. A repeat of the same operation continues its own attempt.
 * @throws meeting_not_open, earlier_round_open
 */
export async function closeForContributions(
  { db, runtime }: ContributionDeps,
  { meeting_id, attempt_id }: ClosingAttempt,
  earlier_round_open = false,
): Promise<void> {
  await db.transaction(async (tx) => {
    const meeting = await lockMeeting(tx, meeting_id);
    const isOwn = meeting.attempt_id === attempt_id && meeting.settling_since !== null;
    if (!isOwn && !isOpen(meeting.status)) throw problem('meeting_not_open');
    if (earlier_round_open) throw problem('earlier_round_open');
    beginSettling(tx, meeting_id, attempt_id, runtime.clock());
  });
  await runtime.reached('contribution.meeting_closed');
}

/**
 * Waits until pending payments are decided. If contributions to the meeting still are not, it opens the meeting again.
 * Cash is not waited for, since people decide it.
 * @throws contributions_in_flight
 */
export async function waitForContributions({ db, timings }: ContributionDeps, attempt: ClosingAttempt): Promise<void> {
  for (let waited_ms = 0; ; waited_ms += timings.in_flight_poll_ms) {
    const in_flight = await findInFlight(db, attempt.meeting_id);
    const isOver = waited_ms >= timings.in_flight_wait_ms;
    if (in_flight === 'cash' || (isOver && in_flight === 'wallet')) {
      await db.transaction((tx) => Promise.resolve(reopenMeeting(tx, attempt.meeting_id, attempt.attempt_id)));
      throw problem('contributions_in_flight');
    }
    if (isOver || !(await isWaitedFor(db, attempt, in_flight))) return;
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
