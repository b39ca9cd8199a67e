import { activeMember, amountOf, authorizeCaller, requireSameMember } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { answerLocation } from '../../../lib/service/implement.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import type { Caller, EndpointInput } from '../../../lib/contracts/action.ts';
import { checkEligibility } from '../../../lib/contracts/governance.ts';
import { recordCashContribution } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { firstState, showCashDeposit } from './cash-deposit.rules.ts';
import type { CashDeposit } from './cash-deposit.rules.ts';

type Input = EndpointInput<typeof recordCashContribution>;

/** Records cash that a member has handed over; it counts once the board has confirmed it. */
export const recordCashContributionAction = (deps: TreasuryDeps) =>
  implementWrite(deps.foundation, recordCashContribution, async (input, caller, ctx, operation) => {
    // What an earlier request with the key has stored was allowed then.
    const stored = operation.resumed ? await deps.cashDeposits.resume(ctx, operation.id) : null;
    const deposit = stored ?? (await begin(deps, input, caller, ctx, operation.id));
    answerLocation(ctx, `/associations/${input.path.association_id}/governance/approvals/${deposit.approval_id}`);
    return showCashDeposit(deposit);
  });

/** @throws what membership refuses, `not_found` for the depositor, `no_eligible_approver`, and what the saga refuses */
async function begin(
  { foundation, cashDeposits, timings }: TreasuryDeps,
  { path: { association_id }, body }: Input,
  caller: Caller,
  ctx: CallContext,
  id: string,
): Promise<CashDeposit> {
  const { newId, clock } = foundation.runtime;
  const { pin, amount, member_id, reason, meeting_id = null } = body;
  const particulars = { pin, amount, member_ids: [member_id] };
  const authorization = await authorizeCaller(ctx, caller, association_id, 'record_cash', particulars);
  const depositor = activeMember(authorization, member_id);
  const recorded_by_member_id = authorization.member.member_id;
  const request = {
    association_id,
    subject_type: 'cash_deposit' as const,
    requested_by_member_id: recorded_by_member_id,
    concerned_member_id: depositor.member_id,
  };
  await call(ctx, checkEligibility, request, timings.peer_timeout_ms);

  const now = clock();
  const deposit: CashDeposit = {
    id,
    association_id,
    member_id: depositor.member_id,
    meeting_id,
    amount: amountOf(authorization),
    currency: authorization.terms.currency,
    reason,
    status: firstState(meeting_id),
    approval_id: newId(),
    recorded_by_member_id,
    recorded_at: now,
    touched_at: now,
    decision: null,
    refusal: null,
  };
  const stillAllowed = () => requireSameMember(ctx, caller, association_id, 'record_cash', depositor);
  return cashDeposits.begin(ctx, deposit, { member: depositor, stillAllowed }, ctx.meta.idempotency !== undefined);
}
