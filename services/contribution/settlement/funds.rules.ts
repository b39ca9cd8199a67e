/** The e-money and the cash that a meeting's pool holds, and how they are paid out, in minor units. */
import { fundingAccount, poolAccount, treasuryAccount, walletAccount } from '../../../lib/contracts/accounts.ts';
import type { Share } from './pot.rules.ts';

/** Amounts of both kinds of money. The legs of a transfer sum to zero in each kind. */
export interface Funds {
  readonly emoney_minor: bigint;
  readonly cash_minor: bigint;
}

export const NO_FUNDS: Funds = { emoney_minor: 0n, cash_minor: 0n };

/** A payout to a member, into their wallet or in cash. */
export type PlannedPayout =
  | { readonly member_id: string; readonly method: 'wallet'; readonly wallet_id: string; readonly amount_minor: bigint }
  | { readonly member_id: string; readonly method: 'cash'; readonly wallet_id: null; readonly amount_minor: bigint };

/** A leg of a ledger transfer: the amount is added to the account. */
export interface PlannedLeg {
  readonly account: string;
  readonly amount_minor: bigint;
  /** The member that the leg pays, if any. */
  readonly member_id?: string;
}

/** Returns the id of the wallet into which a member is paid. */
export type WalletOf = (member_id: string) => string;

/** Returns the sum of both kinds of money. */
export function sumFunds({ emoney_minor, cash_minor }: Funds): bigint {
  return emoney_minor + cash_minor;
}

export function addFunds(a: Funds, b: Funds): Funds {
  return { emoney_minor: a.emoney_minor + b.emoney_minor, cash_minor: a.cash_minor + b.cash_minor };
}

export function negateFunds(funds: Funds): Funds {
  return { emoney_minor: -funds.emoney_minor, cash_minor: -funds.cash_minor };
}

/**
 * Divides the funds among the receipts in order, first the e-money, then the cash. A receipt of both becomes two payouts.
 * @param receipts what each member receives; the sum must equal the sum of the funds
 */
export function payOut(receipts: readonly Share[], funds: Funds, walletOf: WalletOf): PlannedPayout[] {
  let emoney_left = funds.emoney_minor;
  return receipts.flatMap(({ member_id, amount_minor }): PlannedPayout[] => {
    const by_wallet = amount_minor < emoney_left ? amount_minor : emoney_left;
    emoney_left -= by_wallet;
    const in_cash = amount_minor - by_wallet;
    return [
      ...(by_wallet > 0n
        ? [{ member_id, method: 'wallet' as const, wallet_id: walletOf(member_id), amount_minor: by_wallet }]
        : []),
      ...(in_cash > 0n ? [{ member_id, method: 'cash' as const, wallet_id: null, amount_minor: in_cash }] : []),
    ];
  });
}

/** Returns the leg that credits a payout, to a wallet or to the account of the cash that members hold. */
export function payoutLeg({ member_id, wallet_id, amount_minor }: PlannedPayout): PlannedLeg {
  return { account: wallet_id === null ? fundingAccount('cash') : walletAccount(wallet_id), amount_minor, member_id };
}

/**
 * Returns the legs that add funds to accounts of the association; no leg for an amount of zero.
 * @param accounts the account for each kind of money
 */
export function fundsLegs(accounts: { emoney: string; cash: string }, funds: Funds): PlannedLeg[] {
  return [
    { account: accounts.emoney, amount_minor: funds.emoney_minor },
    { account: accounts.cash, amount_minor: funds.cash_minor },
  ].filter((leg) => leg.amount_minor !== 0n);
}

/** Returns the accounts of a meeting's pool, one for each kind of money. */
export function poolOf(meeting_id: string): { emoney: string; cash: string } {
  return { emoney: poolAccount(meeting_id), cash: poolAccount(meeting_id, 'cash') };
}

/** The accounts of the association's treasury, one for each kind of money. */
export const TREASURY = { emoney: treasuryAccount(), cash: treasuryAccount('cash') } as const;
