/**
 * Associations in which no proposal can be made any more, as they are being closed. Whatever opens an approval shares
 * the association's lock with others that do; what seals it has the lock alone. Governance sets this seal itself, one for
 * each association, and drops it when the closure has failed: until the closure is done it refuses nothing (ADR 17).
 */
import type { EntityManager } from 'typeorm';
import { problem } from '../../../lib/errors/problem.ts';
import { shareSubjects } from '../../../lib/locks/advisory.ts';

/**
 * Keeps closures of the association from beginning until this transaction ends.
 * @throws association_closed if it is closed for good
 */
export async function requireNotClosed(manager: EntityManager, association_id: string): Promise<void> {
  if ((await closureOf(manager, association_id)) === 'done') throw problem('association_closed');
}

/**
 * Whether a closure has sealed the association and may fail yet; if none has, none can until this transaction ends.
 * @throws association_closed if it is closed for good
 */
export async function isBeingClosed(manager: EntityManager, association_id: string): Promise<boolean> {
  const closure = await closureOf(manager, association_id);
  if (closure === 'done') throw problem('association_closed');
  return closure === 'under_way';
}

async function closureOf(manager: EntityManager, association_id: string): Promise<'under_way' | 'done' | null> {
  await shareSubjects(manager, [association_id]);
  const rows: { done: boolean }[] = await manager.query(
    `SELECT approval.execution_status = 'done' AS done
     FROM sealed_associations AS seal JOIN approvals AS approval ON approval.id = seal.approval_id
     WHERE seal.association_id = $1`,
    [association_id],
  );
  if (rows[0] === undefined) return null;
  return rows[0].done ? 'done' : 'under_way';
}

/** The closure that has sealed the association; null if it is open. */
export async function sealOf(manager: EntityManager, association_id: string): Promise<{ approval_id: string } | null> {
  const rows: { approval_id: string }[] = await manager.query(
    'SELECT approval_id FROM sealed_associations WHERE association_id = $1',
    [association_id],
  );
  return rows[0] ?? null;
}

/** Seals an association that is open, under its lock. */
export async function insertSeal(
  manager: EntityManager,
  association_id: string,
  approval_id: string,
  now: Date,
): Promise<void> {
  await manager.query('INSERT INTO sealed_associations (association_id, approval_id, sealed_at) VALUES ($1, $2, $3)', [
    association_id,
    approval_id,
    now,
  ]);
}

/** Opens the association again if the closure which sealed it has failed for good. */
export async function dropSealOfFailed(manager: EntityManager, approval_id: string): Promise<void> {
  await manager.query(
    `DELETE FROM sealed_associations AS seal USING approvals AS approval
     WHERE seal.approval_id = $1 AND approval.id = $1 AND approval.execution_status = 'failed'`,
    [approval_id],
  );
}
