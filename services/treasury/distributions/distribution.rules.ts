/** The life of a distribution, as a table, and the transfers of its steps. */
import type { Decision } from '../../../lib/contracts/approvals.ts';
import type { Distribution as DistributionAnswer, Leg, Payout, TransferKind } from '../../../lib/contracts/treasury.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import {
  associationChain,
  CASH_FUNDING,
  CASH_RESERVED,
  CASH_TREASURY,
  RESERVED,
  TREASURY,
  walletAccount,
} from '../ledger/accounts.rules.ts';
import type { Posting, Refusal } from '../ledger/posting.rules.ts';

/**
 * `reserving`, `requesting`: stored, the reserve or the approval not yet known to be there; `withdrawing`: governance
 * would not open an approval, the reserve is going back; `refused`: it never was. `paying`, `releasing`: decided, the
 * ledger not yet known to have it; `failing`: the ledger refused the payment, the reserve is going back.
 */
export type DistributionState =
  | 'reserving'
  | 'requesting'
  | 'withdrawing'
  | 'refused'
  | 'pending_approval'
  | 'paying'
  | 'failing'
  | 'releasing'
  | 'paid'
  | 'rejected'
  | 'failed';

export const DISTRIBUTION_TRANSITIONS: Record<DistributionState, readonly DistributionState[]> = {
  reserving: ['requesting', 'refused'],
  requesting: ['pending_approval', 'withdrawing'],
  withdrawing: ['refused'],
  pending_approval: ['paying', 'releasing'],
  // Payment and release share one transfer id: whichever finds it taken knows that the other one happened.
  paying: ['paid', 'failing', 'rejected'],
  releasing: ['rejected', 'paid'],
  failing: ['failed'],
  refused: [],
  paid: [],
  rejected: [],
  failed: [],
};

/** States that somebody has to move on; what rests in the others waits for a decision or is over. */
export const DISTRIBUTION_UNFINISHED: readonly DistributionState[] = [
  'reserving',
  'requesting',
  'withdrawing',
  'paying',
  'failing',
  'releasing',
];

/** States that nothing follows. */
export const DISTRIBUTION_OVER: readonly DistributionState[] = ['paid', 'rejected', 'failed', 'refused'];

/** States of a distribution of which nobody knows yet that it is to be: it is refused soon, or its approval is open. */
export const DISTRIBUTION_UNDECIDED: readonly DistributionState[] = ['reserving', 'requesting', 'withdrawing'];

/** States in which the beneficiary may not leave (contract, `member_has_obligations`). */
export const DISTRIBUTION_OBLIGES: readonly DistributionState[] = [
  'reserving',
  'requesting',
  'pending_approval',
  'paying',
  'failing',
  'releasing',
];

export interface Distribution {
  id: string;
  association_id: string;
  beneficiary_member_id: string;
  /** The beneficiary's payout wallet at the request: he is paid there even if he has left since. */
  payout_wallet_id: string;
  /** In minor units, as are the two reserves that make it up. */
  amount: bigint;
  currency: string;
  reason: string;
  status: DistributionState;
  approval_id: string;
  /** The transfer of the payment or of the release: only one of them can ever have it. */
  closing_transfer_id: string;
  /** The transfer that returns the reserve after a payment that was refused for good. */
  return_transfer_id: string;
  reserved_emoney: bigint;
  reserved_cash: bigint;
  requested_by_member_id: string;
  requested_at: Date;
  /** When its state last changed, or a sweeper last took it up. */
  touched_at: Date;
  decision: Decision | null;
  decided_at: Date | null;
  refusal: Refusal | null;
}

type StatusShown = DistributionAnswer['status'];

/** What each state looks like from outside; null: it is not shown. */
const STATUS_SHOWN: Record<DistributionState, StatusShown | null> = {
  reserving: null,
  requesting: null,
  withdrawing: null,
  refused: null,
  pending_approval: 'pending_approval',
  paying: 'pending_approval',
  failing: 'pending_approval',
  releasing: 'pending_approval',
  paid: 'paid',
  rejected: 'rejected',
  failed: 'failed',
};

/** The states that are shown, or those shown as `status`. */
export function statesShown(status?: StatusShown): DistributionState[] {
  const states = Object.keys(STATUS_SHOWN) as DistributionState[];
  return states.filter((state) =>
    status === undefined ? STATUS_SHOWN[state] !== null : STATUS_SHOWN[state] === status,
  );
}

