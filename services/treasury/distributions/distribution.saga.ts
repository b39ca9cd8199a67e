import type { CanCall } from '../../../lib/service/call.ts';
import type { CommandInput } from '../../../lib/contracts/action.ts';
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import type { executeApproval } from '../../../lib/contracts/treasury.ts';
import {
  DISTRIBUTION_TRANSITIONS,
  DISTRIBUTION_UNFINISHED,
  distributionPayload,
  paymentPosting,
  releasePosting,
  reservedBy,
  reservePosting,
  returnPosting,
} from './distribution.rules.ts';
import type { Distribution, DistributionState } from './distribution.rules.ts';
import type { Refusal } from '../ledger/posting.rules.ts';
import { DistributionEntity } from './distribution.table.ts';
import type { LedgerWriter } from '../ledger/ledger-writer.ts';
import { Plans } from '../approvals/plans.ts';
import { PlanSaga } from '../approvals/plan-saga.ts';
import type { SagaDeps, Step } from '../approvals/plan-saga.ts';

type Steps = Partial<Record<DistributionState, Step<Distribution>>>;

/** A distribution from its request to its end: reserved, approval opened, decided, paid or released. */
export class DistributionSaga extends PlanSaga<DistributionState, Distribution> {
  readonly #ledger: LedgerWriter;

  protected readonly steps: Steps = {
    reserving: (_via, distribution) => this.#reserve(distribution),
    requesting: (via, distribution) => this.#requestApproval(via, distribution),
    withdrawing: (_via, distribution) => this.#withdraw(distribution),
    paying: (_via, distribution) => this.#pay(distribution),
    failing: (_via, distribution) => this.#giveBack(distribution),
    releasing: (_via, distribution) => this.#release(distribution),
  };

  constructor(deps: SagaDeps, ledger: LedgerWriter) {
    super('distribution', deps, new Plans(DistributionEntity, DISTRIBUTION_TRANSITIONS), DISTRIBUTION_UNFINISHED);
    this.#ledger = ledger;
  }

  /** Carries out the board's decision, once however often it comes. */
  async execute(via: CanCall, input: CommandInput<typeof executeApproval>): Promise<ExecutionOutcome> {
    const { subject_id: id, association_id, approval_id, decision } = input;
    const stored = await this.plans.find(this.deps.foundation.db.manager, { id, association_id, approval_id });
    if (stored === null) return { status: 'failed', error: 'not_found' };
    // What was decided was opened, even if the answer to the opening never came back.
    const opened = stored.status === 'requesting' ? await this.#opened(stored) : stored;
    const decided = opened.status === 'pending_approval' ? await this.#decide(opened, decision) : opened;
    await this.reached('decision_stored');
    return outcomeOf(await this.advance(via, decided), decision);
  }

  protected async takeBack(distribution: Distribution, refusal: Refusal): Promise<Distribution> {
    return distribution.status === 'requesting' ? this.move(distribution, 'withdrawing', { refusal }) : distribution;
  }

  protected refusalOf(distribution: Distribution): Refusal | null {
    return ['withdrawing', 'refused'].includes(distribution.status) ? distribution.refusal : null;
  }

  async #reserve(distribution: Distribution): Promise<Distribution> {
    const outcome = await this.#ledger.post(reservePosting(distribution));
    await this.reached('reserve_posted');
    if (outcome.status === 'conflict') throw new Error(`The id of distribution ${distribution.id} was used otherwise`);
    if (outcome.status === 'refused') return this.move(distribution, 'refused', { refusal: outcome.refusal });
    const moved = await this.move(distribution, 'requesting', reservedBy(outcome.transfer.legs));
    await this.reached('reserve_stored');
    return moved;
  }

  async #requestApproval(via: CanCall, distribution: Distribution): Promise<Distribution> {
    const refusal = await this.openApproval(via, {
      association_id: distribution.association_id,
      subject_type: 'distribution',
      requested_by_member_id: distribution.requested_by_member_id,
      concerned_member_id: distribution.beneficiary_member_id,
      approval_id: distribution.approval_id,
      subject_id: distribution.id,
      payload: distributionPayload(distribution),
    });
    await this.reached('approval_opened');
    return refusal === undefined ? this.#opened(distribution) : this.move(distribution, 'withdrawing', { refusal });
  }

  #opened(distribution: Distribution): Promise<Distribution> {
    const { association_id, requested_by_member_id } = distribution;
    const data = { ...factOf(distribution), requested_by_member_id };
    return this.move(distribution, 'pending_approval', {}, { type: 'distribution.requested', association_id, data });
  }

  #decide(distribution: Distribution, decision: CommandInput<typeof executeApproval>['decision']) {
    const decided_at = this.deps.foundation.runtime.clock();
    return this.move(distribution, decision === 'approved' ? 'paying' : 'releasing', { decision, decided_at });
  }

  async #pay(distribution: Distribution): Promise<Distribution> {
    const outcome = await this.#ledger.post(paymentPosting(distribution));
    await this.reached('payment_posted');
    if (outcome.status === 'posted') return this.#paid(distribution);
    if (outcome.status === 'conflict') return this.#rejected(distribution);
    return this.move(distribution, 'failing', { refusal: outcome.refusal });
  }

  async #release(distribution: Distribution): Promise<Distribution> {
    const outcome = await this.#ledger.post(releasePosting(distribution));
    await this.reached('release_posted');
    if (outcome.status === 'posted') return this.#rejected(distribution);
    if (outcome.status === 'conflict') return this.#paid(distribution);
    throw new Error(`The release of distribution ${distribution.id} was refused: ${outcome.refusal.code}`);
  }

  async #giveBack(distribution: Distribution): Promise<Distribution> {
    const outcome = await this.#ledger.post(returnPosting(distribution));
    await this.reached('return_posted');
    if (outcome.status !== 'posted') throw new Error(`The reserve of distribution ${distribution.id} did not go back`);
    const { association_id } = distribution;
    const data = { ...factOf(distribution), code: distribution.refusal?.code ?? 'internal_error' };
    return this.move(distribution, 'failed', {}, { type: 'distribution.failed', association_id, data });
  }

  async #withdraw(distribution: Distribution): Promise<Distribution> {
    const outcome = await this.#ledger.post(releasePosting(distribution));
    await this.reached('withdrawal_posted');
    if (outcome.status !== 'posted') throw new Error(`The reserve of distribution ${distribution.id} did not go back`);
    return this.move(distribution, 'refused');
  }

  #paid(distribution: Distribution): Promise<Distribution> {
    const { association_id, closing_transfer_id: transfer_id } = distribution;
    const data = { ...factOf(distribution), transfer_id };
    return this.move(distribution, 'paid', {}, { type: 'distribution.paid', association_id, data });
  }

  #rejected(distribution: Distribution): Promise<Distribution> {
    const { association_id } = distribution;
    const data = { ...factOf(distribution), decision: distribution.decision ?? 'rejected' };
    return this.move(distribution, 'rejected', {}, { type: 'distribution.rejected', association_id, data });
  }
}

function factOf(distribution: Distribution) {
  const { id, beneficiary_member_id, currency, approval_id } = distribution;
  const amount_minor = Number(distribution.amount);
  return { distribution_id: id, beneficiary_member_id, amount_minor, currency, approval_id };
}

function outcomeOf(distribution: Distribution, decision: string): ExecutionOutcome {
  if (distribution.refusal !== null) return { status: 'failed', error: distribution.refusal.code };
  const done = distribution.status === (decision === 'approved' ? 'paid' : 'rejected');
  return done ? { status: 'done', error: null } : { status: 'failed', error: 'approval_not_pending' };
}
