import {
  fundingAccount,
  meetingOfPool,
  moneyOf,
  reservedAccount,
  treasuryAccount,
} from '../../../lib/contracts/accounts.ts';
import type { AccountRow } from '../ledger/ledger.table.ts';

/** An association's holdings, in minor units. All but `cash` and `cash_amount` count both monies together. */
export interface Holdings {
  treasury: bigint;
  reserved: bigint;
  /** All that the cash box holds, including reserves and pools. */
  cash: bigint;
  /** What a distribution may take: the treasury without the members' savings. */
  available: bigint;
  /** The pools that are not empty. */
  pools: { meeting_id: string; amount: bigint; cash_amount: bigint }[];
}

/** What one account holds, in minor units: its savings are a part of its balance. */
export type AccountHolding = Pick<AccountRow, 'balance' | 'savings'>;

/** Sums up the accounts of an association, by name (contract, section 3, "balances"). */
export function summarize(accounts: ReadonlyMap<string, AccountHolding>): Holdings {
  const balance = (name: string) => accounts.get(name)?.balance ?? 0n;
  const savings = (name: string) => accounts.get(name)?.savings ?? 0n;
  const treasury = balance(treasuryAccount()) + balance(treasuryAccount('cash'));
  return {
    treasury,
    reserved: balance(reservedAccount()) + balance(reservedAccount('cash')),
    // The funding account has given exactly what the box holds.
    cash: -balance(fundingAccount('cash')),
    available: treasury - savings(treasuryAccount()) - savings(treasuryAccount('cash')),
    pools: poolsOf(accounts),
  };
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
