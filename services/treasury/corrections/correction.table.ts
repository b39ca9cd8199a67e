/** Corrections and their states. */
import type { Decision } from '../../../lib/contracts/approvals.ts';
import type { Correction as CorrectionAnswer, TransferKind } from '../../../lib/contracts/treasury.ts';
import { bigint, instant, json, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import type { StateTable } from '../../../lib/saga/states.ts';

interface Facts {
  /** The status that clients see; null if the correction is not shown. */
  shown: CorrectionAnswer['status'] | null;
  /** Whether it is stored but not accepted yet: it is refused later, or its approval is opened. See readRemains(). */
  undecided: boolean;
  /** Whether it prevents the member of the transfer from leaving (`member_has_obligations`). */
  obliges: boolean;
  /** Whether it prevents another correction of the transfer. */
  excludes: boolean;
}

const PENDING = 'pending_approval';

const STATES = {
  // The approval is being opened.
  recording: { next: [PENDING, 'refused'], shown: null, undecided: true, obliges: true, excludes: true },
  // The correction ended before its approval was open.
  refused: { next: [], shown: null, undecided: false, obliges: false, excludes: false },
  pending_approval: {
    next: ['taking_back', 'posting', 'rejected'],
    shown: PENDING,
    undecided: false,
    obliges: true,
    excludes: true,
  },
  // The correction is approved. Contribution is taking back what the transfer has paid.
  taking_back: { next: ['posting', 'failed'], shown: PENDING, undecided: false, obliges: true, excludes: true },
  // The ledger is posting the reversal, or refuses it for good.
  posting: {
    next: ['posting_reserve', 'finishing', 'done', 'restoring', 'failed'],
    shown: PENDING,
    undecided: false,
    obliges: true,
    excludes: true,
  },
  // The payment of a distribution is reversed, and its reserve is being reversed.
  posting_reserve: { next: ['done'], shown: PENDING, undecided: false, obliges: true, excludes: true },
  // The reversal is posted. Contribution is being notified.
  finishing: { next: ['done'], shown: PENDING, undecided: false, obliges: true, excludes: true },
  // The ledger refused the reversal. Contribution is being notified, and restores what it has taken back.
  restoring: { next: ['failed'], shown: PENDING, undecided: false, obliges: true, excludes: true },
  done: { next: [], shown: 'done', undecided: false, obliges: false, excludes: true },
  rejected: { next: [], shown: 'rejected', undecided: false, obliges: false, excludes: false },
  failed: { next: [], shown: 'failed', undecided: false, obliges: false, excludes: false },
} as const satisfies StateTable<string, Facts>;

export type CorrectionState = keyof typeof STATES;
export const CORRECTION_STATES: StateTable<CorrectionState, Facts> = STATES;

export const corrections = table('corrections', {
  /** Also the id of the reversal. */
  id: key(uuid()),
  association_id: uuid(),
  /** The transfer that is reversed. A unique index allows one correction of it that has not failed. */
  transfer_id: uuid(),
  /** Its kind. */
  kind: text<TransferKind>(),
  /** Its amount, in minor units. */
  amount: bigint(),
  currency: text(),
  reason: text(),
  /** The member of the transfer; null if it has no single one. */
  member_id: optional(uuid()),
  /** The id of the reversal of a distribution's reserve. Other corrections do not use it. */
  reserve_reversal_id: uuid(),
  status: text<CorrectionState>(),
  approval_id: uuid(),
  requested_by_member_id: uuid(),
  requested_at: instant(),
  last_attempt_at: instant(),
  decision: optional(text<Decision>()),
  decided_at: optional(instant()),
  refusal: optional(json<Refusal>()),
});
export type Correction = RowOf<typeof corrections>;
