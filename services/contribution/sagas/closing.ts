import { setTimeout as sleep } from 'node:timers/promises';
import { problem } from '../../../lib/errors/problem.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import { connectionOf, pipelinedTransaction } from '../../../lib/db/pipelined-transaction.ts';
import type { Connection } from '../../../lib/db/statements.ts';
import type { ContributionDeps } from '../deps.ts';
import { MEETING_MOVES } from '../domain/meeting-states.ts';
import { arePayingArrears } from '../persistence/arrears.ts';
import { inFlightTo } from '../persistence/contributions.ts';
import type { InFlight } from '../persistence/contributions.ts';
import { beginSettling, lockMeeting, reopenMeeting } from '../persistence/settling.ts';

/** One try to end a meeting, by settling or cancelling it. It goes by the operation's id. */
export interface Attempt {
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
  { foundation }: ContributionDeps,
  { meeting_id, attempt_id }: Attempt,
  objection?: Problem,
): Promise<void> {
  await pipelinedTransaction(foundation.db.pool, async (transaction) => {
    const meeting = await lockMeeting(transaction, meeting_id);
    const own = meeting.attempt_id === attempt_id && meeting.settling_since !== null;
    if (!own && meeting.status !== MEETING_MOVES.begin_settling.from[0]) throw problem('meeting_not_open');
    if (objection !== undefined) throw objection;
    beginSettling(transaction, meeting_id, attempt_id, foundation.runtime.clock());
  });
}

/**
 * Gives pending payments time to be decided, and opens the meeting again if contributions to it are not. Cash is for
 * people to decide, so it is not waited for.
 * @throws contributions_in_flight
 */
export async function waitForContributions(deps: ContributionDeps, attempt: Attempt): Promise<void> {
  const { foundation, timings } = deps;
  const connection = connectionOf(foundation.db.pool);
  for (let waited_ms = 0; ; waited_ms += timings.in_flight_poll_ms) {
    const in_flight = await inFlightTo(connection, attempt.meeting_id);
    const over = waited_ms >= timings.in_flight_wait_ms;
    if (in_flight === 'cash' || (over && in_flight === 'wallet')) {
      await reopen(deps, attempt);
      throw problem('contributions_in_flight');
    }
    if (over || !(await isWaitedFor(connection, attempt, in_flight))) return;
    await sleep(timings.in_flight_poll_ms);
  }
}

async function isWaitedFor(
  connection: Connection,
  { association_id, debtor_ids }: Attempt,
  in_flight: InFlight,
): Promise<boolean> {
  if (in_flight !== 'nothing') return true;
  return debtor_ids.length > 0 && (await arePayingArrears(connection, association_id, debtor_ids));
}

async function reopen({ foundation }: ContributionDeps, { meeting_id, attempt_id }: Attempt): Promise<void> {
  await reopenMeeting(foundation.db.pool, meeting_id, attempt_id);
}
