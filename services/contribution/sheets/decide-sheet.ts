import type { CommandInput } from '../../../lib/contracts/action.ts';
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import type { executeApproval } from '../../../lib/contracts/contribution.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import { DONE, failure } from '../approvals/outcome.rules.ts';
import type { ContributionDeps } from '../deps.ts';
import { findSubmissionOf, readSheetOf } from './sheet.store.ts';
import { POSTED_SHEETS, type SubmissionStatus } from './sheet.table.ts';

/** Carries out the board's decision on a sheet. A repeat has no further effect. */
export async function decideSheet(
  { db, sheets: saga }: ContributionDeps,
  { approval_id, association_id, subject_id, decision }: CommandInput<typeof executeApproval>,
  via: CanCall,
): Promise<ExecutionOutcome> {
  const stored = await findSubmissionOf(db, approval_id);
  if (stored?.association_id !== association_id || stored.sheet_id !== subject_id) return failure('not_found');
  // The approval is open, even if the request to open it received no answer.
  const opened =
    stored.status === 'opening'
      ? await saga.move(stored, saga.moveToSubmitted(stored, await readSheetOf(db, stored)))
      : stored;
  const decided =
    opened.status === 'submitted' ? await saga.move(opened, saga.moveByDecision(opened, decision)) : opened;
  const { status, refusal } = await saga.run(decided, { via, isRecovery: false });
  if (refusal !== null) return failure(refusal.code);
  const expected: readonly SubmissionStatus[] = decision === 'approved' ? POSTED_SHEETS : ['rejected'];
  if (!expected.includes(status)) return failure('approval_not_pending');
  return DONE;
}
