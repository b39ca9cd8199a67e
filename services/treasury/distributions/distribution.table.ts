/** Distributions and their states. */
import type { Decision } from '../../../lib/contracts/approvals.ts';
import type { Metadata } from '../../../lib/contracts/metadata.ts';
import type { Distribution as DistributionAnswer } from '../../../lib/contracts/treasury.ts';
import { bigint, instant, json, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import type { StateTable } from '../../../lib/saga/states.ts';

interface Facts {
  /** The status that clients see; null if the distribution is not shown. */
  shown: DistributionAnswer['status'] | null;
  /** Whether it is stored but not accepted yet: it is refused later, or its approval is opened. See readRemains(). */
  undecided: boolean;
  /** Whether it prevents the beneficiary from leaving (`member_has_obligations`). */
  obliges: boolean;
}

const PENDING = 'pending_approval';

const STATES = {
  // The funds are being set aside.
  reserving: { next: ['requesting', 'refused'], shown: null, undecided: true, obliges: true },
  // The approval is being opened.
  requesting: { next: [PENDING, 'withdrawing'], shown: null, undecided: true, obliges: true },
  // Governance refused to open the approval. The reserve is being returned.
  withdrawing: { next: ['refused'], shown: null, undecided: true, obliges: false },
  // The distribution ended before its approval was open.
  refused: { next: [], shown: null, undecided: false, obliges: false },
  pending_approval: { next: ['paying', 'releasing'], shown: PENDING, undecided: false, obliges: true },
  // The distribution is decided and being paid or released. Both transfers have the same id: if one finds the id used,
  // the other was posted.
  paying: { next: ['paid', 'failing', 'rejected'], shown: PENDING, undecided: false, obliges: true },
  releasing: { next: ['rejected', 'paid'], shown: PENDING, undecided: false, obliges: true },
  // The ledger refused the payment, and the refusal is final. The reserve is being returned.
  failing: { next: ['failed'], shown: PENDING, undecided: false, obliges: true },
  paid: { next: ['reversed'], shown: 'paid', undecided: false, obliges: false },
  // A correction took the payment and the reserve back.
  reversed: { next: [], shown: 'reversed', undecided: false, obliges: false },
  rejected: { next: [], shown: 'rejected', undecided: false, obliges: false },
  failed: { next: [], shown: 'failed', undecided: false, obliges: false },
} as const satisfies StateTable<string, Facts>;

export type DistributionState = keyof typeof STATES;
export const DISTRIBUTION_STATES: StateTable<DistributionState, Facts> = STATES;

export const distributions = table('distributions', {
  /** Also the id of the transfer that reserves its funds. */
  id: key(uuid()),
  association_id: uuid(),
  beneficiary_member_id: uuid(),
  /** The beneficiary's payout wallet at the time of the request. They are paid there even if they have left since. */
  payout_wallet_id: text(),
  /** In minor units. The two reserves add up to it. */
  amount: bigint(),
  currency: text(),
  reason: text(),
  status: text<DistributionState>(),
  approval_id: uuid(),
  /** The id of the payment and of the release, so that only one of the two can be posted. */
  closing_transfer_id: uuid(),
  /** The id of the transfer that returns the reserve if the ledger refuses the payment. */
  return_transfer_id: uuid(),
  reserved_emoney: bigint(),
  reserved_cash: bigint(),
  requested_by_member_id: uuid(),
  requested_at: instant(),
  last_attempt_at: instant(),
  decision: optional(text<Decision>()),
  decided_at: optional(instant()),
  refusal: optional(json<Refusal>()),
  /** Null if there is none. */
  metadata: optional(json<Metadata>()),
});
export type Distribution = RowOf<typeof distributions>;
