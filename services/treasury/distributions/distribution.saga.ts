import type { Decision } from '../../../lib/contracts/approvals.ts';
import { requestApproval } from '../../../lib/contracts/governance.ts';
import { metadataMember } from '../../../lib/contracts/metadata.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import { createSaga, type Move, type Step } from '../../../lib/saga/saga.ts';
import type { SagaTimings } from '../../../lib/saga/timings.ts';
import { callOrRefusal } from '../../../lib/service/call.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import { decisionOf, type BoardSaga } from '../approvals/board-request.ts';
import type { LedgerWriter } from '../ledger/ledger-writer.ts';
import {
  distributionPayload,
  paymentPosting,
  releasePosting,
  reservedBy,
  reservePosting,
  returnPosting,
} from './distribution.rules.ts';
import { DISTRIBUTION_STATES, distributions, type Distribution, type DistributionState } from './distribution.table.ts';

type DistributionStep = Step<DistributionState, Distribution>;
type DistributionMove = Move<DistributionState, Distribution>;
export type DistributionSaga = BoardSaga<DistributionState, Distribution>;

/** Creates the saga of distributions: it reserves the funds, opens the approval, then pays or releases the funds. */
export function createDistributionSaga(
  context: ServiceContext,
  timings: SagaTimings,
  ledger: LedgerWriter,
): DistributionSaga {
  const { clock } = context.runtime;

  const reserve: DistributionStep = async (distribution) => {
    const outcome = await ledger.post(reservePosting(distribution));
    if (outcome.status === 'conflict') {
      throw new Error(`The id of distribution ${distribution.id} is already used by another transfer`);
    }
    if (outcome.status === 'refused') return { to: 'refused', set: { refusal: outcome.refusal } };
    return { to: 'requesting', set: reservedBy(outcome.transfer.legs) };
  };

  const openApproval: DistributionStep = async (distribution, { via }) => {
    const request = {
      association_id: distribution.association_id,
      subject_type: 'distribution' as const,
      requested_by_member_id: distribution.requested_by_member_id,
      concerned_member_id: distribution.beneficiary_member_id,
      approval_id: distribution.approval_id,
      subject_id: distribution.id,
      payload: distributionPayload(distribution),
    };
    const { refusal } = await callOrRefusal(via, requestApproval, request, timings.call_timeout_ms);
    return refusal === undefined ? moveToPending(distribution) : { to: 'withdrawing', set: { refusal } };
  };

  const withdraw: DistributionStep = async (distribution) => {
    const outcome = await ledger.post(releasePosting(distribution));
    if (outcome.status !== 'posted') throw notReturned(distribution);
    return { to: 'refused' };
  };

  const pay: DistributionStep = async (distribution) => {
    const outcome = await ledger.post(paymentPosting(distribution));
    if (outcome.status === 'posted') return moveToPaid(distribution);
    if (outcome.status === 'conflict') return moveToRejected(distribution);
    return { to: 'failing', set: { refusal: outcome.refusal } };
  };

  const release: DistributionStep = async (distribution) => {
    const outcome = await ledger.post(releasePosting(distribution));
    if (outcome.status === 'posted') return moveToRejected(distribution);
    if (outcome.status === 'conflict') return moveToPaid(distribution);
    throw new Error(`The release of distribution ${distribution.id} was refused: ${outcome.refusal.code}`);
  };

  const giveBack: DistributionStep = async (distribution) => {
    const outcome = await ledger.post(returnPosting(distribution));
    if (outcome.status !== 'posted') throw notReturned(distribution);
    const { association_id } = distribution;
    const data = { ...eventDataOf(distribution), code: distribution.refusal?.code ?? 'internal_error' };
    return { to: 'failed', facts: [{ type: 'distribution.failed', association_id, data }] };
  };

  const saga = createSaga(context, timings, {
    name: 'distribution',
    table: distributions,
    states: DISTRIBUTION_STATES,
    steps: {
      reserving: reserve,
      requesting: openApproval,
      withdrawing: withdraw,
      paying: pay,
      failing: giveBack,
      releasing: release,
    },
  });
  const moveByDecision = (_distribution: Distribution, decision: Decision): DistributionMove => ({
    to: decision === 'approved' ? 'paying' : 'releasing',
    set: { decision, decided_at: clock() },
  });
  return { saga, opening: 'requesting', done: ['paid', 'reversed'], moveToPending, moveByDecision, undo };
}

function moveToPending(distribution: Distribution): DistributionMove {
  const { association_id, requested_by_member_id } = distribution;
  const data = { ...eventDataOf(distribution), requested_by_member_id };
  return { to: 'pending_approval', facts: [{ type: 'distribution.requested', association_id, data }] };
}

function undo({ status }: Distribution, refusal: Refusal): DistributionMove | undefined {
  return status === 'requesting' ? { to: 'withdrawing', set: { refusal } } : undefined;
}

function moveToPaid(distribution: Distribution): DistributionMove {
  const { association_id, closing_transfer_id: transfer_id } = distribution;
  const data = { ...eventDataOf(distribution), transfer_id };
  return { to: 'paid', facts: [{ type: 'distribution.paid', association_id, data }] };
}

function moveToRejected(distribution: Distribution): DistributionMove {
  const { association_id } = distribution;
  const data = { ...eventDataOf(distribution), decision: decisionOf(distribution) };
  return { to: 'rejected', facts: [{ type: 'distribution.rejected', association_id, data }] };
}

function notReturned({ id }: Distribution): Error {
  return new Error(`The ledger did not return the reserve of distribution ${id}`);
}

function eventDataOf({ id, beneficiary_member_id, amount, currency, approval_id, metadata }: Distribution) {
  const stated = { distribution_id: id, beneficiary_member_id, amount_minor: Number(amount), currency, approval_id };
  return { ...stated, ...metadataMember(metadata) };
}
