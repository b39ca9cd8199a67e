/** Distributions, and the life of one as a table. */
import type { Decision } from '../../../lib/contracts/approvals.ts';
import type { Distribution as DistributionAnswer } from '../../../lib/contracts/treasury.ts';
import { bigint, instant, json, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import type { StateTable } from '../../../lib/saga/states.ts';

interface Facts {
  /** What clients see; null: it is not shown. */
  shown: DistributionAnswer['status'] | null;
  /** Whether it is open if it is to be at all: it is refused soon, or its approval is opened. */
  undecided: boolean;
  /** Whether the beneficiary may not leave (contract, `member_has_obligations`). */
  obliges: boolean;
}

const PENDING = 'pending_approval';

const STATES = {
  // Not yet known whether the reserve is there.
  reserving: { next: ['requesting', 'refused'], shown: null, undecided: true, obliges: true },
  // Not yet known whether the approval is open.
  requesting: { next: [PENDING, 'withdrawing'], shown: null, undecided: true, obliges: true },
  // Governance opened none: the reserve is going back.
  withdrawing: { next: ['refused'], shown: null, undecided: true, obliges: false },
  // It never was.
  refused: { next: [], shown: null, undecided: false, obliges: false },
  pending_approval: { next: ['paying', 'releasing'], shown: PENDING, undecided: false, obliges: true },
  // Decided, not yet known whether the ledger has it. Payment and release share one transfer id: the one that finds it
  // taken knows that the other happened.
  paying: { next: ['paid', 'failing', 'rejected'], shown: PENDING, undecided: false, obliges: true },
  releasing: { next: ['rejected', 'paid'], shown: PENDING, undecided: false, obliges: true },
  // The ledger refused the payment for good: the reserve is going back.
  failing: { next: ['failed'], shown: PENDING, undecided: false, obliges: true },
  paid: { next: [], shown: 'paid', undecided: false, obliges: false },
  rejected: { next: [], shown: 'rejected', undecided: false, obliges: false },
  failed: { next: [], shown: 'failed', undecided: false, obliges: false },
} as const satisfies StateTable<string, Facts>;

export type DistributionState = keyof typeof STATES;
export const DISTRIBUTION_STATES: StateTable<DistributionState, Facts> = STATES;

export const distributions = table('distributions', {
  /** Also of the transfer that reserves its funds. */
  id: key(uuid()),
  association_id: uuid(),
  beneficiary_member_id: uuid(),
  /** The beneficiary's payout wallet at the request: they are paid there even if they have left since. */
  payout_wallet_id: text(),
  /** In minor units, as are the two reserves that make it up. */
  amount: bigint(),
  currency: text(),
  reason: text(),
  status: text<DistributionState>(),
  approval_id: uuid(),
  /** The transfer of the payment or of the release: only one of them can ever have it. */
  closing_transfer_id: uuid(),
  /** The transfer that returns the reserve after a payment that was refused for good. */
  return_transfer_id: uuid(),
  reserved_emoney: bigint(),
  reserved_cash: bigint(),
  requested_by_member_id: uuid(),
  requested_at: instant(),
  last_attempt_at: instant(),
  decision: optional(text<Decision>()),
  decided_at: optional(instant()),
  refusal: optional(json<Refusal>()),
});
export type Distribution = RowOf<typeof distributions>;
