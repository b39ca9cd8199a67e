import { call } from '../../../lib/service/call.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import type { CommandInput } from '../../../lib/contracts/action.ts';
import type { Decision, ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import { decideCash, takeCash } from '../../../lib/contracts/contribution.ts';
import type { executeApproval } from '../../../lib/contracts/treasury.ts';
import {
  CASH_DEPOSIT_TRANSITIONS,
  CASH_DEPOSIT_UNFINISHED,
  cashDepositPayload,
  cashDepositPosting,
} from './cash-deposit.rules.ts';
import type { CashDeposit, CashDepositState } from './cash-deposit.rules.ts';
import type { Refusal } from '../ledger/posting.rules.ts';
import { CashDepositEntity } from './cash-deposit.table.ts';
import type { LedgerWriter } from '../ledger/ledger-writer.ts';
import { Plans } from '../approvals/plans.ts';
import { PlanSaga } from '../approvals/plan-saga.ts';
import type { SagaDeps, Step } from '../approvals/plan-saga.ts';

/**
 * A cash deposit from its record to the ledger: approval opened, decided, posted or dropped. One for a meeting takes the
 * due there before, and tells the contribution service how it ended.
 */
export class CashDepositSaga extends PlanSaga<CashDepositState, CashDeposit> {
  readonly #ledger: LedgerWriter;

  protected readonly steps: Partial<Record<CashDepositState, Step<CashDeposit>>> = {
    taking: (via, deposit) => this.#takeDue(via, deposit),
    recording: (via, deposit) => this.#requestApproval(via, deposit),
    withdrawing: (via, deposit) => this.#withdraw(via, deposit),
    confirming: (_via, deposit) => this.#confirm(deposit),
    crediting: (via, deposit) => this.#credit(via, deposit),
    dropping: (via, deposit) => this.#drop(via, deposit),
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

  protected async takeBack(deposit: CashDeposit, refusal: Refusal): Promise<CashDeposit> {
    if (deposit.status === 'taking') return this.move(deposit, 'refused', { refusal });
    return deposit.status === 'recording' ? this.#turnBack(deposit, refusal) : deposit;
  }

  protected refusalOf(deposit: CashDeposit): Refusal | null {
    return ['withdrawing', 'refused'].includes(deposit.status) ? deposit.refusal : null;
  }

  async #takeDue(via: CanCall, deposit: CashDeposit): Promise<CashDeposit> {
    const { id: contribution_id, association_id, member_id, currency } = deposit;
    const meeting_id = meetingOf(deposit);
    const amount_minor = Number(deposit.amount);
    const input = { association_id, meeting_id, contribution_id, member_id, amount_minor, currency };
    const refusal = await this.ask(via, takeCash, input);
    await this.reached('due_taken');
    return refusal === undefined ? this.move(deposit, 'recording') : this.move(deposit, 'refused', { refusal });
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
    return refusal === undefined ? this.#opened(deposit) : this.#turnBack(deposit, refusal);
  }

  #opened(deposit: CashDeposit): Promise<CashDeposit> {
    const data = { ...factOf(deposit), recorded_by_member_id: deposit.recorded_by_member_id };
    const { association_id } = deposit;
    return this.move(deposit, 'pending_approval', {}, { type: 'cash.recorded', association_id, data });
  }

  /** Without an approval it never was; a due that it has taken goes back first. */
  #turnBack(deposit: CashDeposit, refusal: Refusal): Promise<CashDeposit> {
    return this.move(deposit, deposit.meeting_id === null ? 'refused' : 'withdrawing', { refusal });
  }

  async #withdraw(via: CanCall, deposit: CashDeposit): Promise<CashDeposit> {
    await this.#tellContribution(via, deposit, false);
    await this.reached('withdrawal_told');
    return this.move(deposit, 'refused');
  }

  #decide(deposit: CashDeposit, decision: Decision): Promise<CashDeposit> {
    return decision === 'approved'
      ? this.move(deposit, 'confirming', { decision })
      : this.#reject(deposit, { decision });
  }

  async #confirm(deposit: CashDeposit): Promise<CashDeposit> {
    const outcome = await this.#ledger.post(cashDepositPosting(deposit));
    await this.reached('posted');
    if (outcome.status === 'conflict') throw new Error(`The id of cash deposit ${deposit.id} was used otherwise`);
    if (outcome.status === 'refused') return this.#reject(deposit, { refusal: outcome.refusal });
    return deposit.meeting_id === null ? this.#confirmed(deposit) : this.move(deposit, 'crediting');
  }

  async #credit(via: CanCall, deposit: CashDeposit): Promise<CashDeposit> {
    await this.#tellContribution(via, deposit, true);
    await this.reached('payment_told');
    return this.#confirmed(deposit);
  }

  #confirmed(deposit: CashDeposit): Promise<CashDeposit> {
    const { id: transfer_id, association_id } = deposit;
    const data = { ...factOf(deposit), transfer_id };
    return this.move(deposit, 'confirmed', {}, { type: 'cash.confirmed', association_id, data });
  }

  /** The board or the ledger would not have it; a due that it has taken goes back first. */
  #reject(deposit: CashDeposit, why: Pick<Partial<CashDeposit>, 'decision' | 'refusal'>): Promise<CashDeposit> {
    return deposit.meeting_id === null ? this.#rejected(deposit, why) : this.move(deposit, 'dropping', why);
  }

  async #drop(via: CanCall, deposit: CashDeposit): Promise<CashDeposit> {
    await this.#tellContribution(via, deposit, false);
    await this.reached('failure_told');
    return this.#rejected(deposit, {});
  }

  #rejected(deposit: CashDeposit, why: Pick<Partial<CashDeposit>, 'decision' | 'refusal'>): Promise<CashDeposit> {
    const { association_id } = deposit;
    const decision = why.decision ?? deposit.decision ?? 'approved';
    const data = { ...factOf(deposit), decision };
    return this.move(deposit, 'rejected', why, { type: 'cash.rejected', association_id, data });
  }

  /** The due was taken by this deposit's id, so that it can only be a fault of ours if this is refused. */
  async #tellContribution(via: CanCall, deposit: CashDeposit, paid: boolean): Promise<void> {
    const { association_id, id: contribution_id, refusal, decision } = deposit;
    const code = paid ? null : (refusal?.code ?? decision);
    const input = { association_id, contribution_id, paid, code };
    await call(via, decideCash, input, this.deps.timings.peer_timeout_ms);
  }
}

function meetingOf({ id, meeting_id }: CashDeposit): string {
  if (meeting_id === null) throw new Error(`Cash deposit ${id} is for no meeting`);
  return meeting_id;
}

function factOf(deposit: CashDeposit) {
  const { id, meeting_id, member_id, currency, approval_id } = deposit;
  return { cash_deposit_id: id, meeting_id, member_id, amount_minor: Number(deposit.amount), currency, approval_id };
}

function outcomeOf(deposit: CashDeposit, decision: string): ExecutionOutcome {
  if (deposit.refusal !== null) return { status: 'failed', error: deposit.refusal.code };
  const done = deposit.status === (decision === 'approved' ? 'confirmed' : 'rejected');
  return done ? { status: 'done', error: null } : { status: 'failed', error: 'approval_not_pending' };
}
