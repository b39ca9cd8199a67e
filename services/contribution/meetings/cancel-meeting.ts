import { cancelMeeting } from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { answerLocation, answerStatus } from '../../../lib/service/implement.ts';
import { implementSaga } from '../../../lib/service/implement-saga.ts';
import type { ContributionDeps } from '../deps.ts';
import { closeForContributions, waitForContributions } from '../settlement/close-meeting.ts';
import { planCancellation } from '../settlement/plan-settlement.ts';
import { refusalOfSettlement } from '../settlement/settlement.saga.ts';
import { findMeeting, findShownMeeting } from './meeting.store.ts';
import { showMeeting } from './meeting.view.ts';

/**
 * Cancels a meeting outside a cycle, and refunds all its contributions in one transfer. Answers 200 once it is cancelled,
 * the ledger's refusal, or 202 while the outcome is unknown.
 */
export function cancelMeetingAction(deps: ContributionDeps) {
  return implementSaga(deps, cancelMeeting, {
    saga: deps.settlements,
    async begin({ path }, caller, ctx, operation) {
      const meeting = await findMeeting(deps.db, path);
      const { terms, member } = await authorizeCaller(ctx, caller, path.association_id, 'schedule_meeting');
      if (meeting.cycle_id !== null) throw problem('meeting_in_cycle');
      const attempt = { ...path, attempt_id: operation.id, hold: operation.hold, debtor_ids: [] };
      await closeForContributions(deps, attempt);
      await waitForContributions(deps, attempt);
      return planCancellation(deps, { ...attempt, terms, settled_by_member_id: member.member_id });
    },
    refusalOf: refusalOfSettlement,
    async answer({ association_id, meeting_id, status }, ctx, db) {
      if (status !== 'settled') {
        answerStatus(ctx, 202);
        answerLocation(ctx, `/associations/${association_id}/meetings/${meeting_id}`);
      }
      return showMeeting(await findShownMeeting(db, { association_id, meeting_id }));
    },
    isAnsweredEarly: true,
  });
}
