import { CASH_FUNDING, CASH_RESERVED, CASH_TREASURY, poolOf, RESERVED, TREASURY } from './accounts.ts';

/** An association's holdings, in minor units. All but `cash` and `cash_amount` count both monies together. */
export interface Holdings {
  treasury: bigint;
  reserved: bigint;
  /** All that the cash box holds, whatever it is set aside for. */
  cash: bigint;
  /** What a distribution may take. */
  available: bigint;
  /** The pools that are not empty. */
  pools: { meeting_id: string; amount: bigint; cash_amount: bigint }[];
}

/** Sums up the accounts of an association (contract, section 3, "balances"). */
export function summarise(balances: ReadonlyMap<string, bigint>): Holdings {
  const balance = (name: string) => balances.get(name) ?? 0n;
  const treasury = balance(TREASURY) + balance(CASH_TREASURY);
  return {
    treasury,
    reserved: balance(RESERVED) + balance(CASH_RESERVED),
    // The outside world has given exactly what the box holds.
    cash: -balance(CASH_FUNDING),
    available: treasury,
    pools: poolsOf(balances),
  };
}

function poolsOf(balances: ReadonlyMap<string, bigint>): Holdings['pools'] {
  const pools = new Map<string, Holdings['pools'][number]>();
  for (const [name, balance] of balances) {
    const pool = poolOf(name);
    if (pool === null) continue;
    const { meeting_id, money } = pool;
    const sum = pools.get(meeting_id) ?? { meeting_id, amount: 0n, cash_amount: 0n };
    sum.amount += balance;
    if (money === 'cash') sum.cash_amount += balance;
    pools.set(meeting_id, sum);
  }
  const filled = [...pools.values()].filter((pool) => pool.amount !== 0n);
  return filled.sort((a, b) => (a.meeting_id < b.meeting_id ? -1 : 1));
}
