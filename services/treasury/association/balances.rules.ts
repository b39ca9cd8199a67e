import {
  fundingAccount,
  meetingOfPool,
  moneyOf,
  reservedAccount,
  treasuryAccount,
} from '../../../lib/contracts/accounts.ts';
import type { AccountRow } from '../ledger/ledger.table.ts';
import type { SavingsChange } from '../ledger/posting.rules.ts';

/** An association's holdings, in minor units: e-money and cash together, except `cash` and `cash_amount`. */
export interface Holdings {
  treasury: bigint;
  reserved: bigint;
  /** The content of the cash box, including reserves and pools. */
  cash: bigint;
  /** The amount that distributions may use: the treasury without the members' savings. */
  available: bigint;
  /** The pools that are not empty. */
  pools: { meeting_id: string; amount: bigint; cash_amount: bigint }[];
}

/** The balance of an account and the savings that are part of it, in minor units. */
export type AccountHolding = Pick<AccountRow, 'balance' | 'savings'>;

/**
 * Sums up the accounts of an association.
 * @param accounts by account name
 */
export function summarize(accounts: ReadonlyMap<string, AccountHolding>): Holdings {
  const balance = (name: string) => accounts.get(name)?.balance ?? 0n;
  const savings = (name: string) => accounts.get(name)?.savings ?? 0n;
  const treasury = balance(treasuryAccount()) + balance(treasuryAccount('cash'));
  return {
    treasury,
    reserved: balance(reservedAccount()) + balance(reservedAccount('cash')),
    // All cash in the box came from the funding account, so the two balances are opposite.
    cash: -balance(fundingAccount('cash')),
    available: treasury - savings(treasuryAccount()) - savings(treasuryAccount('cash')),
    pools: poolsOf(accounts),
  };
}

/**
 * Returns the accounts as they were before later transfers.
 * @param moved what each account has received since then
 * @param saved by how much the savings have grown since then
 */
export function accountsBefore(
  accounts: ReadonlyMap<string, AccountHolding>,
  moved: ReadonlyMap<string, bigint>,
  saved: SavingsChange,
): Map<string, AccountHolding> {
  const savings = new Map([
    [treasuryAccount(), saved.emoney_minor],
    [treasuryAccount('cash'), saved.cash_minor],
  ]);
  return new Map(
    [...accounts].map(([name, account]) => [
      name,
      {
        balance: account.balance - (moved.get(name) ?? 0n),
        savings: account.savings - BigInt(savings.get(name) ?? 0),
      },
    ]),
  );
}

function poolsOf(accounts: ReadonlyMap<string, AccountHolding>): Holdings['pools'] {
  const pools = new Map<string, Holdings['pools'][number]>();
  for (const [name, { balance }] of accounts) {
    const meeting_id = meetingOfPool(name);
    if (meeting_id === undefined) continue;
    const sum = pools.get(meeting_id) ?? { meeting_id, amount: 0n, cash_amount: 0n };
    sum.amount += balance;
    if (moneyOf(name) === 'cash') sum.cash_amount += balance;
    pools.set(meeting_id, sum);
  }
  const filled = [...pools.values()].filter((pool) => pool.amount !== 0n);
  return filled.sort((a, b) => (a.meeting_id < b.meeting_id ? -1 : 1));
}
