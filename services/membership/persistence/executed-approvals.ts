import type { EntityManager } from 'typeorm';
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';

/** How the approval was carried out; null if it was not yet. */
export async function findOutcome(manager: EntityManager, approval_id: string): Promise<ExecutionOutcome | null> {
  const rows: ExecutionOutcome[] = await manager.query(
    'SELECT status, error FROM executed_approvals WHERE approval_id = $1',
    [approval_id],
  );
  return rows[0] ?? null;
}

/** Stores the outcome, in the transaction of what was done. */
export async function insertOutcome(
  manager: EntityManager,
  approval: { approval_id: string; association_id: string },
  outcome: ExecutionOutcome,
  now: Date,
): Promise<void> {
  await manager.query(
    `INSERT INTO executed_approvals (approval_id, association_id, status, error, executed_at)
     VALUES ($1, $2, $3, $4, $5)`,
    [approval.approval_id, approval.association_id, outcome.status, outcome.error, now],
  );
}
