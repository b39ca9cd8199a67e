import type { CommandInput } from '../../../lib/contracts/action.ts';
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import { executeApproval } from '../../../lib/contracts/treasury.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { PENDING, REJECTED, type BoardRequest, type BoardSaga } from './board-request.ts';

type Input = CommandInput<typeof executeApproval>;

/** Carries out the board's decision on a cash deposit, distribution or correction. Repeated calls have no further effect. */
export const executeApprovalAction = ({ cashDeposits, distributions, corrections }: TreasuryDeps) =>
  implementCommand(executeApproval, async (input, ctx) => {
    if (input.subject_type === 'cash_deposit') return execute(cashDeposits, input, ctx);
    if (input.subject_type === 'distribution') return execute(distributions, input, ctx);
    if (input.subject_type === 'correction') return execute(corrections, input, ctx);
    return failure('not_found');
  });

async function execute<S extends string, Row extends BoardRequest<S>>(
  { saga, opening, done, moveToPending, moveByDecision }: BoardSaga<S, Row>,
  { subject_id, association_id, approval_id, decision }: Input,
  via: CanCall,
): Promise<ExecutionOutcome> {
  const stored = await saga.find(subject_id);
  if (stored?.association_id !== association_id || stored.approval_id !== approval_id) return failure('not_found');
  // The approval is open, even if the request to open it received no answer.
  const opened = stored.status === opening ? await saga.move(stored, moveToPending(stored)) : stored;
  const decided = opened.status === PENDING ? await saga.move(opened, moveByDecision(opened, decision)) : opened;
  const { status, refusal } = await saga.run(decided, { via, isRecovery: false });
  if (refusal !== null) return failure(refusal.code);
  const expected: readonly string[] = decision === 'approved' ? done : [REJECTED];
  if (!expected.includes(status)) return failure('approval_not_pending');
  return { status: 'done', error: null };
}

function failure(error: string): ExecutionOutcome {
  return { status: 'failed', error };
}