/** The distribution as its association sees it (contract, section 3). */
export function showDistribution(distribution: Distribution): DistributionAnswer {
  const { id, association_id, beneficiary_member_id, currency, reason, approval_id } = distribution;
  return {
    id,
    association_id,
    beneficiary_member_id,
    amount: toMajor(distribution.amount, currency),
    currency,
    reason,
    status: STATUS_SHOWN[distribution.status] ?? 'pending_approval',
    approval_id,
    requested_by_member_id: distribution.requested_by_member_id,
    requested_at: distribution.requested_at.toISOString(),
    payouts: payoutsOf(distribution),
    decided_at: distribution.decided_at?.toISOString() ?? null,
  };
}

function payoutsOf(distribution: Distribution): Payout[] {
  if (distribution.status !== 'paid') return [];
  const { beneficiary_member_id: member_id, closing_transfer_id: transfer_id, currency } = distribution;
  const payouts: Payout[] = [];
  if (distribution.reserved_emoney > 0n) {
    const amount = toMajor(distribution.reserved_emoney, currency);
    payouts.push({ member_id, wallet_id: distribution.payout_wallet_id, method: 'wallet', amount, transfer_id });
  }
  if (distribution.reserved_cash > 0n) {
    const amount = toMajor(distribution.reserved_cash, currency);
    payouts.push({ member_id, wallet_id: null, method: 'cash', amount, transfer_id });
  }
  return payouts;
}

/** What the board approves; it is hashed, and shown to the whole association. */
export function distributionPayload(distribution: Distribution) {
  const { beneficiary_member_id, amount, currency, reason } = distribution;
  return { beneficiary_member_id, amount: toMajor(amount, currency), currency, reason };
}

/** Sets the funds aside: e-money first, the rest in cash. Its transfer has the distribution's own id. */
export function reservePosting(distribution: Distribution): Posting {
  const draw = {
    amount_minor: Number(distribution.amount),
    from: { emoney: TREASURY, cash: CASH_TREASURY },
    to: { emoney: RESERVED, cash: CASH_RESERVED },
  };
  return { ...partsOf(distribution, 'distribution_reserve'), id: distribution.id, movement: { draw } };
}

/** How much of each money a posted reserve has set aside. */
export function reservedBy(legs: readonly Leg[]): { reserved_emoney: bigint; reserved_cash: bigint } {
  const into = (account: string) => BigInt(legs.find((leg) => leg.account === account)?.amount_minor ?? 0);
  return { reserved_emoney: into(RESERVED), reserved_cash: into(CASH_RESERVED) };
}

/** Pays the beneficiary: e-money to his wallet; cash leaves the box. */
export function paymentPosting(distribution: Distribution): Posting {
  const legs = fromReserve(distribution, walletAccount(distribution.payout_wallet_id), CASH_FUNDING);
  const id = distribution.closing_transfer_id;
  return { ...partsOf(distribution, 'distribution_payment'), id, movement: { legs } };
}

/** Gives the reserve back, under the id that the payment would have. */
export function releasePosting(distribution: Distribution): Posting {
  const legs = fromReserve(distribution, TREASURY, CASH_TREASURY);
  const id = distribution.closing_transfer_id;
  return { ...partsOf(distribution, 'distribution_release'), id, movement: { legs } };
}

/** Gives the reserve back once the payment was refused for good: its id holds the refusal, so this has another. */
export function returnPosting(distribution: Distribution): Posting {
  return { ...releasePosting(distribution), id: distribution.return_transfer_id };
}

function fromReserve(distribution: Distribution, emoney_to: string, cash_to: string): Leg[] {
  const { reserved_emoney, reserved_cash } = distribution;
  return [...moved(RESERVED, emoney_to, reserved_emoney), ...moved(CASH_RESERVED, cash_to, reserved_cash)];
}

function moved(from: string, to: string, amount: bigint): Leg[] {
  if (amount === 0n) return [];
  return [
    { account: from, amount_minor: Number(-amount) },
    { account: to, amount_minor: Number(amount) },
  ];
}

function partsOf(distribution: Distribution, kind: TransferKind): Omit<Posting, 'id' | 'movement'> {
  const { association_id, currency, reason, beneficiary_member_id } = distribution;
  return {
    chain_id: associationChain(association_id),
    association_id,
    kind,
    currency,
    reference: reason,
    payer_user_id: null,
    member_id: beneficiary_member_id,
  };
}
