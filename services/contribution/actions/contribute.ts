import { amountOf, authorized } from '../../../lib/actions/authorized.ts';
import { answerLocation, answerStatus, implement } from '../../../lib/actions/implement.ts';
import type { CallContext } from '../../../lib/actions/implement.ts';
import type { EndpointInput } from '../../../lib/contracts/action.ts';
import { contribute } from '../../../lib/contracts/contribution.ts';
import type { Contribution } from '../../../lib/contracts/contribution.ts';
import type { Authorization } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { ContributionDeps } from '../deps.ts';
import { takesContributions } from '../domain/meeting-states.ts';
import { contributionById } from '../persistence/contributions.ts';
import { leftToTake } from '../persistence/dues.ts';
import { findPayableMeeting } from '../persistence/find-payable-meeting.ts';
import type { PayableMeeting } from '../persistence/find-payable-meeting.ts';
import { takeDue } from '../persistence/take-due.ts';
import type { TakeResult } from '../persistence/take-due.ts';
import { countPaid, moveContribution, refuseContribution } from '../sagas/contribution-saga.ts';
import type { DrivenContribution } from '../sagas/contribution-saga.ts';
import { showContribution } from './show.ts';

type Body = EndpointInput<typeof contribute>['body'];

/** Pays into a meeting's pool from the caller's own wallet, for himself or for another member. */
export function contributeAction(deps: ContributionDeps) {
  const { db, runtime } = deps.foundation;
  return implement(contribute, async ({ path, body }, caller, ctx) => {
    const meeting = await findPayableMeeting(db.pool, path.association_id, path.meeting_id);
    if (meeting === undefined) throw problem('not_found');
    const authorization = await authorized(ctx, caller, path.association_id, 'contribute', {
      pin: body.pin,
      amount: body.amount,
      ...(body.for_member_id === undefined ? {} : { member_ids: [body.for_member_id] }),
    });
    const contribution = newContribution(runtime.newId(), meeting, authorization, body, caller.user_id);
    const taken = await takeDue(db.pool, { ...contribution, now: runtime.clock() });
    await refuseUntaken(deps, contribution, taken);
    await runtime.reached('contribution.pending_stored');
    return driveAndAnswer(deps, ctx, contribution);
  });
}

function newContribution(
  id: string,
  meeting: PayableMeeting,
  authorization: Authorization,
  body: Body,
  payer_user_id: string,
): DrivenContribution {
  // PostgreSQL cannot hold such a text, so no wallet has it for its id.
  if (body.wallet_id.includes('\u0000') || !body.wallet_id.isWellFormed()) throw problem('not_found');
  return {
    id,
    association_id: meeting.association_id,
    meeting_id: meeting.id,
    member_id: payeeOf(meeting, authorization, body.for_member_id),
    paid_by_member_id: authorization.member.member_id,
    payer_user_id,
    wallet_id: body.wallet_id,
    amount_minor: amountOf(authorization),
    currency: meeting.currency,
  };
}

/** Whose due is paid. In a cycle the pinned members count, which only its own tables know: see refuseUntaken(). */
function payeeOf(
  meeting: PayableMeeting,
  { member, members }: Authorization,
  for_member_id: string | undefined,
): string {
  if (for_member_id === undefined) return member.member_id;
  const payee = members.find((each) => each.member_id === for_member_id);
  if (payee === undefined || (meeting.cycle_id === null && payee.status !== 'active')) throw problem('not_found');
  return payee.member_id;
}

/** Says why nothing was taken, if so. */
async function refuseUntaken(
  { foundation: { db } }: ContributionDeps,
  { meeting_id, member_id, currency }: DrivenContribution,
  taken: TakeResult,
): Promise<void> {
  if (taken.outstanding_minor !== null) return;
  if (!takesContributions(taken.meeting_status)) throw problem('meeting_not_open');
  const outstanding = toMajor(await leftToTake(db.manager, meeting_id, member_id), currency);
  throw problem('contribution_exceeds_due', { outstanding });
}

/** Moves the money and says what came of it: 201 once paid, the ledger's refusal, or 202 while that is not known. */
async function driveAndAnswer(
  deps: ContributionDeps,
  ctx: CallContext,
  contribution: DrivenContribution,
): Promise<Contribution> {
  const { association_id, meeting_id, id } = contribution;
  const outcome = await moveContribution(deps, ctx, contribution);
  const paid = outcome.kind === 'done' ? await countPaid(deps, contribution) : undefined;
  if (outcome.kind === 'refused' && (await refuseContribution(deps, contribution, outcome.problem))) {
    throw outcome.problem;
  }
  // Not paid by this request: pending, or decided by the sweeper meanwhile.
  const row = paid ?? (await contributionById(deps.foundation.db.manager, id));
  answerLocation(ctx, `/associations/${association_id}/meetings/${meeting_id}/contributions/${id}`);
  if (row.status !== 'paid') answerStatus(ctx, 202);
  return showContribution(row);
}
