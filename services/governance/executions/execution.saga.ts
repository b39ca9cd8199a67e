import type { Decision, ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { updateStatement } from '../../../lib/db/table.ts';
import { liftLock, lockIfEmpty } from '../../../lib/locks/locks.ts';
import { createSaga, type Move, type Saga } from '../../../lib/saga/saga.ts';
import type { SagaTimings } from '../../../lib/saga/timings.ts';
import { callOrRefusal, type CanCall } from '../../../lib/service/call.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import { findApproval, hasUndecided } from '../approvals/approval.store.ts';
import { approvals, type ApprovalRow } from '../approvals/approval.table.ts';
import { OWNER_OF } from './execution.rules.ts';
import { EXECUTION_STEPS, executions, type ExecutionRow, type ExecutionStep } from './execution.table.ts';

export type ExecutionSaga = Saga<ExecutionStep, ExecutionRow>;

/** The command that notifies each owner of a decision. */
const COMMANDS = {
  membership: membership.executeApproval,
  contribution: contribution.executeApproval,
  treasury: treasury.executeApproval,
};

/**
 * Creates the saga that notifies the service that owns a subject of the decision, and stores the outcome. The owner
 * executes a decision once, even if it is notified several times. A closure first locks the association here, so that no
 * approval is opened in the meantime.
 */
export function createExecutionSaga(context: ServiceContext, timings: SagaTimings): ExecutionSaga {
  const { db, runtime } = context;

  async function loadDecided({ id }: ExecutionRow): Promise<ApprovalRow> {
    const approval = await findApproval(db, id);
    if (approval === undefined) throw new Error(`Approval ${id} was not found, but approvals are never deleted`);
    return approval;
  }

  return createSaga<ExecutionStep, ExecutionRow>(context, timings, {
    name: 'execution',
    table: executions,
    states: EXECUTION_STEPS,
    steps: {
      locking: async (row) => {
        const approval = await loadDecided(row);
        const { association_id: subject, id: owner_id } = approval;
        const remains = await db.transaction((tx) =>
          lockIfEmpty(tx, { subject, owner_id }, async () =>
            (await hasUndecided(tx, subject, owner_id, runtime.clock())) ? 'something' : 'nothing',
          ),
        );
        if (remains === 'nothing') return { to: 'notifying' };
        return outcomeMove({ status: 'failed', error: 'association_not_empty' }, approval);
      },
      notifying: async (row, { via }) => {
        const approval = await loadDecided(row);
        const outcome = await notifyOwner(via, approval, timings.call_timeout_ms);
        return outcomeMove(outcome, approval);
      },
    },
  });
}

/** Returns the move that stores the outcome, and unlocks the association if its closure has failed. */
function outcomeMove(outcome: ExecutionOutcome, approval: ApprovalRow): Move<ExecutionStep, ExecutionRow> {
  return {
    to: 'notified',
    also: async (tx, { id }) => {
      const { status: execution_status, error: execution_error } = outcome;
      tx.send(
        ...updateStatement(approvals, { id, execution_status: 'pending' }, { execution_status, execution_error }),
      );
      if (execution_status === 'failed') await unlock(tx, approval);
    },
  };
}

async function unlock(tx: Transaction, { id: owner_id, association_id, subject_type }: ApprovalRow): Promise<void> {
  if (subject_type === 'closure') await liftLock(tx, { subject: association_id, owner_id });
}

/**
 * Notifies the owner of the subject.
 * @throws if the outcome is unknown, or the call did not run
 */
async function notifyOwner(via: CanCall, approval: ApprovalRow, timeout_ms: number): Promise<ExecutionOutcome> {
  const { id: approval_id, association_id, subject_type, subject_id, payload } = approval;
  const owner = OWNER_OF[subject_type];
  if (owner === null) throw new Error(`A ${subject_type} has no owner to notify`);
  const decision = approval.status as Decision;
  const input = { approval_id, association_id, subject_type, subject_id, decision, payload };
  const notified = await callOrRefusal(via, COMMANDS[owner], input, timeout_ms);
  // A refusal is final: the same command would be refused again.
  return notified.refusal === undefined ? notified.answer : { status: 'failed', error: notified.refusal.code };
}
