import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { renewWhile } from '../../../lib/node/takeover.ts';
import { arePayingArrears } from '../arrears/arrears.store.ts';
import type { ContributionDeps } from '../deps.ts';
import { beginSettling, lockMeeting, renewSettling, reopenUnplanned } from '../meetings/meeting.store.ts';
import { isOpen } from '../meetings/meeting.table.ts';
import { findInFlight, type InFlight } from '../payments/contribution.store.ts';

/** One attempt to settle or cancel a meeting. */
export interface ClosingAttempt {
  association_id: string;
  meeting_id: string;
  /** The operation's id. */
  attempt_id: string;
  /** See Operation. */
  hold: Operation['hold'];
  /** The members whose arrears the settlement may set off. It waits for payments of these arrears that are in flight. */
  debtor_ids: readonly string[];
}

/**
 * Moves the meeting to `settling` for this attempt only. A repeat of the same operation continues the attempt.
 * @throws meeting_not_open, earlier_round_open; idempotency_in_flight
 */
export async function closeForContributions(
  { db, runtime }: ContributionDeps,
  { meeting_id, attempt_id, hold }: ClosingAttempt,
  earlier_round_open = false,
): Promise<void> {
  await db.transaction(async (tx) => {
    await hold(tx);
    const meeting = await lockMeeting(tx, meeting_id);
    const isOwn = meeting.attempt_id === attempt_id && meeting.settling_since !== null;
    if (!isOwn && !isOpen(meeting.status)) throw problem('meeting_not_open');
    if (earlier_round_open) throw problem('earlier_round_open');
    beginSettling(tx, meeting_id, attempt_id);
  });
  await runtime.reached('contribution.meeting_closed');
}

/**
 * Waits until the payments in flight are decided, but not for cash, as people decide it. If contributions to the meeting
 * stay in flight, it opens the meeting again.
 * @throws contributions_in_flight
 */
export function waitForContributions(deps: ContributionDeps, attempt: ClosingAttempt): Promise<void> {
  // If this fails, recovery opens the meeting again, and the attempt finds that it was abandoned.
  const renew = () => void renewSettling(deps.db, attempt.meeting_id, attempt.attempt_id).catch(() => undefined);
  return renewWhile(renew, () => untilDecided(deps, attempt), deps.timings.stale_after_ms);
}

async function untilDecided({ db, timings }: ContributionDeps, attempt: ClosingAttempt): Promise<void> {
  const deadline_ms = performance.now() + timings.in_flight_wait_ms;
  for (;;) {
    // The time is read first, so that all payments that were decided by the deadline count.
    const isOver = performance.now() >= deadline_ms;
    const in_flight = await findInFlight(db, attempt.meeting_id);
    if (in_flight === 'cash' || (isOver && in_flight === 'wallet')) {
      await db.transaction((tx) => Promise.resolve(reopenUnplanned(tx, attempt.meeting_id, attempt.attempt_id)));
      throw problem('contributions_in_flight');
    }
    if (isOver || !(await mustWait(db, attempt, in_flight))) return;
    await sleep(timings.in_flight_poll_ms);
  }
}

/** Whether a payment is in flight that the settlement must wait for. */
async function mustWait(db: Db, { association_id, debtor_ids }: ClosingAttempt, in_flight: InFlight): Promise<boolean> {
  if (in_flight !== 'nothing') return true;
  return debtor_ids.length > 0 && (await arePayingArrears(db, association_id, debtor_ids));
}
