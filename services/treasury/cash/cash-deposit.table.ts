/** Recorded cash deposits and their states. */
import type { Decision } from '../../../lib/contracts/approvals.ts';
import type { Metadata } from '../../../lib/contracts/metadata.ts';
import type { CashDeposit as CashDepositAnswer } from '../../../lib/contracts/treasury.ts';
import { bigint, instant, json, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import type { StateTable } from '../../../lib/saga/states.ts';

interface Facts {
  /** The status that clients see; null if the deposit is not shown. */
  shown: CashDepositAnswer['status'] | null;
  /** Whether it is stored but not accepted yet: it is refused later, or its approval is opened. See readRemains(). */
  undecided: boolean;
  /** Whether it prevents the depositor from leaving (`member_has_obligations`). */
  obliges: boolean;
}

const PENDING = 'pending_approval';

const STATES = {
  // The due is being taken in contribution. Only deposits for a meeting have this state.
  taking: { next: ['recording', 'withdrawing', 'refused'], shown: null, undecided: true, obliges: true },
  // The approval is being opened.
  recording: { next: [PENDING, 'withdrawing', 'refused'], shown: null, undecided: true, obliges: true },
  // Governance refused to open the approval, or a service could not be called. The due is being given back, or must not be taken.
  withdrawing: { next: ['refused'], shown: null, undecided: true, obliges: false },
  // The deposit ended before its approval was open.
  refused: { next: [], shown: null, undecided: false, obliges: false },
  pending_approval: { next: ['confirming', 'dropping', 'rejected'], shown: PENDING, undecided: false, obliges: true },
  // The deposit is approved and being posted. If the ledger refuses it, it is dropped or rejected.
  confirming: {
    next: ['crediting', 'confirmed', 'dropping', 'rejected'],
    shown: PENDING,
    undecided: false,
    obliges: true,
  },
  // The cash is in the meeting's pool. Contribution is being notified that the due is paid.
  crediting: { next: ['confirmed'], shown: PENDING, undecided: false, obliges: true },
  // The deposit is rejected. The due is being given back.
  dropping: { next: ['rejected'], shown: PENDING, undecided: false, obliges: true },
  confirmed: { next: ['reversed'], shown: 'confirmed', undecided: false, obliges: false },
  // A correction took the cash back.
  reversed: { next: [], shown: 'reversed', undecided: false, obliges: false },
  rejected: { next: [], shown: 'rejected', undecided: false, obliges: false },
} as const satisfies StateTable<string, Facts>;

export type CashDepositState = keyof typeof STATES;
export const CASH_DEPOSIT_STATES: StateTable<CashDepositState, Facts> = STATES;

export const cashDeposits = table('cash_deposits', {
  /** Also the id of the transfer, and of the contribution to a meeting. */
  id: key(uuid()),
  association_id: uuid(),
  member_id: uuid(),
  /** The meeting to which the deposit is a contribution; null for a deposit to the treasury. */
  meeting_id: optional(uuid()),
  /** In minor units. */
  amount: bigint(),
  currency: text(),
  reason: text(),
  status: text<CashDepositState>(),
  approval_id: uuid(),
  recorded_by_member_id: uuid(),
  recorded_at: instant(),
  last_attempt_at: instant(),
  decision: optional(text<Decision>()),
  refusal: optional(json<Refusal>()),
  /** Null if there is none. */
  metadata: optional(json<Metadata>()),
});
export type CashDeposit = RowOf<typeof cashDeposits>;
