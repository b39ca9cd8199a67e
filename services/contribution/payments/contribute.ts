import type { EndpointInput } from '../../../lib/contracts/action.ts';
import { contribute } from '../../../lib/contracts/contribution.ts';
import type { Authorization } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Problem, Refusal } from '../../../lib/errors/problem.ts';
import { amountOf, authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { answerLocation, answerStatus } from '../../../lib/service/implement.ts';
import { implementSaga } from '../../../lib/service/implement-saga.ts';
import { payOff } from '../arrears/arrears.rules.ts';
import { insertPayment, lockArrearsOf } from '../arrears/arrears.store.ts';
import type { ContributionDeps } from '../deps.ts';
import { MEETING_STATES } from '../meetings/meeting.table.ts';
import { payoutWallets, walletIn } from '../settlement/payout-wallets.ts';
import type { WalletOf } from '../settlement/monies.rules.ts';
import { refusalOfContribution } from './contribution.saga.ts';
import { exceedsDue, findDueRefusal } from './contribution.store.ts';
import type { ContributionRow } from './contribution.table.ts';
import { showContribution } from './contribution.view.ts';
import type { PayableMeeting } from './payment.store.ts';

type Body = EndpointInput<typeof contribute>['body'];

/**
 * Pays from the caller's own wallet, for themselves or for another member: into a meeting's pool, or, once the round has
 * settled, straight to the member's creditors of that round. 201 once paid, the ledger's refusal, or 202 while that is
 * not known.
 */
export function contributeAction(deps: ContributionDeps) {
  return implementSaga(deps, contribute, {
    saga: deps.contributions,
    async begin({ path, body }, caller, ctx, { id }) {
      const meeting = await deps.batches.findPayableMeeting(path);
      if (meeting === undefined) throw problem('not_found');
      const named_ids = body.for_member_id === undefined ? [] : [body.for_member_id];
      const member_ids = [...(meeting.beneficiary_ids ?? []), ...named_ids];
      const authorization = await authorizeCaller(ctx, caller, path.association_id, 'contribute', {
        pin: body.pin,
        amount: body.amount,
        ...(member_ids.length === 0 ? {} : { member_ids }),
      });
      const asked = newContribution(id, meeting, authorization, body, caller.user_id, deps.runtime.clock());
      if (asked.kind === 'pool') return takeDue(deps, asked);
      const wallets = await payoutWallets(deps, ctx, authorization.members, meeting.currency);
      return takeArrears(deps, asked, walletIn(wallets));
    },
    refusalOf: refusalOfContribution,
    answer(row, ctx) {
      answerLocation(ctx, `/associations/${row.association_id}/meetings/${row.meeting_id}/contributions/${row.id}`);
      if (row.status !== 'paid') answerStatus(ctx, 202);
      return showContribution(row);
    },
    isAnsweredEarly: true,
  });
}

function newContribution(
  id: string,
  meeting: PayableMeeting,
  authorization: Authorization,
  { wallet_id, for_member_id }: Body,
  payer_user_id: string,
  now: Date,
): ContributionRow {
  // PostgreSQL cannot hold such a text, so no wallet has it for its id.
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
    kind: MEETING_STATES[meeting.status].pays ?? 'pool',
    amount_minor: amountOf(authorization),
    currency: meeting.currency,
    status: 'pending',
    outstanding_minor: 0n,
    failure_code: null,
    created_at: now,
    decided_at: null,
    last_attempt_at: now,
  };
}

/** The member whose due is paid. In a cycle the pinned members count, which only its own tables know: see findDueRefusal(). */
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

/** Takes the amount of the due, and stores the contribution, or neither. */
async function takeDue({ db, batches }: ContributionDeps, asked: ContributionRow): Promise<ContributionRow> {
  const { outstanding_minor, meeting_status } = await batches.takeDue(asked);
  if (outstanding_minor === null) throw refused(await findDueRefusal(db, asked, meeting_status));
  return { ...asked, outstanding_minor };
}

/**
 * Takes the amount of what the member owes from a settled meeting, and stores the contribution, or neither. Arrears are
 * paid off in rotation order.
 * @throws meeting_not_open if the member never owed anything from it, contribution_exceeds_due
 */
function takeArrears({ db }: ContributionDeps, asked: ContributionRow, walletOf: WalletOf): Promise<ContributionRow> {
  const { meeting_id, member_id, amount_minor, currency } = asked;
  return db.transaction(async (tx) => {
    const open = await lockArrearsOf(tx, meeting_id, member_id);
    if (open === undefined) throw problem('meeting_not_open');
    const left_minor = open.reduce((sum, arrear) => sum + arrear.left_minor, 0n);
    if (amount_minor > left_minor) throw refused(exceedsDue(left_minor, currency));
    const payment = { ...asked, outstanding_minor: left_minor - amount_minor };
    const parts = payOff(amount_minor, open).map((part) => ({ ...part, wallet_id: walletOf(part.creditor_id) }));
    await insertPayment(tx, payment, parts);
    return payment;
  });
}

function refused({ code, extras }: Refusal): Problem {
  return problem(code, extras);
}
