/** The payload and the transfers of a distribution. */
import { fundingAccount, reservedAccount, treasuryAccount, walletAccount } from '../../../lib/contracts/accounts.ts';
import type { Leg, TransferKind } from '../../../lib/contracts/treasury.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { associationChain } from '../ledger/chain.rules.ts';
import { legsBetween, type Posting } from '../ledger/posting.rules.ts';
import type { Distribution } from './distribution.table.ts';

/** Returns the payload that the board approves. It is hashed, and shown to all members. */
export function distributionPayload({ beneficiary_member_id, amount, currency, reason }: Distribution) {
  return { beneficiary_member_id, amount: toMajor(amount, currency), currency, reason };
}

/** Returns the transfer that sets the funds aside: e-money first, cash for the rest. It has the distribution's id. */
export function reservePosting(distribution: Distribution): Posting {
  const split = {
    amount_minor: Number(distribution.amount),
    from: { emoney: treasuryAccount(), cash: treasuryAccount('cash') },
    to: { emoney: reservedAccount(), cash: reservedAccount('cash') },
  };
  return postingOf(distribution, distribution.id, 'distribution_reserve', { split });
}

/** Returns how much e-money and cash a posted reserve has set aside, in minor units. */
export function reservedBy(legs: readonly Leg[]): { reserved_emoney: bigint; reserved_cash: bigint } {
  const into = (account: string) => BigInt(legs.find((leg) => leg.account === account)?.amount_minor ?? 0);
  return { reserved_emoney: into(reservedAccount()), reserved_cash: into(reservedAccount('cash')) };
}

/** Returns the transfer that pays the beneficiary: e-money to their wallet, and cash out of the box. */
export function paymentPosting(distribution: Distribution): Posting {
  const legs = legsFromReserve(distribution, walletAccount(distribution.payout_wallet_id), fundingAccount('cash'));
  return postingOf(distribution, distribution.closing_transfer_id, 'distribution_payment', { legs });
}

/** Returns the transfer that gives the reserve back. It has the payment's id, so that only one of the two is posted. */
export function releasePosting(distribution: Distribution): Posting {
  const legs = legsFromReserve(distribution, treasuryAccount(), treasuryAccount('cash'));
  return postingOf(distribution, distribution.closing_transfer_id, 'distribution_release', { legs });
}

/** Returns the transfer that gives the reserve back after a refused payment. The refusal uses up the payment's id. */
export function returnPosting(distribution: Distribution): Posting {
  return { ...releasePosting(distribution), id: distribution.return_transfer_id };
}

function legsFromReserve({ reserved_emoney, reserved_cash }: Distribution, emoney_to: string, cash_to: string): Leg[] {
  return [
    ...legsBetween(reservedAccount(), emoney_to, reserved_emoney),
    ...legsBetween(reservedAccount('cash'), cash_to, reserved_cash),
  ];
}

function postingOf(
  { association_id, currency, reason, beneficiary_member_id }: Distribution,
  id: string,
  kind: TransferKind,
  movement: Posting['movement'],
): Posting {
  return {
    id,
    chain_id: associationChain(association_id),
    association_id,
    kind,
    currency,
    reference: reason,
    movement,
    payer_user_id: null,
    member_id: beneficiary_member_id,
  };
}
