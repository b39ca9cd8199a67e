/** Which transfers can be reversed, and how. */
import { isWalletAccount } from '../../../lib/contracts/accounts.ts';
import type { Leg, TransferKind, TransferLeg } from '../../../lib/contracts/treasury.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { associationChain, isExternal } from '../ledger/chain.rules.ts';
import type { Posting } from '../ledger/posting.rules.ts';
import type { Correction } from './correction.table.ts';

/** The record that is undone with a transfer. `contribution`: a record of the contribution service, with its id. */
interface Reversible {
  contribution: boolean;
  /** The treasury's own record. */
  own: 'cash_deposit' | 'distribution' | null;
}

/**
 * The kinds that can be reversed; null for the others. Settlements and what is paid after them have ended their meeting, and a
 * distribution is reversed as a whole, by its payment.
 */
export const REVERSIBLE: Readonly<Record<TransferKind, Reversible | null>> = {
  contribution: { contribution: true, own: null },
  cash_contribution: { contribution: true, own: 'cash_deposit' },
  fine_payment: { contribution: true, own: null },
  meeting_sheet: { contribution: true, own: null },
  cash_deposit: { contribution: false, own: 'cash_deposit' },
  distribution_payment: { contribution: false, own: 'distribution' },
  distribution_reserve: null,
  distribution_release: null,
  arrears_payment: null,
  settlement: null,
  meeting_refund: null,
  wallet_deposit: null,
  wallet_withdrawal: null,
  reversal: null,
};

/**
 * Returns the record that is undone with a transfer of this kind.
 * @throws Error for a kind that cannot be reversed, of which no correction is stored
 */
export function undoneWith(kind: TransferKind): Reversible {
  const record = REVERSIBLE[kind];
  if (record === null) throw new Error(`A ${kind} cannot be reversed`);
  return record;
}

/** Returns the member who gained by the transfer, who does not vote; null if no member did. */
export function beneficiaryOf({ kind, member_id }: Pick<Correction, 'kind' | 'member_id'>): string | null {
  return kind === 'distribution_payment' ? member_id : null;
}

/** Returns the payload that the board approves. It is hashed, and shown to all members. */
export function correctionPayload({ transfer_id, kind, amount, currency, reason, member_id }: Correction) {
  return { transfer_id, kind, amount: toMajor(amount, currency), currency, reason, member_id };
}

/** Returns how much the legs move, in minor units. */
export function amountOf(legs: readonly Leg[]): bigint {
  return legs.reduce((sum, { amount_minor }) => (amount_minor > 0 ? sum + BigInt(amount_minor) : sum), 0n);
}

/** A posted transfer, with what is stored with it besides the chain. */
export interface ReversedTransfer {
  id: string;
  association_id: string;
  legs: Leg[];
  currency: string;
  member_id: string | null;
  /** The members of its entries, for each account in the order of the legs. */
  members: ReadonlyMap<string, readonly (string | null)[]>;
  /** The owner of the wallet that it paid to, which pays the amount back; null if it paid to none. */
  owner_user_id: string | null;
}

/** Returns the transfer that reverses another one: each leg negated, with the member of the original entry. */
export function reversalPosting(id: string, reversed: ReversedTransfer): Posting {
  const { association_id, currency, member_id, members, owner_user_id } = reversed;
  const seen = new Map<string, number>();
  const legs = reversed.legs.map(({ account, amount_minor }): TransferLeg => {
    const place = seen.get(account) ?? 0;
    seen.set(account, place + 1);
    const member = isExternal(account) ? members.get(account)?.[place] : null;
    return { account, amount_minor: -amount_minor, ...(member == null ? {} : { member_id: member }) };
  });
  return {
    id,
    chain_id: associationChain(association_id),
    association_id,
    kind: 'reversal',
    currency,
    reference: reversed.id,
    movement: { legs },
    payer_user_id: owner_user_id,
    member_id,
  };
}

/** Returns the wallets that the transfer paid to. */
export function paidWallets(legs: readonly Leg[]): string[] {
  return legs
    .filter(({ account, amount_minor }) => amount_minor > 0 && isWalletAccount(account))
    .map((leg) => leg.account);
}
