import { activeMember, amountOf, authorizeCaller, requireSameMember } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { answerLocation } from '../../../lib/service/implement.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import type { Caller, EndpointInput } from '../../../lib/contracts/action.ts';
import { checkEligibility } from '../../../lib/contracts/governance.ts';
import type { MemberReference } from '../../../lib/contracts/membership.ts';
import { requestDistribution } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { showDistribution } from './distribution.rules.ts';
import type { Distribution } from './distribution.rules.ts';
import { openWallet } from '../wallets/wallet.store.ts';

type Input = EndpointInput<typeof requestDistribution>;

/** Asks the board to pay a member from the treasury; the funds are set aside at once. */
export const requestDistributionAction = (deps: TreasuryDeps) =>
  implementWrite(deps.foundation, requestDistribution, async (input, caller, ctx, operation) => {
    // What an earlier request with the key has stored was allowed then.
    const stored = operation.resumed ? await deps.distributions.resume(ctx, operation.id) : null;
    const distribution = stored ?? (await begin(deps, input, caller, ctx, operation.id));
    answerLocation(ctx, `/associations/${input.path.association_id}/distributions/${distribution.id}`);
    return showDistribution(distribution);
  });

/** @throws what membership refuses, `not_found` for the beneficiary, `no_eligible_approver`, and what the saga refuses */
async function begin(
  deps: TreasuryDeps,
  { path: { association_id }, body }: Input,
  caller: Caller,
  ctx: CallContext,
  id: string,
): Promise<Distribution> {
  const { newId, clock } = deps.foundation.runtime;
  const { amount, reason, beneficiary_member_id } = body;
  const particulars = { amount, member_ids: [beneficiary_member_id] };
  const authorization = await authorizeCaller(ctx, caller, association_id, 'request_distribution', particulars);
  const beneficiary = activeMember(authorization, beneficiary_member_id);
  const requested_by_member_id = authorization.member.member_id;
  const request = {
    association_id,
    subject_type: 'distribution' as const,
    requested_by_member_id,
    concerned_member_id: beneficiary.member_id,
  };
  await call(ctx, checkEligibility, request, deps.timings.peer_timeout_ms);

  const now = clock();
  const { currency } = authorization.terms;
  const distribution: Distribution = {
    id,
    association_id,
    beneficiary_member_id: beneficiary.member_id,
    payout_wallet_id: await payoutWalletOf(deps, beneficiary, currency),
    amount: amountOf(authorization),
    currency,
    reason,
    status: 'reserving',
    approval_id: newId(),
    closing_transfer_id: newId(),
    return_transfer_id: newId(),
    reserved_emoney: 0n,
    reserved_cash: 0n,
    requested_by_member_id,
    requested_at: now,
    touched_at: now,
    decision: null,
    decided_at: null,
    refusal: null,
  };
  const stillAllowed = () => requireSameMember(ctx, caller, association_id, 'request_distribution', beneficiary);
  const concerned = { member: beneficiary, stillAllowed };
  return deps.distributions.begin(ctx, distribution, concerned, ctx.meta.idempotency !== undefined);
}

/** A member without a payout wallet is paid into one of his own that is opened for it. */
async function payoutWalletOf(deps: TreasuryDeps, member: MemberReference, currency: string): Promise<string> {
  if (member.payout_wallet_id !== null) return member.payout_wallet_id;
  const { runtime, db } = deps.foundation;
  const wanted = { id: runtime.newId(), user_id: member.user_id, currency, now: runtime.clock() };
  return (await openWallet(db.manager, wanted)).id;
}
