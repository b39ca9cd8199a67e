import { activeMember, amountOf, authorized } from '../../../lib/actions/authorized.ts';
import { call } from '../../../lib/actions/call.ts';
import { answerLocation, implement } from '../../../lib/actions/implement.ts';
import { checkEligibility } from '../../../lib/contracts/governance.ts';
import { recordCashContribution } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { showCashDeposit } from '../domain/cash-deposit.ts';
import type { CashDeposit } from '../domain/cash-deposit.ts';

/** Records cash that a member has handed over; it counts once the board has confirmed it. */
export const recordCashContributionAction = (deps: TreasuryDeps) =>
  implement(recordCashContribution, async ({ path: { association_id }, body }, caller, ctx) => {
    const { newId, clock } = deps.foundation.runtime;
    const { pin, amount, member_id, reason } = body;
    const particulars = { pin, amount, member_ids: [member_id] };
    const authorization = await authorized(ctx, caller, association_id, 'record_cash', particulars);
    const depositor = activeMember(authorization, member_id);
    const recorded_by_member_id = authorization.member.member_id;
    const request = {
      association_id,
      subject_type: 'cash_deposit' as const,
      requested_by_member_id: recorded_by_member_id,
      concerned_member_id: depositor.member_id,
    };
    await call(ctx, checkEligibility, request, deps.timings.peer_timeout_ms);

    const now = clock();
    const plan: CashDeposit = {
      id: newId(),
      association_id,
      member_id: depositor.member_id,
      amount: amountOf(authorization),
      currency: authorization.terms.currency,
      reason,
      status: 'recording',
      approval_id: newId(),
      recorded_by_member_id,
      recorded_at: now,
      touched_at: now,
      decision: null,
      refusal: null,
    };
    const deposit = await deps.cashDeposits.begin(ctx, plan);
    answerLocation(ctx, `/associations/${association_id}/cash-ledger`);
    return showCashDeposit(deposit);
  });
