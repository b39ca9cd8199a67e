/** What the board decides on, and the transfers of a distribution. */
import { fundingAccount, reservedAccount, treasuryAccount, walletAccount } from '../../../lib/contracts/accounts.ts';
import type { Leg, TransferKind } from '../../../lib/contracts/treasury.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { associationChain } from '../ledger/chain.rules.ts';
import { legsBetween, type Posting } from '../ledger/posting.rules.ts';
import type { Distribution } from './distribution.table.ts';

/** What the board approves; it is hashed, and shown to the whole association. */
export function distributionPayload({ beneficiary_member_id, amount, currency, reason }: Distribution) {
  return { beneficiary_member_id, amount: toMajor(amount, currency), currency, reason };
}

/** Sets the funds aside: e-money first, the rest in cash. The transfer has the distribution's own id. */
export function reservePosting(distribution: Distribution): Posting {
  const draw = {
    amount_minor: Number(distribution.amount),
    from: { emoney: treasuryAccount(), cash: treasuryAccount('cash') },
    to: { emoney: reservedAccount(), cash: reservedAccount('cash') },
  };
  return postingOf(distribution, distribution.id, 'distribution_reserve', { draw });
}

/** How much of each money a posted reserve has set aside. */
export function reservedBy(legs: readonly Leg[]): { reserved_emoney: bigint; reserved_cash: bigint } {
  const into = (account: string) => BigInt(legs.find((leg) => leg.account === account)?.amount_minor ?? 0);
  return { reserved_emoney: into(reservedAccount()), reserved_cash: into(reservedAccount('cash')) };
}

/** Pays the beneficiary: e-money to their wallet; cash leaves the box. */
export function paymentPosting(distribution: Distribution): Posting {
  const legs = legsFromReserve(distribution, walletAccount(distribution.payout_wallet_id), fundingAccount('cash'));
  return postingOf(distribution, distribution.closing_transfer_id, 'distribution_payment', { legs });
}

/** Gives the reserve back, under the id of the payment, so that only one of them is posted. */
export function releasePosting(distribution: Distribution): Posting {
  const legs = legsFromReserve(distribution, treasuryAccount(), treasuryAccount('cash'));
  return postingOf(distribution, distribution.closing_transfer_id, 'distribution_release', { legs });
}

/** Gives the reserve back after the ledger has refused the payment: the refusal is stored under that id, so this has another. */
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
