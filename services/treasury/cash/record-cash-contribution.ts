import { activeMember, amountOf, authorizeCaller, requireSameMember } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import { implementSaga } from '../../../lib/service/implement-saga.ts';
import { answerLocation } from '../../../lib/service/implement.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import type { Caller, EndpointInput } from '../../../lib/contracts/action.ts';
import { checkEligibility } from '../../../lib/contracts/governance.ts';
import { recordCashContribution } from '../../../lib/contracts/treasury.ts';
import { sagaWriteOf, storeRequest } from '../approvals/board-request.ts';
import type { TreasuryDeps } from '../deps.ts';
import { showCashDeposit } from './cash-deposit.rules.ts';
import { cashDeposits } from './cash-deposit.table.ts';
import type { CashDeposit } from './cash-deposit.table.ts';

/** Records cash that a member has handed over; it counts once the board has confirmed it. */
export const recordCashContributionAction = (deps: TreasuryDeps) =>
  implementSaga(deps, recordCashContribution, {
    ...sagaWriteOf(deps.cashDeposits),
    begin: (input, caller, ctx, { id }) => begin(deps, input, caller, ctx, id),
    answer(deposit, ctx) {
      answerLocation(ctx, `/associations/${deposit.association_id}/governance/approvals/${deposit.approval_id}`);
      return showCashDeposit(deposit);
    },
  });

/** @throws what membership refuses, `not_found` for the depositor, `no_eligible_approver`, and what storeRequest() throws */
async function begin(
  deps: TreasuryDeps,
  { path: { association_id }, body }: EndpointInput<typeof recordCashContribution>,
  caller: Caller,
  ctx: CallContext,
  id: string,
): Promise<CashDeposit> {
  const { newId, clock } = deps.runtime;
  const { pin, amount, member_id, reason, meeting_id = null } = body;
  const particulars = { pin, amount, member_ids: [member_id] };
  const authorization = await authorizeCaller(ctx, caller, association_id, 'record_cash', particulars);
  const member = activeMember(authorization, member_id);
  const recorded_by_member_id = authorization.member.member_id;
  const request = {
    association_id,
    subject_type: 'cash_deposit' as const,
    requested_by_member_id: recorded_by_member_id,
    concerned_member_id: member.member_id,
  };
  await call(ctx, checkEligibility, request, deps.timings.call_timeout_ms);

  const now = clock();
  const deposit: CashDeposit = {
    id,
    association_id,
    member_id: member.member_id,
    meeting_id,
    amount: amountOf(authorization),
    currency: authorization.terms.currency,
    reason,
    // Cash for a meeting first takes the due there.
    status: meeting_id === null ? 'recording' : 'taking',
    approval_id: newId(),
    recorded_by_member_id,
    recorded_at: now,
    last_attempt_at: now,
    decision: null,
    refusal: null,
  };
  const stillAllowed = () => requireSameMember(ctx, caller, association_id, 'record_cash', member);
  return storeRequest(deps, cashDeposits, deposit, { member, stillAllowed });
}
