import type { EntityManager } from 'typeorm';
import { SWEEP_MAX_ROWS } from '../../../lib/saga/drive-each.ts';
import { ApprovalEntity } from './approval.entity.ts';
import type { ApprovalRow } from './approval.entity.ts';

/** Pending approvals whose time is over. */
export function expiredApprovals(manager: EntityManager, now: Date): Promise<{ id: string }[]> {
  return manager.query(
    `SELECT id FROM approvals WHERE status = 'pending' AND expires_at <= $1 ORDER BY expires_at LIMIT $2`,
    [now, SWEEP_MAX_ROWS],
  );
}

/** Marks an association's pending approvals to be judged again, as its board has changed. */
export async function markForRejudging(manager: EntityManager, association_id: string, mark: string): Promise<void> {
  await manager.query(`UPDATE approvals SET rejudge_mark = $2 WHERE association_id = $1 AND status = 'pending'`, [
    association_id,
    mark,
  ]);
}

/** Marks one approval to be judged again: the board may have changed while it was being judged. */
export async function markOneForRejudging(manager: EntityManager, id: string, mark: string): Promise<void> {
  await manager.update(ApprovalEntity, { id, status: 'pending' }, { rejudge_mark: mark });
}

/** Approvals marked to be judged again, the longest marked first: marks are UUIDv7, which sort by when they were made. */
export function markedApprovals(manager: EntityManager): Promise<ApprovalRow[]> {
  return manager
    .createQueryBuilder(ApprovalEntity, 'approval')
    .where('approval.rejudge_mark IS NOT NULL')
    .orderBy('approval.rejudge_mark')
    .limit(SWEEP_MAX_ROWS)
    .getMany();
}

/** Takes the mark away, unless the board has changed once more since it was read. */
export async function clearMark(manager: EntityManager, id: string, mark: string): Promise<void> {
  await manager.update(ApprovalEntity, { id, rejudge_mark: mark }, { rejudge_mark: null });
}

/**
 * Takes up decided approvals whose owner has not acknowledged, untouched since `before`, and touches them, so that
 * other nodes and the next sweep leave them alone for a while.
 */
export async function takeUntold(manager: EntityManager, before: Date, now: Date): Promise<ApprovalRow[]> {
  const rows = await manager
    .createQueryBuilder(ApprovalEntity, 'approval')
    .setLock('pessimistic_write')
    .setOnLocked('skip_locked')
    .where('approval.decided_at IS NOT NULL AND approval.owner_told_at IS NULL AND approval.touched_at <= :before', {
      before,
    })
    .orderBy('approval.touched_at')
    .limit(SWEEP_MAX_ROWS)
    .getMany();
  for (const row of rows) await manager.update(ApprovalEntity, { id: row.id }, { touched_at: now });
  return rows;
}
