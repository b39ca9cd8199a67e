import { implementCommand } from '../../../lib/service/implement.ts';
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import { executeApproval } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';

/** Carries out what the board has decided on a cash deposit or distribution, once however often it is told. */
export const executeApprovalAction = ({ cashDeposits, distributions }: TreasuryDeps) =>
  implementCommand(executeApproval, async (input, ctx): Promise<ExecutionOutcome> => {
    if (input.subject_type === 'cash_deposit') return cashDeposits.execute(ctx, input);
    if (input.subject_type === 'distribution') return distributions.execute(ctx, input);
    return { status: 'failed', error: 'not_found' };
  });
