import { finishReversal, takeBack } from '../../../lib/contracts/contribution.ts';
import { requestApproval } from '../../../lib/contracts/governance.ts';
import type { Db, Transaction } from '../../../lib/db/db.ts';
import { problem, type Refusal } from '../../../lib/errors/problem.ts';
import { createSaga, type Move, type Step } from '../../../lib/saga/saga.ts';
import type { SagaTimings } from '../../../lib/saga/timings.ts';
import { call, callOrRefusal, type CanCall } from '../../../lib/service/call.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import type { BoardSaga } from '../approvals/board-request.ts';
import type { CashDepositSaga } from '../cash/cash-deposit.saga.ts';
import { findDeposit } from '../cash/cash-deposit.store.ts';
import type { DistributionSaga } from '../distributions/distribution.saga.ts';
import { findByPayment } from '../distributions/distribution.store.ts';
import type { LedgerWriter } from '../ledger/ledger-writer.ts';
import { correctionPayload, beneficiaryOf, reversalPosting, undoneWith } from './correction.rules.ts';
import { readReversed } from './correction.store.ts';
import { CORRECTION_STATES, corrections, type Correction, type CorrectionState } from './correction.table.ts';

type CorrectionStep = Step<CorrectionState, Correction>;
type CorrectionMove = Move<CorrectionState, Correction>;
export type CorrectionSaga = BoardSaga<CorrectionState, Correction>;

/** The sagas of the treasury's own records that a correction marks as reversed. */
interface OwnRecords {
  cashDeposits: CashDepositSaga;
  distributions: DistributionSaga;
}

/**
 * Creates the saga of corrections: it opens the approval and, once approved, has contribution take back what the
 * transfer has paid, posts the reversal, and tells contribution whether it is posted.
 */
export function createCorrectionSaga(
  context: ServiceContext,
  timings: SagaTimings,
  ledger: LedgerWriter,
  own: OwnRecords,
): CorrectionSaga {
  const { db, runtime } = context;
  const { call_timeout_ms } = timings;
  const { post, postReserve, moveToDone } = createReversing(db, ledger, own);

  const openApproval: CorrectionStep = async (correction, { via }) => {
    const { association_id, requested_by_member_id, approval_id, id: subject_id } = correction;
    const request = {
      association_id,
      subject_type: 'correction' as const,
      requested_by_member_id,
      concerned_member_id: beneficiaryOf(correction),
      approval_id,
      subject_id,
      payload: correctionPayload(correction),
    };
    const { refusal } = await callOrRefusal(via, requestApproval, request, call_timeout_ms);
    return refusal === undefined ? moveToPending() : { to: 'refused', set: { refusal } };
  };

  const takeBackInContribution: CorrectionStep = async ({ id, association_id, transfer_id }, { via }) => {
    const input = { association_id, transfer_id, correction_id: id };
    const { refusal } = await callOrRefusal(via, takeBack, input, call_timeout_ms);
    return refusal === undefined ? { to: 'posting' } : { to: 'failed', set: { refusal } };
  };

  async function tellContribution(via: CanCall, { id, association_id }: Correction, reversed: boolean): Promise<void> {
    await call(via, finishReversal, { association_id, correction_id: id, reversed }, call_timeout_ms);
  }

  const saga = createSaga(context, timings, {
    name: 'correction',
    table: corrections,
    states: CORRECTION_STATES,
    steps: {
      recording: openApproval,
      taking_back: takeBackInContribution,
      posting: post,
      posting_reserve: postReserve,
      finishing: async (correction, { via }) => {
        await tellContribution(via, correction, true);
        return moveToDone(correction);
      },
      restoring: async (correction, { via }) => {
        await tellContribution(via, correction, false);
        return { to: 'failed' };
      },
    },
  });
  const moveByDecision: CorrectionSaga['moveByDecision'] = ({ kind }, decision) => {
    const set = { decision, decided_at: runtime.clock() };
    if (decision !== 'approved') return { to: 'rejected', set };
    return { to: undoneWith(kind).contribution ? 'taking_back' : 'posting', set };
  };
  return { saga, opening: 'recording', done: ['done'], moveToPending, moveByDecision, undo };
}

/** Returns the steps that post reversals, and the move that ends a correction whose reversal is posted. */
function createReversing(db: Db, ledger: LedgerWriter, own: OwnRecords) {
  const post: CorrectionStep = async (correction) => {
    const { id, association_id, transfer_id, kind } = correction;
    await requireEndedRecord(correction);
    const outcome = await ledger.post(reversalPosting(id, await readReversed(db, association_id, transfer_id)));
    if (outcome.status === 'conflict')
      throw new Error(`The id of correction ${id} is already used by another transfer`);
    const { contribution, own: record } = undoneWith(kind);
    if (outcome.status === 'refused') {
      return { to: contribution ? 'restoring' : 'failed', set: { refusal: outcome.refusal } };
    }
    if (record === 'distribution') return { to: 'posting_reserve' };
    return contribution ? { to: 'finishing' } : moveToDone(correction);
  };

  /** The payment is in the reserve again, and only this correction takes it from there: it cannot be short. */
  const postReserve: CorrectionStep = async (correction) => {
    const { association_id, transfer_id, reserve_reversal_id } = correction;
    const { id: reserve_id } = await findByPayment(db, transfer_id);
    const reserve = await readReversed(db, association_id, reserve_id);
    const outcome = await ledger.post(reversalPosting(reserve_reversal_id, reserve));
    if (outcome.status !== 'posted') throw new Error(`The ledger did not return the reserve of ${reserve_id}`);
    return moveToDone(correction);
  };

  /** @throws service_unavailable while the deposit or distribution has moved its money and is not marked as done yet */
  async function requireEndedRecord({ kind, transfer_id }: Correction): Promise<void> {
    const { own: record } = undoneWith(kind);
    if (record === null) return;
    const { status } =
      record === 'cash_deposit' ? await findDeposit(db, transfer_id) : await findByPayment(db, transfer_id);
    if (status !== 'confirmed' && status !== 'paid') throw problem('service_unavailable');
  }

  /** Marks the treasury's own record as reversed. Only this correction changes it. */
  async function markReversed(tx: Transaction, { id, kind, transfer_id }: Correction): Promise<void> {
    const { own: record } = undoneWith(kind);
    if (record === null) return;
    const moved =
      record === 'cash_deposit'
        ? await own.cashDeposits.saga.moveWithin(tx, await findDeposit(tx, transfer_id), { to: 'reversed' })
        : await own.distributions.saga.moveWithin(tx, await findByPayment(tx, transfer_id), { to: 'reversed' });
    if (moved === undefined) throw new Error(`The ${record} of correction ${id} was changed by another process`);
  }

  function moveToDone(correction: Correction): CorrectionMove {
    const { id, association_id, transfer_id, kind, approval_id } = correction;
    const data = { transfer_id, kind, reversal_transfer_id: id, correction_id: id, approval_id };
    const facts = [{ type: 'transfer.reversed' as const, association_id, data }];
    return { to: 'done', facts, also: (tx) => markReversed(tx, correction) };
  }

  return { post, postReserve, moveToDone };
}

function moveToPending(): CorrectionMove {
  return { to: 'pending_approval' };
}

function undo({ status }: Correction, refusal: Refusal): CorrectionMove | undefined {
  return status === 'recording' ? { to: 'refused', set: { refusal } } : undefined;
}
