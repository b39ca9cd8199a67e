/**
 * The seals that a closure sets on an association in each service that may hold something of it: what the closing of
 * membership asks for, and takes away again if the closure fails. For services with a table `sealed_associations` of
 * association_id, approval_id (together its key) and lifted.
 */
import type { EntityManager } from 'typeorm';
import type { Remains } from '../contracts/approvals.ts';
import { problem } from '../errors/problem.ts';
import { lockAssociation, shareAssociation } from './association-lock.ts';

/** The seal of an association for the approval of its closure. */
export interface Seal {
  association_id: string;
  approval_id: string;
}

/**
 * To be called in the transaction that stores what an association must not have when it closes: until it ends, the
 * association cannot be sealed.
 * @throws association_closed if it is sealed
 */
export async function keepUnsealed(manager: EntityManager, association_id: string): Promise<void> {
  await shareAssociation(manager, association_id);
  // A statement of its own: it has to see what was sealed while we waited for the lock.
  const [found]: { sealed: boolean }[] = await manager.query(
    'SELECT EXISTS (SELECT FROM sealed_associations WHERE association_id = $1 AND NOT lifted) AS sealed',
    [association_id],
  );
  if (found?.sealed === true) throw problem('association_closed');
}

/**
 * Seals the association if nothing is left in it; repeated, it answers the same. For a transaction of its own.
 * @param remainsOf asked under the lock: nothing stays nothing until the transaction ends, and, once sealed, after
 * @param dry_run only looks
 * @returns what it found; `something` as well for a seal that was lifted before it was set
 */
export async function sealIfEmpty(
  manager: EntityManager,
  { association_id, approval_id }: Seal,
  remainsOf: (manager: EntityManager, association_id: string) => Promise<Remains>,
  dry_run: boolean,
): Promise<Remains> {
  await lockAssociation(manager, association_id);
  const remains = await remainsOf(manager, association_id);
  if (remains !== 'nothing' || dry_run) return remains;
  const rows: { lifted: boolean }[] = await manager.query(
    `INSERT INTO sealed_associations AS seal (association_id, approval_id, lifted) VALUES ($1, $2, false)
     ON CONFLICT (association_id, approval_id) DO UPDATE SET lifted = seal.lifted RETURNING lifted`,
    [association_id, approval_id],
  );
  return rows[0]?.lifted === false ? 'nothing' : 'something';
}

/**
 * Lifts the seal of this approval for good; those of others stay. That it was lifted is kept, also where there was none
 * yet: a closure that has failed must not seal by a request that arrives late. For a transaction of its own.
 */
export async function liftSeal(manager: EntityManager, { association_id, approval_id }: Seal): Promise<void> {
  await lockAssociation(manager, association_id);
  await manager.query(
    `INSERT INTO sealed_associations (association_id, approval_id, lifted) VALUES ($1, $2, true)
     ON CONFLICT (association_id, approval_id) DO UPDATE SET lifted = true`,
    [association_id, approval_id],
  );
}
