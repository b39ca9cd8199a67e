/** The life of a recorded cash deposit, as a table. */
import type { Decision } from '../../../lib/contracts/approvals.ts';
import type { CashDeposit as CashDepositAnswer } from '../../../lib/contracts/treasury.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { associationChain, CASH_FUNDING, CASH_TREASURY, cashPoolAccount } from '../ledger/accounts.rules.ts';
import type { Posting, Refusal } from '../ledger/posting.rules.ts';

/**
 * `taking`: stored, for a meeting, its due not yet known to be taken there; `recording`: its approval not yet known to
 * be open; `withdrawing`: governance would not open one, the due is going back; `refused`: it never was. `confirming`:
 * approved, the ledger not yet known to have it; `crediting`: in the meeting's pool, the contribution not yet known to
 * be paid; `dropping`: it will not be, the due is going back.
 */
export type CashDepositState =
  | 'taking'
  | 'recording'
  | 'withdrawing'
  | 'refused'
  | 'pending_approval'
  | 'confirming'
  | 'crediting'
  | 'dropping'
  | 'confirmed'
  | 'rejected';

export const CASH_DEPOSIT_TRANSITIONS: Record<CashDepositState, readonly CashDepositState[]> = {
  taking: ['recording', 'refused'],
  recording: ['pending_approval', 'withdrawing', 'refused'],
  withdrawing: ['refused'],
  pending_approval: ['confirming', 'dropping', 'rejected'],
  // Dropped or rejected although approved: the ledger refused it for good.
  confirming: ['crediting', 'confirmed', 'dropping', 'rejected'],
  crediting: ['confirmed'],
  dropping: ['rejected'],
  confirmed: [],
  rejected: [],
  refused: [],
};

/** Cash for a meeting first takes the due there. */
export function firstState(meeting_id: string | null): CashDepositState {
  return meeting_id === null ? 'recording' : 'taking';
}

/** States that somebody has to move on; what rests in the others waits for a decision or is over. */
export const CASH_DEPOSIT_UNFINISHED: readonly CashDepositState[] = [
  'taking',
  'recording',
  'withdrawing',
  'confirming',
  'crediting',
  'dropping',
];

/** States that nothing follows. */
export const CASH_DEPOSIT_OVER: readonly CashDepositState[] = ['confirmed', 'rejected', 'refused'];

/** States of a deposit of which nobody knows yet that it is to be: it is refused soon, or its approval is open. */
export const CASH_DEPOSIT_UNDECIDED: readonly CashDepositState[] = ['taking', 'recording', 'withdrawing'];

/** States in which the depositor may not leave (contract, `member_has_obligations`). */
export const CASH_DEPOSIT_OBLIGES: readonly CashDepositState[] = [
  'taking',
  'recording',
  'pending_approval',
  'confirming',
  'crediting',
  'dropping',
];

export interface CashDeposit {
  id: string;
  association_id: string;
  member_id: string;
  /** The meeting to which it is a contribution; null: it is for the treasury. */
  meeting_id: string | null;
  /** In minor units. */
  amount: bigint;
  currency: string;
  reason: string;
  status: CashDepositState;
  approval_id: string;
  recorded_by_member_id: string;
  recorded_at: Date;
  /** When its state last changed, or a sweeper last took it up. */
  touched_at: Date;
  decision: Decision | null;
  refusal: Refusal | null;
}

const STATUS_SHOWN: Record<CashDepositState, CashDepositAnswer['status']> = {
  taking: 'pending_approval',
  recording: 'pending_approval',
  withdrawing: 'rejected',
  pending_approval: 'pending_approval',
  confirming: 'pending_approval',
  crediting: 'pending_approval',
  dropping: 'pending_approval',
  confirmed: 'confirmed',
  rejected: 'rejected',
  refused: 'rejected',
};

/** The deposit as its association sees it (contract, section 3). */
export function showCashDeposit(deposit: CashDeposit): CashDepositAnswer {
  const { id, association_id, member_id, meeting_id, currency, reason, approval_id, recorded_by_member_id } = deposit;
  return {
    id,
    association_id,
    member_id,
    amount: toMajor(deposit.amount, currency),
    currency,
    reason,
    meeting_id,
    status: STATUS_SHOWN[deposit.status],
    approval_id,
    recorded_by_member_id,
    recorded_at: deposit.recorded_at.toISOString(),
  };
}

/** What the board approves; it is hashed, and shown to the whole association. */
export function cashDepositPayload(deposit: CashDeposit) {
  const { member_id, meeting_id, amount, currency, reason } = deposit;
  const where = meeting_id === null ? {} : { meeting_id };
  return { member_id, ...where, amount: toMajor(amount, currency), currency, reason };
}

/** The confirmed cash enters the box, for the meeting or the treasury. Its transfer has the deposit's own id. */
export function cashDepositPosting(deposit: CashDeposit): Posting {
  const { meeting_id } = deposit;
  const amount_minor = Number(deposit.amount);
  const into = meeting_id === null ? CASH_TREASURY : cashPoolAccount(meeting_id);
  return {
    id: deposit.id,
    chain_id: associationChain(deposit.association_id),
    association_id: deposit.association_id,
    kind: meeting_id === null ? 'cash_deposit' : 'cash_contribution',
    currency: deposit.currency,
    reference: deposit.reason,
    movement: {
      legs: [
        { account: CASH_FUNDING, amount_minor: -amount_minor },
        { account: into, amount_minor },
      ],
    },
    payer_user_id: null,
    member_id: deposit.member_id,
  };
}
