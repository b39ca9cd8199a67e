import { instant, key, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import type { StateTable } from '../../../lib/saga/states.ts';

/**
 * In `locking`, an approved closure locks the association, so that no approval is opened. In `notifying`, the service that
 * owns the subject is notified of the decision, and executes it if it was approved. In `notified`, it has answered.
 */
export type ExecutionStep = 'locking' | 'notifying' | 'notified';

export const EXECUTION_STEPS: StateTable<ExecutionStep> = {
  locking: { next: ['notifying', 'notified'] },
  notifying: { next: ['notified'] },
  notified: { next: [] },
};

/** Executions of decisions. An execution has the same id as its approval. */
export const executions = table('executions', {
  id: key(uuid()),
  status: text<ExecutionStep>(),
  last_attempt_at: instant(),
});
export type ExecutionRow = RowOf<typeof executions>;
