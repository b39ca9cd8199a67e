/** Recorded cash deposits, and their states. */
import type { Decision } from '../../../lib/contracts/approvals.ts';
import type { CashDeposit as CashDepositAnswer } from '../../../lib/contracts/treasury.ts';
import { bigint, instant, json, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import type { StateTable } from '../../../lib/saga/states.ts';

interface Facts {
  /** What clients see. */
  shown: CashDepositAnswer['status'];
  /** Whether it is stored but not accepted yet: it will be refused, or its approval opened (see REMAINS). */
  undecided: boolean;
  /** Whether the depositor may not leave (contract, `member_has_obligations`). */
  obliges: boolean;
}

const PENDING = 'pending_approval';

const STATES = {
  // Only for a meeting: its due is being taken there.
  taking: { next: ['recording', 'refused'], shown: PENDING, undecided: true, obliges: true },
  // Its approval is being opened.
  recording: { next: [PENDING, 'withdrawing', 'refused'], shown: PENDING, undecided: true, obliges: true },
  // Governance opened no approval: the due is going back.
  withdrawing: { next: ['refused'], shown: 'rejected', undecided: true, obliges: false },
  // Ended before its approval was open.
  refused: { next: [], shown: 'rejected', undecided: false, obliges: false },
  pending_approval: { next: ['confirming', 'dropping', 'rejected'], shown: PENDING, undecided: false, obliges: true },
  // Approved: it is being posted. If the ledger refuses it, it is dropped or rejected.
  confirming: {
    next: ['crediting', 'confirmed', 'dropping', 'rejected'],
    shown: PENDING,
    undecided: false,
    obliges: true,
  },
  // In the meeting's pool: contribution is being notified that the due is paid.
  crediting: { next: ['confirmed'], shown: PENDING, undecided: false, obliges: true },
  // Rejected: the due is going back.
  dropping: { next: ['rejected'], shown: PENDING, undecided: false, obliges: true },
  confirmed: { next: [], shown: 'confirmed', undecided: false, obliges: false },
  rejected: { next: [], shown: 'rejected', undecided: false, obliges: false },
} as const satisfies StateTable<string, Facts>;

export type CashDepositState = keyof typeof STATES;
export const CASH_DEPOSIT_STATES: StateTable<CashDepositState, Facts> = STATES;

export const cashDeposits = table('cash_deposits', {
  /** Also the id of its transfer, and of its contribution to a meeting. */
  id: key(uuid()),
  association_id: uuid(),
  member_id: uuid(),
  /** The meeting to which it is a contribution; null for the treasury. */
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
});
export type CashDeposit = RowOf<typeof cashDeposits>;
