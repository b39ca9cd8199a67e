import type { CanCall } from '../../../lib/actions/call.ts';
import type { CommandInput } from '../../../lib/contracts/action.ts';
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import type { executeApproval } from '../../../lib/contracts/treasury.ts';
import {
  CASH_DEPOSIT_TRANSITIONS,
  CASH_DEPOSIT_UNFINISHED,
  cashDepositPayload,
  cashDepositPosting,
} from '../domain/cash-deposit.ts';
import type { CashDeposit, CashDepositState } from '../domain/cash-deposit.ts';
import type { Refusal } from '../domain/posting.ts';
import { CashDepositEntity } from '../persistence/cash-deposit.entity.ts';
import type { LedgerWriter } from '../persistence/ledger/ledger-writer.ts';
import { Plans } from '../persistence/plans.ts';
import { PlanSaga } from './plan-saga.ts';
import type { SagaDeps, Step } from './plan-saga.ts';

/** A cash deposit from its record to the ledger: approval opened, decided, posted or dropped. */
export class CashDepositSaga extends PlanSaga<CashDepositState, CashDeposit> {
  readonly #ledger: LedgerWriter;

  protected readonly steps: Partial<Record<CashDepositState, Step<CashDeposit>>> = {
    recording: (via, deposit) => this.#requestApproval(via, deposit),
    confirming: (_via, deposit) => this.#confirm(deposit),
  };

  constructor(deps: SagaDeps, ledger: LedgerWriter) {
    super('cash', deps, new Plans(CashDepositEntity, CASH_DEPOSIT_TRANSITIONS), CASH_DEPOSIT_UNFINISHED);
    this.#ledger = ledger;
  }

  /** Carries out the board's decision, once however often it comes. */
  async execute(via: CanCall, input: CommandInput<typeof executeApproval>): Promise<ExecutionOutcome> {
    const { subject_id: id, association_id, approval_id, decision } = input;
    const stored = await this.plans.find(this.deps.foundation.db.manager, { id, association_id, approval_id });
    if (stored === null) return { status: 'failed', error: 'not_found' };
    // What was decided was opened, even if the answer to the opening never came back.
    const opened = stored.status === 'recording' ? await this.#opened(stored) : stored;
    const decided = opened.status === 'pending_approval' ? await this.#decide(opened, decision) : opened;
    await this.reached('decision_stored');
    return outcomeOf(await this.advance(via, decided), decision);
  }

  protected async takeBack(_via: CanCall, deposit: CashDeposit, refusal: Refusal): Promise<void> {
    if (deposit.status === 'recording') await this.move(deposit, 'refused', { refusal });
  }

  protected refusalOf(deposit: CashDeposit): Refusal | null {
    return deposit.status === 'refused' ? deposit.refusal : null;
  }

  async #requestApproval(via: CanCall, deposit: CashDeposit): Promise<CashDeposit> {
    const refusal = await this.openApproval(via, {
      association_id: deposit.association_id,
      subject_type: 'cash_deposit',
      requested_by_member_id: deposit.recorded_by_member_id,
      concerned_member_id: deposit.member_id,
      approval_id: deposit.approval_id,
      subject_id: deposit.id,
      payload: cashDepositPayload(deposit),
    });
    await this.reached('approval_opened');
    return refusal === undefined ? this.#opened(deposit) : this.move(deposit, 'refused', { refusal });
  }

  #opened(deposit: CashDeposit): Promise<CashDeposit> {
    const data = { ...factOf(deposit), recorded_by_member_id: deposit.recorded_by_member_id };
    const { association_id } = deposit;
    return this.move(deposit, 'pending_approval', {}, { type: 'cash.recorded', association_id, data });
  }

  #decide(deposit: CashDeposit, decision: CommandInput<typeof executeApproval>['decision']): Promise<CashDeposit> {
    if (decision === 'approved') return this.move(deposit, 'confirming', { decision });
    const { association_id } = deposit;
    const data = { ...factOf(deposit), decision };
    return this.move(deposit, 'rejected', { decision }, { type: 'cash.rejected', association_id, data });
  }

  async #confirm(deposit: CashDeposit): Promise<CashDeposit> {
    const outcome = await this.#ledger.post(cashDepositPosting(deposit));
    await this.reached('posted');
    const { association_id } = deposit;
    if (outcome.status === 'posted') {
      const data = { ...factOf(deposit), transfer_id: outcome.transfer.id };
      return this.move(deposit, 'confirmed', {}, { type: 'cash.confirmed', association_id, data });
    }
    if (outcome.status === 'conflict') throw new Error(`The id of cash deposit ${deposit.id} was used otherwise`);
    const { refusal } = outcome;
    const data = { ...factOf(deposit), decision: 'approved' as const };
    return this.move(deposit, 'rejected', { refusal }, { type: 'cash.rejected', association_id, data });
  }
}

function factOf(deposit: CashDeposit) {
  const { id, member_id, currency, approval_id } = deposit;
  return { cash_deposit_id: id, member_id, amount_minor: Number(deposit.amount), currency, approval_id };
}

function outcomeOf(deposit: CashDeposit, decision: string): ExecutionOutcome {
  if (deposit.refusal !== null) return { status: 'failed', error: deposit.refusal.code };
  const done = deposit.status === (decision === 'approved' ? 'confirmed' : 'rejected');
  return done ? { status: 'done', error: null } : { status: 'failed', error: 'approval_not_pending' };
}
