/** The two monies that a meeting's pool holds, and how they go out (contract, sections 4 and 5), in minor units. */
import { fundingAccount, poolAccount, treasuryAccount, walletAccount } from '../../../lib/contracts/accounts.ts';
import type { Share } from './pot.rules.ts';

/** E-money and cash: two monies, each of which every transfer sums to zero. */
export interface Funds {
  readonly emoney_minor: bigint;
  readonly cash_minor: bigint;
}

export const NO_FUNDS: Funds = { emoney_minor: 0n, cash_minor: 0n };

export type PlannedPayout =
  | { readonly member_id: string; readonly method: 'wallet'; readonly wallet_id: string; readonly amount_minor: bigint }
  | { readonly member_id: string; readonly method: 'cash'; readonly wallet_id: null; readonly amount_minor: bigint };

export interface PlannedLeg {
  readonly account: string;
  readonly amount_minor: bigint;
  /** The member that it pays, if it pays one. */
  readonly member_id?: string;
}

/** Where a member is paid. */
export type WalletOf = (member_id: string) => string;

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
 * Pays the receipts in order, first with wallet money, then with cash. A receipt that gets both is two payouts.
 * @param receipts together as much as the funds
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

/** The leg that credits a payout, to a wallet or to the cash that members hold. */
export function payoutLeg({ member_id, wallet_id, amount_minor }: PlannedPayout): PlannedLeg {
  return { account: wallet_id === null ? fundingAccount('cash') : walletAccount(wallet_id), amount_minor, member_id };
}

/** The legs that add funds to a pair of the association's accounts; none for zero. */
export function fundsLegs(accounts: { emoney: string; cash: string }, funds: Funds): PlannedLeg[] {
  return [
    { account: accounts.emoney, amount_minor: funds.emoney_minor },
    { account: accounts.cash, amount_minor: funds.cash_minor },
  ].filter((leg) => leg.amount_minor !== 0n);
}

/** A meeting's pool. */
export function poolOf(meeting_id: string): { emoney: string; cash: string } {
  return { emoney: poolAccount(meeting_id), cash: poolAccount(meeting_id, 'cash') };
}

export const TREASURY = { emoney: treasuryAccount(), cash: treasuryAccount('cash') } as const;
