/** The sums of a member's movements in an association. */
import { addPeriods } from '../../../lib/calendar/calendar.ts';
import { startOfDay } from '../../../lib/calendar/zones.ts';
import type { MeetingReference } from '../../../lib/contracts/fields.ts';
import type { Statement, TransferKind } from '../../../lib/contracts/treasury.ts';
import { toMajor } from '../../../lib/money/amount.ts';

/** A movement between the member and the association; amounts in minor units. */
export interface Movement {
  transfer_id: string;
  seq: bigint;
  kind: TransferKind;
  posted_at: Date;
  /** Whether the member paid or was paid through a wallet; otherwise in cash. */
  by_wallet: boolean;
  /** Above zero if the member paid in, below zero if they were paid out. */
  amount: bigint;
  reference: string | null;
  hash: string;
}

type Sums = Pick<Statement, 'opening_balance' | 'closing_balance' | 'paid_in' | 'paid_out' | 'movements'>;

/** Returns the instants that bound a period of days in a time zone, the end excluded; null for a missing bound. */
export function boundsOf(
  { from, to }: { from?: string; to?: string },
  zone: string,
): { since: Date | null; before: Date | null } {
  return {
    since: from === undefined ? null : startOfDay(zone, from),
    before: to === undefined ? null : startOfDay(zone, addPeriods(to, 'daily', 1)),
  };
}

/**
 * Sums up the movements of a statement, and gives each movement the balance after it.
 * @param opening in minor units: the amount that the member had paid in, minus the amount that they had been paid out
 * @param movements in the order of the chain
 * @param meetings the meeting of each transfer that has one, by transfer id
 */
export function sumUp(
  opening: bigint,
  movements: readonly Movement[],
  meetings: ReadonlyMap<string, MeetingReference>,
  currency: string,
): Sums {
  const major = (minor: bigint) => toMajor(minor, currency);
  let balance = opening;
  let paid_in = 0n;
  let paid_out = 0n;
  const shown = movements.map(({ amount, by_wallet, seq, posted_at, reference, hash, ...movement }) => {
    balance += amount;
    if (amount > 0n) paid_in += amount;
    else paid_out -= amount;
    return {
      ...movement,
      seq: Number(seq),
      posted_at: posted_at.toISOString(),
      method: by_wallet ? ('wallet' as const) : ('cash' as const),
      amount: major(amount),
      balance_after: major(balance),
      meeting: meetings.get(movement.transfer_id) ?? null,
      reference,
      hash,
    };
  });
  return {
    opening_balance: major(opening),
    closing_balance: major(balance),
    paid_in: major(paid_in),
    paid_out: major(paid_out),
    movements: shown,
  };
}
