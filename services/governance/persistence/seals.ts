/**
 * Associations in which no approval can be opened any more, as they are being closed. Whoever opens an approval shares a
 * lock on the association with the others who do; whoever seals it has the lock alone. It is taken before any row's.
 */
import type { EntityManager } from 'typeorm';

/** Keeps a closure from sealing the association until this transaction ends. @returns whether it is sealed already */
export async function shareAssociation(manager: EntityManager, association_id: string): Promise<boolean> {
  await manager.query('SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [association_id]);
  return (await sealOf(manager, association_id)) !== null;
}

/** Waits until no request of the association is being stored, and lets none begin until this transaction ends. */
export async function lockAssociation(manager: EntityManager, association_id: string): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [association_id]);
}

/** The closure that has sealed the association; null if it is open. */
export async function sealOf(manager: EntityManager, association_id: string): Promise<{ approval_id: string } | null> {
  const rows: { approval_id: string }[] = await manager.query(
    'SELECT approval_id FROM sealed_associations WHERE association_id = $1',
    [association_id],
  );
  return rows[0] ?? null;
}

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
