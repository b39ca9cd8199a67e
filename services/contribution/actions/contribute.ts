import { amountOf, authorized } from '../../../lib/actions/authorized.ts';
import { implementWrite } from '../../../lib/actions/implement-write.ts';
import { answerLocation, answerStatus } from '../../../lib/actions/implement.ts';
import type { CallContext } from '../../../lib/actions/implement.ts';
import type { EndpointInput } from '../../../lib/contracts/action.ts';
import { contribute } from '../../../lib/contracts/contribution.ts';
import type { Contribution } from '../../../lib/contracts/contribution.ts';
import type { Authorization } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import type { Statements } from '../../../lib/db/statements.ts';
import type { ContributionDeps } from '../deps.ts';
import { takesArrears } from '../domain/meeting-states.ts';
import type { ContributionRow } from '../persistence/contribution.entity.ts';
import { contributionById, findContribution } from '../persistence/contributions.ts';
import type { PayableMeeting } from '../persistence/find-payable-meeting.ts';
import { countPaid, drivenForm, moveContribution, refuseContribution } from '../sagas/contribution-saga.ts';
import type { DrivenContribution } from '../sagas/contribution-saga.ts';
import { storedRefusal } from '../sagas/outcome.ts';
import { payoutWallets } from '../sagas/payout-wallets.ts';
import { takeForArrears } from '../sagas/take-arrears.ts';
import { untaken } from '../sagas/untaken.ts';
import { showContribution } from './show.ts';

type Body = EndpointInput<typeof contribute>['body'];

/**
 * Pays from the caller's own wallet, for himself or for another member: into a meeting's pool, or, once the round has
 * settled, straight to those to whom the member owes from it.
 */
export function contributeAction(deps: ContributionDeps) {
  const { db, runtime } = deps.foundation;
  return implementWrite(deps.foundation, contribute, async ({ path, body }, caller, ctx, operation) => {
    // What was stored was allowed: refusing it now would free the key of a payment that goes on.
    const earlier = operation.resumed ? await findContribution(db.manager, operation.id) : null;
    if (earlier !== null) return goOn(deps, ctx, earlier, operation);

    const meeting = await deps.gathered.findPayableMeeting(path);
    if (meeting === undefined) throw problem('not_found');
    const member_ids = [
      ...(meeting.beneficiary_ids ?? []),
      ...(body.for_member_id === undefined ? [] : [body.for_member_id]),
    ];
    const authorization = await authorized(ctx, caller, path.association_id, 'contribute', {
      pin: body.pin,
      amount: body.amount,
      ...(member_ids.length === 0 ? {} : { member_ids }),
    });
    const asked = newContribution(operation.id, meeting, authorization, body, caller.user_id);
    const contribution =
      asked.kind === 'arrears'
        ? await takeForArrears(deps, asked, await payoutWallets(deps, ctx, authorization.members, meeting.currency))
        : await takeOfPool(deps, asked);
    await runtime.reached('contribution.pending_stored');
    return driveAndAnswer(deps, ctx, contribution, operation);
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
    method: 'wallet',
    kind: takesArrears(meeting.status) ? 'arrears' : 'pool',
    parts: [],
    amount_minor: amountOf(authorization),
    currency: meeting.currency,
  };
}

/** Whose due is paid. In a cycle the pinned members count, which only its own tables know: see untaken(). */
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

async function takeOfPool(deps: ContributionDeps, contribution: DrivenContribution): Promise<DrivenContribution> {
  const { db, runtime } = deps.foundation;
  const taken = await deps.gathered.takeDue({ ...contribution, now: runtime.clock() });
  if (taken.outstanding_minor === null) throw await untaken(db.manager, contribution, taken.meeting_status);
  return contribution;
}

/** Answers from what an earlier request of the same operation has stored, driving it on if it is pending. */
async function goOn(
  deps: ContributionDeps,
  ctx: CallContext,
  row: ContributionRow,
  operation: Operation,
): Promise<Contribution> {
  if (row.status === 'refused' || row.status === 'failed') throw storedRefusal(row.failure_code);
  const contribution = row.status === 'pending' ? await drivenForm(deps, row) : undefined;
  return contribution === undefined ? answerWith(ctx, row) : driveAndAnswer(deps, ctx, contribution, operation);
}

/** Moves the money and says what came of it: 201 once paid, the ledger's refusal, or 202 while that is not known. */
async function driveAndAnswer(
  deps: ContributionDeps,
  ctx: CallContext,
  contribution: DrivenContribution,
  operation: Operation,
): Promise<Contribution> {
  // Without a key there is no answer to keep, and one statement does it.
  const keep =
    ctx.meta.idempotency === undefined
      ? undefined
      : (transaction: Statements, row: ContributionRow) => operation.answered(transaction, answerWith(ctx, row));
  const outcome = await moveContribution(deps, ctx, contribution);
  const paid = outcome.kind === 'done' ? await countPaid(deps, contribution, keep) : undefined;
  if (outcome.kind === 'refused' && (await refuseContribution(deps, contribution, outcome.problem))) {
    throw outcome.problem;
  }
  // Not paid by this request: pending, or decided by the sweeper meanwhile.
  return answerWith(ctx, paid ?? (await contributionById(deps.foundation.db.manager, contribution.id)));
}

function answerWith(ctx: CallContext, row: ContributionRow): Contribution {
  answerLocation(ctx, `/associations/${row.association_id}/meetings/${row.meeting_id}/contributions/${row.id}`);
  if (row.status !== 'paid') answerStatus(ctx, 202);
  return showContribution(row);
}
