import type { EndpointInput } from '../../../lib/contracts/action.ts';
import { contribute } from '../../../lib/contracts/contribution.ts';
import type { Authorization } from '../../../lib/contracts/membership.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { amountOf, authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { inFlight, type Operation } from '../../../lib/idempotency/operation.ts';
import { statementFor } from '../../../lib/service/call.ts';
import { answerLocation, answerStatus } from '../../../lib/service/implement.ts';
import { implementSaga } from '../../../lib/service/implement-saga.ts';
import { payOff } from '../arrears/arrears.rules.ts';
import { insertArrearsPayment, lockArrearsFromMeeting } from '../arrears/arrears.store.ts';
import type { ContributionDeps } from '../deps.ts';
import { MEETING_STATES } from '../meetings/meeting.table.ts';
import { findPayoutWallets, walletLookup } from '../settlement/find-payout-wallets.ts';
import type { WalletOf } from '../settlement/funds.rules.ts';
import { refusalOfContribution } from './contribution.saga.ts';
import { excessExtras, withMetadata } from './contribution.store.ts';
import { CONTRIBUTION_STATES, type ContributionRow } from './contribution.table.ts';
import { showContribution } from './contribution.view.ts';
import { takeDueOrRefuse, type MeetingToPay } from './payment.store.ts';

type Body = EndpointInput<typeof contribute>['body'];

/**
 * Pays from the caller's own wallet, for themselves or for another member: into a meeting's pool or, once the round has
 * settled, directly to the member's creditors of that round. Answers 201 once it is paid, the ledger's refusal, or 202
 * while the outcome is unknown.
 */
export function contributeAction(deps: ContributionDeps) {
  return implementSaga(deps, contribute, {
    saga: deps.contributions,
    async begin({ path, body }, caller, ctx, operation) {
      const meeting = await deps.payments.findMeetingToPay(path);
      if (meeting === undefined) throw problem('not_found');
      const namedIds = body.for_member_id === undefined ? [] : [body.for_member_id];
      const member_ids = [...(meeting.beneficiary_ids ?? []), ...namedIds];
      const authorization = await authorizeCaller(ctx, caller, path.association_id, 'contribute', {
        pin: body.pin,
        amount: body.amount,
        member_ids,
      });
      const contribution = newContribution(
        operation.id,
        meeting,
        authorization,
        body,
        caller.user_id,
        deps.runtime.clock(),
      );
      const statement = statementFor(ctx, transfer);
      if (contribution.kind === 'pool') return storePoolPayment(deps, contribution, statement, operation);
      const wallets = await findPayoutWallets(deps, ctx, authorization.members, meeting.currency);
      return storeArrearsPayment(deps, contribution, walletLookup(wallets), statement, operation);
    },
    refusalOf: refusalOfContribution,
    async answer(row, ctx, db) {
      answerLocation(ctx, `/associations/${row.association_id}/meetings/${row.meeting_id}/contributions/${row.id}`);
      if (!CONTRIBUTION_STATES[row.status].posted) answerStatus(ctx, 202);
      return showContribution(await withMetadata(db, row));
    },
    isAnsweredEarly: true,
  });
}

function newContribution(
  id: string,
  meeting: MeetingToPay,
  authorization: Authorization,
  { wallet_id, for_member_id, metadata = {} }: Body,
  payer_user_id: string,
  now: Date,
): ContributionRow {
  // PostgreSQL cannot store such a string, so no wallet has this id.
  if (wallet_id.includes('\u0000') || !wallet_id.isWellFormed()) throw problem('not_found');
  return {
    id,
    association_id: meeting.association_id,
    meeting_id: meeting.id,
    member_id: payeeOf(meeting, authorization, for_member_id),
    paid_by_member_id: authorization.member.member_id,
    payer_user_id,
    wallet_id,
    method: 'wallet',
    // A meeting that accepts no payment is refused when the due is taken.
    kind: MEETING_STATES[meeting.status].pays ?? 'pool',
    amount_minor: amountOf(authorization),
    currency: meeting.currency,
    status: 'pending',
    outstanding_minor: 0n,
    failure_code: null,
    created_at: now,
    decided_at: null,
    last_attempt_at: now,
    metadata,
  };
}

/** Returns the member whose due is paid. Whether they are a member of the cycle is checked when the due is taken. */
function payeeOf(meeting: MeetingToPay, { member, members }: Authorization, for_member_id: string | undefined): string {
  if (for_member_id === undefined) return member.member_id;
  const payee = members.find((each) => each.member_id === for_member_id);
  if (payee === undefined || (meeting.cycle_id === null && payee.status !== 'active')) throw problem('not_found');
  return payee.member_id;
}

/**
 * Stores a payment into the pool and takes its amount of the due, or does neither.
 * @throws meeting_not_open, contribution_exceeds_due; idempotency_in_flight if a repeat has taken the request over
 */
async function storePoolPayment(
  { db, payments }: ContributionDeps,
  payment: ContributionRow,
  statement: string | undefined,
  { claim }: Operation,
): Promise<ContributionRow> {
  const asked = { ...payment, statement, claim };
  const { outstanding_minor, is_held } = await payments.takeDue(asked);
  if (!is_held) throw inFlight();
  if (outstanding_minor !== null) return { ...payment, outstanding_minor };
  const taken = await db.transaction((tx) => takeDueOrRefuse(tx, asked));
  if ('refusal' in taken) throw problem(taken.refusal.code, taken.refusal.extras);
  return { ...payment, ...taken };
}

/**
 * Stores a payment of arrears from a settled meeting and takes its amount of the arrears in rotation order, or does
 * neither.
 * @throws meeting_not_open if the member never had arrears from the meeting, contribution_exceeds_due; idempotency_in_flight
 */
function storeArrearsPayment(
  { db }: ContributionDeps,
  payment: ContributionRow,
  walletOf: WalletOf,
  statement: string | undefined,
  operation: Operation,
): Promise<ContributionRow> {
  const { meeting_id, member_id, amount_minor, currency } = payment;
  return db.transaction(async (tx) => {
    await operation.hold(tx);
    const open = await lockArrearsFromMeeting(tx, meeting_id, member_id);
    if (open === undefined) throw problem('meeting_not_open');
    const left_minor = open.reduce((sum, arrear) => sum + arrear.left_minor, 0n);
    if (amount_minor > left_minor) throw problem('contribution_exceeds_due', excessExtras(left_minor, currency));
    const stored = { ...payment, outstanding_minor: left_minor - amount_minor };
    const parts = payOff(amount_minor, open).map((part) => ({ ...part, wallet_id: walletOf(part.creditor_id) }));
    await insertArrearsPayment(tx, stored, parts, statement);
    return stored;
  });
}
