import type { Caller, EndpointInput } from '../../../lib/contracts/action.ts';
import { storedMetadata } from '../../../lib/contracts/metadata.ts';
import { recordCashContribution } from '../../../lib/contracts/treasury.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { implementSaga } from '../../../lib/service/implement-saga.ts';
import { answerLocation, type CallContext } from '../../../lib/service/implement.ts';
import { authorizeRequest, sagaWriteOf, storeRequest } from '../approvals/board-request.ts';
import type { TreasuryDeps } from '../deps.ts';
import { cashDeposits, type CashDeposit } from './cash-deposit.table.ts';
import { showCashDeposit } from './cash-deposit.view.ts';

/** Records cash that a member has handed over. It counts after the board has confirmed it. */
export const recordCashContributionAction = (deps: TreasuryDeps) =>
  implementSaga(deps, recordCashContribution, {
    ...sagaWriteOf(deps.cashDeposits),
    begin: (input, caller, ctx, operation) => begin(deps, input, caller, ctx, operation),
    answer(deposit, ctx) {
      answerLocation(ctx, `/associations/${deposit.association_id}/governance/approvals/${deposit.approval_id}`);
      return showCashDeposit(deposit);
    },
  });

/** @throws what authorizeRequest() and storeRequest() throw */
async function begin(
  deps: TreasuryDeps,
  { path: { association_id }, body }: EndpointInput<typeof recordCashContribution>,
  caller: Caller,
  ctx: CallContext,
  operation: Operation,
): Promise<CashDeposit> {
  const { pin, amount, member_id, reason, meeting_id = null } = body;
  const request = { association_id, subject_type: 'cash_deposit', permission: 'record_cash' } as const;
  const authorized = await authorizeRequest(ctx, caller, { ...request, member_id, amount, pin }, deps.timings);
  const now = deps.runtime.clock();
  const deposit: CashDeposit = {
    id: operation.id,
    association_id,
    member_id: authorized.member.member_id,
    meeting_id,
    amount: authorized.amount,
    currency: authorized.currency,
    reason,
    // A deposit for a meeting first takes the due in the contribution service.
    status: meeting_id === null ? 'recording' : 'taking',
    approval_id: deps.runtime.newId(),
    recorded_by_member_id: authorized.requested_by_member_id,
    recorded_at: now,
    last_attempt_at: now,
    decision: null,
    refusal: null,
    metadata: storedMetadata(body.metadata),
  };
  return storeRequest(deps, cashDeposits, deposit, authorized, operation);
}
