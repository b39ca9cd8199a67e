import type { EntityManager } from 'typeorm';
import { problem } from '../../../lib/errors/problem.ts';
import { CASH_DEPOSIT_OVER } from '../domain/cash-deposit.ts';
import { DISTRIBUTION_OVER } from '../domain/distribution.ts';

/**
 * The class of our advisory locks on associations among those of two integers; the number is arbitrary. Whoever stores
 * a request shares the lock of its association, whoever seals has it alone; both take it first in their transactions.
 */
const ASSOCIATION_LOCKS = 7_207;

/**
 * To be called in the transaction that stores a new request: until it ends, the association cannot be sealed.
 * @throws association_closed if it is sealed
 */
export async function keepUnsealed(manager: EntityManager, association_id: string): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock_shared($1, hashtext($2))', [ASSOCIATION_LOCKS, association_id]);
  const [sealed]: { sealed: boolean }[] = await manager.query(
    'SELECT EXISTS (SELECT FROM sealed_associations WHERE association_id = $1 AND NOT lifted) AS sealed',
    [association_id],
  );
  if (sealed?.sealed === true) throw problem('association_closed');
}

/**
 * Seals the association for this approval if all its accounts are at zero and its requests are over; repeated, it
 * answers the same. For a transaction of its own.
 * @param dry_run only looks
 * @returns whether the association is empty; false as well for a seal that was lifted before it was set
 */
export async function sealIfEmpty(
  manager: EntityManager,
  seal: { association_id: string; approval_id: string; dry_run: boolean },
): Promise<boolean> {
  const { association_id, approval_id, dry_run } = seal;
  await manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [ASSOCIATION_LOCKS, association_id]);
  const [found]: { empty: boolean }[] = await manager.query(
    `SELECT NOT EXISTS (SELECT FROM accounts WHERE association_id = $1 AND balance <> 0)
        AND NOT EXISTS (SELECT FROM cash_deposits WHERE association_id = $1 AND status <> ALL($2))
        AND NOT EXISTS (SELECT FROM distributions WHERE association_id = $1 AND status <> ALL($3)) AS empty`,
    [association_id, CASH_DEPOSIT_OVER, DISTRIBUTION_OVER],
  );
  if (found?.empty !== true) return false;
  if (dry_run) return true;
  const rows: { lifted: boolean }[] = await manager.query(
    `INSERT INTO sealed_associations AS seal (association_id, approval_id, lifted) VALUES ($1, $2, false)
     ON CONFLICT (association_id, approval_id) DO UPDATE SET lifted = seal.lifted RETURNING lifted`,
    [association_id, approval_id],
  );
  return rows[0]?.lifted === false;
}

/**
 * Lifts the seal of this approval for good; those of others stay. That it was lifted is kept, also where there was none
 * yet: a closure that has failed must not seal by a request that arrives late.
 */
export async function unseal(manager: EntityManager, association_id: string, approval_id: string): Promise<void> {
  await manager.query(
    `INSERT INTO sealed_associations (association_id, approval_id, lifted) VALUES ($1, $2, true)
     ON CONFLICT (association_id, approval_id) DO UPDATE SET lifted = true`,
    [association_id, approval_id],
  );
}
