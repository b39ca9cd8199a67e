import type { CashDeposit as CashDepositAnswer } from '../../../lib/contracts/treasury.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { statesWhere } from '../../../lib/saga/states.ts';
import { CASH_DEPOSIT_STATES, type CashDeposit, type CashDepositState } from './cash-deposit.table.ts';

/** Returns the states that are shown as `status`, or all that are shown if it is undefined. */
export function statesShown(status?: CashDepositAnswer['status']): CashDepositState[] {
  return statesWhere(CASH_DEPOSIT_STATES, ({ shown }) => (status === undefined ? shown !== null : shown === status));
}

/** Returns the deposit as members of the association see it. */
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
    status: CASH_DEPOSIT_STATES[deposit.status].shown ?? 'pending_approval',
    approval_id,
    recorded_by_member_id,
    recorded_at: deposit.recorded_at.toISOString(),
    metadata: deposit.metadata ?? {},
  };
}
