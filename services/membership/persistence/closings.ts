/** Closings of associations in the database; see associations.ts for the order of locks. */
import type { EntityManager } from 'typeorm';
import { rowsOf } from '../../../lib/persistence/rows-of.ts';
import { SWEEP_MAX_ROWS } from '../../../lib/sagas/drive-each.ts';
import { mayBecome } from '../domain/closing.ts';
import type { ClosingState } from '../domain/closing.ts';

export interface Closing {
  approval_id: string;
  association_id: string;
}

/** Begins a closing; to be called under the lock on the association. */
export async function insertClosing(
  manager: EntityManager,
  { approval_id, association_id }: Closing,
  now: Date,
): Promise<void> {
  await manager.query(
    `INSERT INTO closings (approval_id, association_id, state, touched_at) VALUES ($1, $2, 'sealing', $3)`,
    [approval_id, association_id, now],
  );
}

/** How far the closing has come; null if it has not begun. */
export async function closingState(manager: EntityManager, approval_id: string): Promise<ClosingState | null> {
  const rows: { state: ClosingState }[] = await manager.query('SELECT state FROM closings WHERE approval_id = $1', [
    approval_id,
  ]);
  return rows[0]?.state ?? null;
}

/**
 * Moves the closing on, conditional on where it is.
 * @returns false if another driver was faster
 */
export async function moveClosing(
  manager: EntityManager,
  approval_id: string,
  from: ClosingState,
  to: ClosingState,
  now: Date,
): Promise<boolean> {
  if (!mayBecome(from, to)) throw new Error(`a closing that is ${from} never becomes ${to}`);
  const [, moved]: [unknown, number] = await manager.query(
    `UPDATE closings SET state = $3, touched_at = $4 WHERE approval_id = $1 AND state = $2`,
    [approval_id, from, to, now],
  );
  return moved === 1;
}

/** Takes up closings untouched since `before`, and touches them, so that others leave them alone for a while. */
export async function takeStaleClosings(manager: EntityManager, before: Date, now: Date): Promise<Closing[]> {
  return rowsOf<Closing>(
    manager,
    `UPDATE closings SET touched_at = $2 WHERE approval_id IN (
       SELECT approval_id FROM closings WHERE state IN ('sealing', 'unsealing') AND touched_at <= $1
       ORDER BY touched_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING approval_id, association_id`,
    [before, now, SWEEP_MAX_ROWS],
  );
}
