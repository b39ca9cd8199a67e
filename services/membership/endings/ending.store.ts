/** Ends of associations and memberships in the database; see associations.ts for the order of locks. */
import type { EntityManager } from 'typeorm';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { rowsOf } from '../../../lib/db/rows-of.ts';
import { SWEEP_MAX_ROWS } from '../../../lib/saga/drive-each.ts';
import { mayBecome } from './ending.table.ts';
import type { EndingState } from './ending.table.ts';

interface EndingOf<Kind> {
  /** The approval that asks for it, or the operation of who leaves. */
  id: string;
  association_id: string;
  kind: Kind;
}
export type Closure = EndingOf<'closure'> & { member_id: null; tenure: null };
/** `tenure`: which of the member's memberships it is. */
export type Departure = EndingOf<'leaving' | 'expulsion'> & { member_id: string; tenure: number };
export type Ending = Closure | Departure;

const COLUMNS = 'id, association_id, kind, member_id, tenure';

/** Begins an ending; to be called under the lock on the association. */
export async function insertEnding(manager: EntityManager, ending: Ending, now: Date): Promise<void> {
  const { id, association_id, kind, member_id, tenure } = ending;
  await manager.query(
    `INSERT INTO endings (${COLUMNS}, state, touched_at) VALUES ($1, $2, $3, $4, $5, 'locking', $6)`,
    [id, association_id, kind, member_id, tenure, now],
  );
}

/** The ending of this id, or else one of the same association or membership that is under way; null if there is none. */
export async function findEnding(
  manager: EntityManager,
  { id, association_id, member_id }: Pick<Ending, 'id' | 'association_id' | 'member_id'>,
): Promise<Ending | null> {
  const rows: Ending[] = await manager.query(
    `SELECT ${COLUMNS} FROM endings
     WHERE id = $1 OR association_id = $2 AND member_id IS NOT DISTINCT FROM $3 AND state IN ('locking', 'unlocking')
     ORDER BY id = $1 DESC LIMIT 1`,
    [id, association_id, member_id],
  );
  return rows[0] ?? null;
}

/** How far the ending has come, and why it is not to be, once that is known; null if it has not begun. */
export async function endingState(
  manager: EntityManager,
  id: string,
): Promise<{ state: EndingState; refusal: ErrorCode | null } | null> {
  const rows: { state: EndingState; refusal: ErrorCode | null }[] = await manager.query(
    'SELECT state, refusal FROM endings WHERE id = $1',
    [id],
  );
  return rows[0] ?? null;
}

/**
 * Moves the ending on, conditional on where it is.
 * @returns false if another driver was faster
 */
export async function moveEnding(
  manager: EntityManager,
  id: string,
  from: EndingState,
  to: EndingState,
  now: Date,
  refusal: ErrorCode | null = null,
): Promise<boolean> {
  if (!mayBecome(from, to)) throw new Error(`an ending that is ${from} never becomes ${to}`);
  const [, moved]: [unknown, number] = await manager.query(
    `UPDATE endings SET state = $3, touched_at = $4, refusal = coalesce($5, refusal) WHERE id = $1 AND state = $2`,
    [id, from, to, now, refusal],
  );
  return moved === 1;
}

/** Takes up endings untouched since `before`, and touches them, so that others leave them alone for a while. */
export async function takeStaleEndings(manager: EntityManager, before: Date, now: Date): Promise<Ending[]> {
  return rowsOf<Ending>(
    manager,
    `UPDATE endings SET touched_at = $2 WHERE id IN (
       SELECT id FROM endings WHERE state IN ('locking', 'unlocking') AND touched_at <= $1
       ORDER BY touched_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING ${COLUMNS}`,
    [before, now, SWEEP_MAX_ROWS],
  );
}
