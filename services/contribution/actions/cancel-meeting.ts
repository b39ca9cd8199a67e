import { authorized } from '../../../lib/actions/authorized.ts';
import { implementWrite } from '../../../lib/actions/implement-write.ts';
import { answerLocation, answerStatus } from '../../../lib/actions/implement.ts';
import type { CallContext } from '../../../lib/actions/implement.ts';
import { cancelMeeting } from '../../../lib/contracts/contribution.ts';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import type { Reader } from '../../../lib/db/statements.ts';
import type { ContributionDeps } from '../deps.ts';
import { MEETING_MOVES } from '../domain/meeting-states.ts';
import type { SettlementRow } from '../persistence/settlement.entity.ts';
import { findSettlement } from '../persistence/settling.ts';
import { closeForContributions, waitForContributions } from '../sagas/closing.ts';
import { storedRefusal } from '../sagas/outcome.ts';
import { planCancellation } from '../sagas/plan-settlement.ts';
import { driveSettlement } from '../sagas/settlement-saga.ts';
import { meetingOfPath } from './meeting-of-path.ts';
import { shownMeetingOf } from './show.ts';

/** Calls a meeting outside a cycle off: every contribution goes back to where it came from, in one transfer. */
export function cancelMeetingAction(deps: ContributionDeps) {
  const { db, runtime } = deps.foundation;
  return implementWrite(deps.foundation, cancelMeeting, async ({ path }, caller, ctx, operation) => {
    // What was planned was allowed, and goes on by itself: refusing it now would free its key.
    const earlier = operation.resumed ? await findSettlement(db.manager, operation.id) : null;
    if (earlier !== null) return driveAndAnswer(deps, ctx, earlier, operation);

    const meeting = await meetingOfPath(db.manager, path);
    const { terms, member } = await authorized(ctx, caller, path.association_id, 'schedule_meeting');
    if (meeting.cycle_id !== null) throw problem('meeting_in_cycle');

    const { association_id, id: meeting_id } = meeting;
    const attempt = { association_id, meeting_id, attempt_id: operation.id, debtor_ids: [] };
    await closeForContributions(deps, attempt);
    await runtime.reached('contribution.cancelling_begun');
    await waitForContributions(deps, attempt);
    const planned = await planCancellation(deps, { ...attempt, terms, settled_by_member_id: member.member_id });
    await runtime.reached('contribution.cancellation_planned');
    return driveAndAnswer(deps, ctx, planned, operation);
  });
}

/** Carries the plan out: 200 once cancelled, the ledger's refusal, or 202 while that is not known. */
async function driveAndAnswer(
  deps: ContributionDeps,
  ctx: CallContext,
  planned: SettlementRow,
  operation: Operation,
): Promise<Meeting> {
  const { manager } = deps.foundation.db;
  const { association_id, meeting_id } = planned;
  const shown = (within: Reader) => shownMeetingOf(within, { association_id, meeting_id });
  if (planned.status === 'refused') throw storedRefusal(planned.failure_code);
  if (planned.status === 'settled') return shown(manager);
  const outcome = await driveSettlement(deps, ctx, planned, async (within) =>
    operation.answered(within.closing, await shown(within)),
  );
  if (outcome.kind === 'refused') throw outcome.problem;
  const meeting = await shown(manager);
  if (meeting.status !== MEETING_MOVES.cancel.to) {
    answerStatus(ctx, 202);
    answerLocation(ctx, `/associations/${association_id}/meetings/${meeting_id}`);
  }
  return meeting;
}
