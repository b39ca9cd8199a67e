import type { Db } from '../../../lib/db/db.ts';
import { shareSubjects } from '../../../lib/locks/advisory.ts';

/**
 * Whether a closure has locked the association, and whether it is done or may fail yet. Where it is `open`, no closure
 * can lock it until this transaction ends.
 */
export async function closureState(db: Db, association_id: string): Promise<'open' | 'closing' | 'closed'> {
  await shareSubjects(db, [association_id]);
  const closures = await db.rows<{ done: boolean }>(
    `SELECT execution_status = 'done' AS done FROM locks JOIN approvals ON approvals.id = locks.owner_id
     WHERE subject = $1 AND NOT lifted`,
    [association_id],
  );
  if (closures.length === 0) return 'open';
  return closures.some(({ done }) => done) ? 'closed' : 'closing';
}
