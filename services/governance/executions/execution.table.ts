import { instant, key, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import type { StateTable } from '../../../lib/saga/states.ts';

/**
 * `locking`: an approved closure locks the association first, so that no approval is opened. `notifying`: the service that
 * owns the subject is notified of the decision, and executes it if it was approved. `notified`: it has answered.
 */
export type ExecutionStep = 'locking' | 'notifying' | 'notified';

export const EXECUTION_STEPS: StateTable<ExecutionStep> = {
  locking: { next: ['notifying', 'notified'] },
  notifying: { next: ['notified'] },
  notified: { next: [] },
};

/** The executions of decisions; the id is the approval's. */
export const executions = table('executions', {
  id: key(uuid()),
  status: text<ExecutionStep>(),
  last_attempt_at: instant(),
});
export type ExecutionRow = RowOf<typeof executions>;
