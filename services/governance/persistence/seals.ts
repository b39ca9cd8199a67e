/**
 * Associations in which no approval can be opened any more, as they are being closed. Whoever opens an approval shares
 * the association's lock with the others who do; whoever seals it has the lock alone. Beside those of the other services
 * this seal is governance's own: it sets it itself, one for each association, and drops it when the closure has failed.
 */
import type { EntityManager } from 'typeorm';
import { problem } from '../../../lib/errors/problem.ts';
import { shareAssociation } from '../../../lib/seals/association-lock.ts';

/**
 * Keeps a closure from sealing the association until this transaction ends.
 * @throws association_closed if it is sealed
 */
export async function keepUnsealed(manager: EntityManager, association_id: string): Promise<void> {
  await shareAssociation(manager, association_id);
  if ((await sealOf(manager, association_id)) !== null) throw problem('association_closed');
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
