/**
 * A lock on an association in a service's own database, against its being sealed. Whoever stores what would keep the
 * association from closing shares it; whoever seals has it alone. Both take it before they lock any row.
 */
import type { EntityManager } from 'typeorm';

/** The class of these locks among the advisory locks of two integers; the number is arbitrary. */
const ASSOCIATION_LOCKS = 7_207;

/** Keeps the association from being sealed until this transaction ends. */
export async function shareAssociation(manager: EntityManager, association_id: string): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock_shared($1, hashtext($2))', [ASSOCIATION_LOCKS, association_id]);
}

/** Waits for all who share the association, and lets nobody share it until this transaction ends. */
export async function lockAssociation(manager: EntityManager, association_id: string): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [ASSOCIATION_LOCKS, association_id]);
}
