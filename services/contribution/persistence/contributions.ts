import { Not } from 'typeorm';
import type { EntityManager } from 'typeorm';
import { SWEEP_MAX_ROWS } from '../../../lib/sagas/drive-each.ts';
import { changedRows } from './changed-rows.ts';
import { ContributionEntity } from './contribution.entity.ts';
import type { ContributionRow } from './contribution.entity.ts';

export async function contributionById(manager: EntityManager, id: string): Promise<ContributionRow> {
  return manager.findOneByOrFail(ContributionEntity, { id });
}

/** A contribution that clients may see. */
export async function findShownContribution(
  manager: EntityManager,
  association_id: string,
  meeting_id: string,
  id: string,
): Promise<ContributionRow | null> {
  return manager.findOneBy(ContributionEntity, { id, association_id, meeting_id, status: Not('refused') });
}

/** Where a page of contributions ended. */
export type ContributionPosition = [created_at: string, id: string];

/** A meeting's contributions, newest first. */
export async function listShownContributions(
  manager: EntityManager,
  meeting_id: string,
  before: ContributionPosition | null,
  limit: number,
): Promise<ContributionRow[]> {
  const [created_at, id] = before ?? [null, null];
  return manager.query(
    `SELECT * FROM contributions
     WHERE meeting_id = $1 AND status <> 'refused'
       AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3::uuid))
     ORDER BY created_at DESC, id DESC LIMIT $4`,
    [meeting_id, created_at, id, limit],
  );
}

export async function hasPending(manager: EntityManager, meeting_id: string): Promise<boolean> {
  const [answer]: { pending: boolean }[] = await manager.query(
    `SELECT EXISTS (SELECT FROM contributions WHERE meeting_id = $1 AND status = 'pending') AS pending`,
    [meeting_id],
  );
  return answer?.pending === true;
}

/** Takes up contributions that were left undecided. */
export async function claimUndecided(
  manager: EntityManager,
  now: Date,
  stale_before: Date,
): Promise<ContributionRow[]> {
  return changedRows<ContributionRow>(
    manager,
    `UPDATE contributions SET driven_at = $1 WHERE id IN (
       SELECT id FROM contributions WHERE status = 'pending' AND driven_at < $2
       ORDER BY driven_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING *`,
    [now, stale_before, SWEEP_MAX_ROWS],
  );
}
