import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';

export const DONE: ExecutionOutcome = { status: 'done', error: null };

/** Returns the outcome of a decision that can never be carried out. */
export function failure(error: ErrorCode): ExecutionOutcome {
  return { status: 'failed', error };
}
