import { decideCash, takeCash } from '../../../lib/contracts/contribution.ts';
import { requestApproval } from '../../../lib/contracts/governance.ts';
import { metadataMember } from '../../../lib/contracts/metadata.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import { createSaga, type Move, type Step } from '../../../lib/saga/saga.ts';
import type { SagaTimings } from '../../../lib/saga/timings.ts';
import { call, callOrRefusal, type CanCall } from '../../../lib/service/call.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import { decisionOf, type BoardSaga } from '../approvals/board-request.ts';
import type { LedgerWriter } from '../ledger/ledger-writer.ts';
import { cashDepositPayload, cashDepositPosting } from './cash-deposit.rules.ts';
import { CASH_DEPOSIT_STATES, cashDeposits, type CashDeposit, type CashDepositState } from './cash-deposit.table.ts';

type CashStep = Step<CashDepositState, CashDeposit>;
type CashMove = Move<CashDepositState, CashDeposit>;
export type CashDepositSaga = BoardSaga<CashDepositState, CashDeposit>;

/**
 * Creates the saga of cash deposits: it opens the approval and, after the decision, posts or rejects the deposit. A
 * deposit for a meeting first takes the due in the contribution service, and at the end notifies that service of the
 * decision.
 */
export function createCashDepositSaga(
  context: ServiceContext,
  timings: SagaTimings,
  ledger: LedgerWriter,
): CashDepositSaga {
  const { call_timeout_ms } = timings;

  const takeDue: CashStep = async (deposit, { via }) => {
    const { id: contribution_id, association_id, meeting_id, member_id, amount, currency, metadata } = deposit;
    if (meeting_id === null) throw new Error(`Cash deposit ${contribution_id} is not for a meeting`);
    const amount_minor = Number(amount);
    const cash = { contribution_id, member_id, amount_minor, currency, ...metadataMember(metadata) };
    const { refusal } = await callOrRefusal(via, takeCash, { association_id, meeting_id, ...cash }, call_timeout_ms);
    return refusal === undefined ? { to: 'recording' } : { to: 'refused', set: { refusal } };
  };

  const openApproval: CashStep = async (deposit, { via }) => {
    const request = {
      association_id: deposit.association_id,
      subject_type: 'cash_deposit' as const,
      requested_by_member_id: deposit.recorded_by_member_id,
      concerned_member_id: deposit.member_id,
      approval_id: deposit.approval_id,
      subject_id: deposit.id,
      payload: cashDepositPayload(deposit),
    };
    const { refusal } = await callOrRefusal(via, requestApproval, request, call_timeout_ms);
    return refusal === undefined ? moveToPending(deposit) : moveTowardsRefused(deposit, refusal);
  };

  const post: CashStep = async (deposit) => {
    const outcome = await ledger.post(cashDepositPosting(deposit));
    if (outcome.status === 'conflict') {
      throw new Error(`The id of cash deposit ${deposit.id} is already used by another transfer`);
    }
    if (outcome.status === 'refused') return moveTowardsRejected(deposit, { refusal: outcome.refusal });
    return deposit.meeting_id === null ? moveToConfirmed(deposit) : { to: 'crediting' };
  };

  /** Contribution never refuses this call: it keeps the decision even if it has no due of this deposit. */
  async function notifyContribution(via: CanCall, deposit: CashDeposit, paid: boolean): Promise<void> {
    const { association_id, id: contribution_id, refusal, decision } = deposit;
    const code = paid ? null : (refusal?.code ?? decision);
    await call(via, decideCash, { association_id, contribution_id, paid, code }, call_timeout_ms);
  }

  const saga = createSaga(context, timings, {
    name: 'cash_deposit',
    table: cashDeposits,
    states: CASH_DEPOSIT_STATES,
    steps: {
      taking: takeDue,
      recording: openApproval,
      withdrawing: async (deposit, { via }) => {
        await notifyContribution(via, deposit, false);
        return { to: 'refused' };
      },
      confirming: post,
      crediting: async (deposit, { via }) => {
        await notifyContribution(via, deposit, true);
        return moveToConfirmed(deposit);
      },
      dropping: async (deposit, { via }) => {
        await notifyContribution(via, deposit, false);
        return moveToRejected(deposit, {});
      },
    },
  });
  return { saga, opening: 'recording', done: ['confirmed', 'reversed'], moveToPending, moveByDecision, undo };
}

function moveToPending(deposit: CashDeposit): CashMove {
  const { association_id, recorded_by_member_id } = deposit;
  const data = { ...eventDataOf(deposit), recorded_by_member_id };
  return { to: 'pending_approval', facts: [{ type: 'cash.recorded', association_id, data }] };
}

function moveByDecision(deposit: CashDeposit, decision: NonNullable<CashDeposit['decision']>): CashMove {
  return decision === 'approved' ? { to: 'confirming', set: { decision } } : moveTowardsRejected(deposit, { decision });
}

function undo(deposit: CashDeposit, refusal: Refusal): CashMove | undefined {
  return deposit.status === 'taking' || deposit.status === 'recording'
    ? moveTowardsRefused(deposit, refusal)
    : undefined;
}

/**
 * For a deposit whose approval is not opened. A due that the deposit has taken, or that a late call of another attempt may still
 * take, is given back first.
 */
function moveTowardsRefused({ meeting_id }: CashDeposit, refusal: Refusal): CashMove {
  return { to: meeting_id === null ? 'refused' : 'withdrawing', set: { refusal } };
}

function moveToConfirmed(deposit: CashDeposit): CashMove {
  const { id: transfer_id, association_id } = deposit;
  const data = { ...eventDataOf(deposit), transfer_id };
  return { to: 'confirmed', facts: [{ type: 'cash.confirmed', association_id, data }] };
}

type Reason = Pick<Partial<CashDeposit>, 'decision' | 'refusal'>;

/** For a deposit that the board or the ledger refused. A due that the deposit has taken is given back first. */
function moveTowardsRejected(deposit: CashDeposit, reason: Reason): CashMove {
  return deposit.meeting_id === null ? moveToRejected(deposit, reason) : { to: 'dropping', set: reason };
}

function moveToRejected(deposit: CashDeposit, reason: Reason): CashMove {
  const { association_id } = deposit;
  const data = { ...eventDataOf(deposit), decision: decisionOf({ ...deposit, ...reason }) };
  return { to: 'rejected', set: reason, facts: [{ type: 'cash.rejected', association_id, data }] };
}

function eventDataOf({ id, meeting_id, member_id, amount, currency, approval_id, metadata }: CashDeposit) {
  const stated = { cash_deposit_id: id, meeting_id, member_id, amount_minor: Number(amount), currency, approval_id };
  return { ...stated, ...metadataMember(metadata) };
}
