import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import { instant, integer, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import type { StateTable } from '../../../lib/saga/states.ts';

export type EndingStatus = 'locking' | 'unlocking' | 'done' | 'refused';

/**
 * The states of an ending (ADR 17). Whether it will be `done` or `refused` is stored before any lock is lifted, so that
 * concurrent attempts at the same ending never undo a completed one.
 */
export const ENDING_STATES: StateTable<EndingStatus> = {
  locking: { next: ['done', 'unlocking'] },
  unlocking: { next: ['refused'] },
  done: { next: [] },
  refused: { next: [] },
};

export const endings = table('endings', {
  /** The id of the approval, or of the operation with which the member leaves. */
  id: key(uuid()),
  association_id: uuid(),
  kind: text<'closure' | 'leaving' | 'expulsion'>(),
  /** The member who leaves or is expelled, and the tenure that ends; both null for a closure. */
  member_id: optional(uuid()),
  tenure: optional(integer()),
  status: text<EndingStatus>(),
  /** Why the ending is refused; null otherwise. */
  refusal: optional(text<ErrorCode>()),
  last_attempt_at: instant(),
});
export type EndingRow = RowOf<typeof endings>;

/** The outcomes of executed approvals, so that a repeat gets the same answer. */
export const executedApprovals = table('executed_approvals', {
  approval_id: key(uuid()),
  association_id: uuid(),
  status: text<ExecutionOutcome['status']>(),
  error: optional(text()),
  executed_at: instant(),
});
