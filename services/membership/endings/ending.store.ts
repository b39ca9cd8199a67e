/** Endings and the outcomes of approvals in the database; see association.store.ts for the order of locks. */
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import type { Db } from '../../../lib/db/db.ts';
import { sqlList, statesWhere } from '../../../lib/saga/states.ts';
import { ENDING_STATES, executedApprovals, type EndingRow } from './ending.table.ts';

const UNDER_WAY = sqlList(statesWhere(ENDING_STATES, ({ next }) => next.length > 0));

/** Finds the ending with this id, or else an ending of the same association or membership that is under way. */
export function findEnding(
  db: Db,
  { id, association_id, member_id }: Pick<EndingRow, 'id' | 'association_id' | 'member_id'>,
): Promise<EndingRow | undefined> {
  return db.first(
    `SELECT * FROM endings
     WHERE id = $1 OR association_id = $2 AND member_id IS NOT DISTINCT FROM $3 AND status IN (${UNDER_WAY})
     ORDER BY id = $1 DESC LIMIT 1`,
    [id, association_id, member_id],
  );
}

/** The outcome of an approval that was carried out, or of a rejection, which changes nothing. */
export const DONE: ExecutionOutcome = { status: 'done', error: null };

/** Finds the outcome of an approval; null if it was not executed yet. */
export async function findOutcome(db: Db, approval_id: string): Promise<ExecutionOutcome | null> {
  const found = await db.orm.findOneBy(executedApprovals, { approval_id });
  return found && { status: found.status, error: found.error };
}

/** Stores the outcome, in the transaction that carries the approval out. */
export async function insertOutcome(
  tx: Db,
  approval: { approval_id: string; association_id: string },
  outcome: ExecutionOutcome,
  executed_at: Date,
): Promise<void> {
  await tx.orm.insert(executedApprovals, { ...approval, ...outcome, executed_at });
}
