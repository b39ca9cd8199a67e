import type { EntityManager } from 'typeorm';
import { problem } from '../../../lib/errors/problem.ts';
import { LIVE_CYCLE_STATUSES } from '../domain/cycle-states.ts';
import { LIVE_MEETING_STATUSES } from '../domain/meeting-states.ts';

/**
 * The class of our advisory locks on associations among those of two integers; the number is arbitrary. Whoever stores
 * a cycle or a meeting shares the lock of its association, whoever seals has it alone; both take it before any row's.
 */
const ASSOCIATION_LOCKS = 7_207;

/** The seal of an association for the approval of its closure. */
export interface Seal {
  association_id: string;
  approval_id: string;
}

/**
 * To be called in the transaction that stores a new cycle or meeting: until it ends, the association cannot be sealed.
 * @throws association_closed if it is sealed
 */
export async function keepUnsealed(manager: EntityManager, association_id: string): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock_shared($1, hashtext($2))', [ASSOCIATION_LOCKS, association_id]);
  // A statement of its own: it has to see what was sealed while we waited for the lock.
  const [found]: { sealed: boolean }[] = await manager.query(
    'SELECT EXISTS (SELECT FROM sealed_associations WHERE association_id = $1 AND NOT lifted) AS sealed',
    [association_id],
  );
  if (found?.sealed === true) throw problem('association_closed');
}

/**
 * Seals the association if nothing is open in it: no cycle, no meeting, no arrears, no contribution without outcome.
 * Nothing of the kind can come to be after. Repeated, it answers the same. For a transaction of its own.
 * @param dry_run only looks
 * @returns whether the association is empty; false as well for a seal that was lifted before it was set
 */
export async function sealIfEmpty(manager: EntityManager, seal: Seal, dry_run: boolean): Promise<boolean> {
  await lockAlone(manager, seal);
  if (!(await isEmpty(manager, seal))) return false;
  if (dry_run) return true;
  const rows: { lifted: boolean }[] = await manager.query(
    `INSERT INTO sealed_associations AS seal (association_id, approval_id, lifted) VALUES ($1, $2, false)
     ON CONFLICT (association_id, approval_id) DO UPDATE SET lifted = seal.lifted RETURNING lifted`,
    [seal.association_id, seal.approval_id],
  );
  return rows[0]?.lifted === false;
}

/**
 * Lifts the seal of this approval for good; those of others stay. That it was lifted is kept, also where there was none
 * yet: a closure that has failed must not seal by a request that arrives late. For a transaction of its own.
 */
export async function liftSeal(manager: EntityManager, seal: Seal): Promise<void> {
  await lockAlone(manager, seal);
  await manager.query(
    `INSERT INTO sealed_associations (association_id, approval_id, lifted) VALUES ($1, $2, true)
     ON CONFLICT (association_id, approval_id) DO UPDATE SET lifted = true`,
    [seal.association_id, seal.approval_id],
  );
}

async function lockAlone(manager: EntityManager, { association_id }: Seal): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [ASSOCIATION_LOCKS, association_id]);
}

async function isEmpty(manager: EntityManager, { association_id }: Seal): Promise<boolean> {
  const [found]: { empty: boolean }[] = await manager.query(
    `SELECT NOT EXISTS (SELECT FROM cycles WHERE association_id = $1 AND status = ANY($2))
        AND NOT EXISTS (SELECT FROM meetings WHERE association_id = $1 AND status = ANY($3))
        AND NOT EXISTS (SELECT FROM arrears WHERE association_id = $1 AND paid_minor < amount_minor)
        AND NOT EXISTS (SELECT FROM contributions WHERE association_id = $1 AND status = 'pending') AS empty`,
    [association_id, LIVE_CYCLE_STATUSES, LIVE_MEETING_STATUSES],
  );
  return found?.empty === true;
}
