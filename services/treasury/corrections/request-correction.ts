import type { Caller, EndpointInput } from '../../../lib/contracts/action.ts';
import { checkReversal } from '../../../lib/contracts/contribution.ts';
import { checkEligibility } from '../../../lib/contracts/governance.ts';
import { roster, type Authorization } from '../../../lib/contracts/membership.ts';
import { requestCorrection } from '../../../lib/contracts/treasury.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { isRace } from '../../../lib/db/errors.ts';
import { insertRows } from '../../../lib/db/table.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { areLocked, membershipSubject, storeWhenUnlocked } from '../../../lib/locks/locks.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import { implementSaga } from '../../../lib/service/implement-saga.ts';
import { answerLocation, type CallContext } from '../../../lib/service/implement.ts';
import { sagaWriteOf } from '../approvals/board-request.ts';
import type { TreasuryDeps } from '../deps.ts';
import { amountOf, beneficiaryOf, REVERSIBLE } from './correction.rules.ts';
import { findPosted, isCorrected, type PostedTransfer } from './correction.store.ts';
import { corrections, type Correction } from './correction.table.ts';
import { showCorrection } from './correction.view.ts';

/** Requests the board's approval to reverse a transfer. Nothing changes until it is approved. */
export const requestCorrectionAction = (deps: TreasuryDeps) =>
  implementSaga(deps, requestCorrection, {
    ...sagaWriteOf(deps.corrections),
    begin: (input, caller, ctx, operation) => begin(deps, input, caller, ctx, operation),
    answer(correction, ctx) {
      answerLocation(ctx, `/associations/${correction.association_id}/corrections/${correction.id}`);
      return showCorrection(correction);
    },
  });

/** @throws not_found, not_reversible, already_reversed, meeting_not_open, no_eligible_approver, and what membership refuses */
async function begin(
  deps: TreasuryDeps,
  { path: { association_id }, body }: EndpointInput<typeof requestCorrection>,
  caller: Caller,
  ctx: CallContext,
  operation: Operation,
): Promise<Correction> {
  const { transfer_id, reason, pin } = body;
  const found = await findPosted(deps.db, transfer_id);
  const posted = found?.association_id === association_id ? found : undefined;
  const member_ids = posted?.member_id == null ? [] : [posted.member_id];
  const authorize = (sealed?: { pin: string }) =>
    authorizeCaller(ctx, caller, association_id, 'correct', { ...sealed, member_ids });
  const authorization = await authorize({ pin });
  if (posted === undefined) {
    throw problem((await isOfMembersWallet(ctx, association_id, found)) ? 'not_reversible' : 'not_found');
  }
  await requireReversible(deps, ctx, association_id, posted);

  const correction = newCorrection(deps, operation.id, association_id, reason, posted, authorization);
  const { requested_by_member_id } = correction;
  const request = { association_id, subject_type: 'correction' as const, requested_by_member_id };
  const asked = { ...request, concerned_member_id: beneficiaryOf(correction) };
  await call(ctx, checkEligibility, asked, deps.timings.call_timeout_ms);
  await store(deps, correction, authorization, authorize, operation);
  return correction;
}

/** Whether it is the deposit or withdrawal of a member's wallet, which belongs to no association. */
async function isOfMembersWallet(
  ctx: CallContext,
  association_id: string,
  found: PostedTransfer | undefined,
): Promise<boolean> {
  if (found?.association_id !== null) return false;
  const { members } = await call(ctx, roster, { association_id });
  return members.some(({ user_id }) => user_id === found.owner_user_id);
}

/** @throws not_reversible, already_reversed, meeting_not_open */
async function requireReversible(
  { db, timings }: TreasuryDeps,
  ctx: CallContext,
  association_id: string,
  { id: transfer_id, kind }: PostedTransfer,
): Promise<void> {
  const record = REVERSIBLE[kind];
  if (record === null) throw problem('not_reversible');
  if (await isCorrected(db, transfer_id)) throw problem('already_reversed');
  if (record.contribution) await call(ctx, checkReversal, { association_id, transfer_id }, timings.call_timeout_ms);
}

function newCorrection(
  { runtime }: TreasuryDeps,
  id: string,
  association_id: string,
  reason: string,
  { id: transfer_id, kind, legs, currency, member_id }: PostedTransfer,
  { member }: Authorization,
): Correction {
  const now = runtime.clock();
  return {
    id,
    association_id,
    transfer_id,
    kind,
    amount: amountOf(legs),
    currency,
    reason,
    member_id,
    reserve_reversal_id: runtime.newId(),
    status: 'recording',
    approval_id: runtime.newId(),
    requested_by_member_id: member.member_id,
    requested_at: now,
    last_attempt_at: now,
    decision: null,
    decided_at: null,
    refusal: null,
  };
}

/**
 * Stores a new correction, unless its association or its member's membership is ending. The member may have left before.
 * @throws already_reversed if another correction of the transfer was stored first; what `authorize` throws
 */
async function store(
  { db, timings }: TreasuryDeps,
  correction: Correction,
  authorization: Authorization,
  authorize: () => Promise<Authorization>,
  { hold }: Operation,
): Promise<void> {
  let current = authorization;
  const subjectsOf = ({ members }: Authorization) =>
    members.filter(({ status }) => status === 'active').map(membershipSubject);
  const gate = {
    isLocked: (tx: Transaction) => areLocked(tx, correction.association_id, ...subjectsOf(current)),
    checkStillAllowed: async () => {
      current = await authorize();
    },
    wait_ms: timings.lock_wait_ms,
  };
  try {
    await storeWhenUnlocked(db, gate, async (tx) => {
      await hold(tx);
      await insertRows(tx, corrections, [correction]);
    });
  } catch (error) {
    if (isRace(error) && (await isCorrected(db, correction.transfer_id))) throw problem('already_reversed');
    throw error;
  }
}
