import type { Caller, EndpointInput } from '../../../lib/contracts/action.ts';
import type { MemberReference } from '../../../lib/contracts/membership.ts';
import { storedMetadata } from '../../../lib/contracts/metadata.ts';
import { requestDistribution } from '../../../lib/contracts/treasury.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { implementSaga } from '../../../lib/service/implement-saga.ts';
import { answerLocation, type CallContext } from '../../../lib/service/implement.ts';
import { authorizeRequest, sagaWriteOf, storeRequest } from '../approvals/board-request.ts';
import type { TreasuryDeps } from '../deps.ts';
import { findOrOpenWallet } from '../wallets/wallet.store.ts';
import { distributions, type Distribution } from './distribution.table.ts';
import { showDistribution } from './distribution.view.ts';

/** Requests the board's approval to pay a member from the treasury. The funds are set aside immediately. */
export const requestDistributionAction = (deps: TreasuryDeps) =>
  implementSaga(deps, requestDistribution, {
    ...sagaWriteOf(deps.distributions),
    begin: (input, caller, ctx, operation) => begin(deps, input, caller, ctx, operation),
    answer(distribution, ctx) {
      answerLocation(ctx, `/associations/${distribution.association_id}/distributions/${distribution.id}`);
      return showDistribution(distribution);
    },
  });

/** @throws what authorizeRequest() and storeRequest() throw */
async function begin(
  deps: TreasuryDeps,
  { path: { association_id }, body }: EndpointInput<typeof requestDistribution>,
  caller: Caller,
  ctx: CallContext,
  operation: Operation,
): Promise<Distribution> {
  const { newId, clock } = deps.runtime;
  const { amount, reason, beneficiary_member_id: member_id } = body;
  const request = { association_id, subject_type: 'distribution', permission: 'request_distribution' } as const;
  const authorized = await authorizeRequest(ctx, caller, { ...request, member_id, amount }, deps.timings);
  const { currency } = authorized;
  const now = clock();
  const distribution: Distribution = {
    id: operation.id,
    association_id,
    beneficiary_member_id: authorized.member.member_id,
    payout_wallet_id: await findOrOpenPayoutWallet(deps, authorized.member, currency),
    amount: authorized.amount,
    currency,
    reason,
    status: 'reserving',
    approval_id: newId(),
    closing_transfer_id: newId(),
    return_transfer_id: newId(),
    reserved_emoney: 0n,
    reserved_cash: 0n,
    requested_by_member_id: authorized.requested_by_member_id,
    requested_at: now,
    last_attempt_at: now,
    decision: null,
    decided_at: null,
    refusal: null,
    metadata: storedMetadata(body.metadata),
  };
  return storeRequest(deps, distributions, distribution, authorized, operation);
}

/** Returns the member's payout wallet. If they have chosen none, returns their own wallet, opening it if needed. */
async function findOrOpenPayoutWallet(
  { db, runtime }: TreasuryDeps,
  { payout_wallet_id, user_id }: MemberReference,
  currency: string,
): Promise<string> {
  if (payout_wallet_id !== null) return payout_wallet_id;
  return (await findOrOpenWallet(db, { id: runtime.newId(), user_id, currency, now: runtime.clock() })).id;
}
