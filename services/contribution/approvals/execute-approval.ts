import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import { executeApproval } from '../../../lib/contracts/contribution.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { waiveFine } from '../fines/waive-fine.ts';
import { decideSheet } from '../sheets/decide-sheet.ts';
import { DONE, failure } from './outcome.rules.ts';

/** Carries out the board's decision on a fine or a meeting sheet. A repeat changes nothing. */
export function executeApprovalAction(deps: ContributionDeps) {
  return implementCommand(executeApproval, async (input, ctx): Promise<ExecutionOutcome> => {
    if (input.subject_type === 'meeting_sheet') return decideSheet(deps, input, ctx);
    if (input.subject_type !== 'fine_waiver') return failure('not_found');
    return input.decision === 'approved' ? waiveFine(deps, input) : DONE;
  });
}
