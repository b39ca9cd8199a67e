/** The life of a recorded cash deposit, as a table. */
import type { Decision } from '../../../lib/contracts/approvals.ts';
import type { CashDeposit as CashDepositAnswer } from '../../../lib/contracts/treasury.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { associationChain, CASH_FUNDING, CASH_TREASURY } from './accounts.ts';
import type { Posting, Refusal } from './posting.ts';

/**
 * `recording`: stored, its approval not yet known to be open. `refused`: governance would not open one, so it never
 * was. `confirming`: approved, the ledger not yet known to have it.
 */
export type CashDepositState = 'recording' | 'refused' | 'pending_approval' | 'confirming' | 'confirmed' | 'rejected';

export const CASH_DEPOSIT_TRANSITIONS: Record<CashDepositState, readonly CashDepositState[]> = {
  recording: ['pending_approval', 'refused'],
  pending_approval: ['confirming', 'rejected'],
  // Rejected although approved: the ledger refused it for good.
  confirming: ['confirmed', 'rejected'],
  confirmed: [],
  rejected: [],
  refused: [],
};

/** States that somebody has to move on; what rests in the others waits for a decision or is over. */
export const CASH_DEPOSIT_UNFINISHED: readonly CashDepositState[] = ['recording', 'confirming'];

/** States in which the depositor may not leave (contract, `member_has_obligations`). */
export const CASH_DEPOSIT_OBLIGES: readonly CashDepositState[] = ['recording', 'pending_approval', 'confirming'];

export interface CashDeposit {
  id: string;
  association_id: string;
  member_id: string;
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
  recording: 'pending_approval',
  pending_approval: 'pending_approval',
  confirming: 'pending_approval',
  confirmed: 'confirmed',
  rejected: 'rejected',
  refused: 'rejected',
};

/** The deposit as its association sees it (contract, section 3). */
export function showCashDeposit(deposit: CashDeposit): CashDepositAnswer {
  const { id, association_id, member_id, currency, reason, approval_id, recorded_by_member_id } = deposit;
  return {
    id,
    association_id,
    member_id,
    amount: toMajor(deposit.amount, currency),
    currency,
    reason,
    meeting_id: null,
    status: STATUS_SHOWN[deposit.status],
    approval_id,
    recorded_by_member_id,
    recorded_at: deposit.recorded_at.toISOString(),
  };
}

/** What the board approves; it is hashed, and shown to the whole association. */
export function cashDepositPayload(deposit: CashDeposit) {
  const { member_id, amount, currency, reason } = deposit;
  return { member_id, amount: toMajor(amount, currency), currency, reason };
}

/** The confirmed cash enters the box, and belongs to the treasury. Its transfer has the deposit's own id. */
export function cashDepositPosting(deposit: CashDeposit): Posting {
  const amount_minor = Number(deposit.amount);
  return {
    id: deposit.id,
    chain_id: associationChain(deposit.association_id),
    association_id: deposit.association_id,
    kind: 'cash_deposit',
    currency: deposit.currency,
    reference: deposit.reason,
    movement: {
      legs: [
        { account: CASH_FUNDING, amount_minor: -amount_minor },
        { account: CASH_TREASURY, amount_minor },
      ],
    },
    payer_user_id: null,
    member_id: deposit.member_id,
  };
}
