import { fundingAccount, poolAccount, treasuryAccount } from '../../../lib/contracts/accounts.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { associationChain } from '../ledger/chain.rules.ts';
import { legsBetween, type Posting } from '../ledger/posting.rules.ts';
import type { CashDeposit } from './cash-deposit.table.ts';

/** Returns the payload that the board approves. It is hashed, and shown to all members. */
export function cashDepositPayload({ member_id, meeting_id, amount, currency, reason }: CashDeposit) {
  const where = meeting_id === null ? {} : { meeting_id };
  return { member_id, ...where, amount: toMajor(amount, currency), currency, reason };
}

/** Returns the transfer of confirmed cash into the meeting's pool or the treasury. It has the deposit's id. */
export function cashDepositPosting(deposit: CashDeposit): Posting {
  const { id, association_id, member_id, meeting_id, amount, currency, reason } = deposit;
  const into = meeting_id === null ? treasuryAccount('cash') : poolAccount(meeting_id, 'cash');
  return {
    id,
    chain_id: associationChain(association_id),
    association_id,
    kind: meeting_id === null ? 'cash_deposit' : 'cash_contribution',
    currency,
    reference: reason,
    movement: { legs: legsBetween(fundingAccount('cash'), into, amount) },
    payer_user_id: null,
    member_id,
  };
}
