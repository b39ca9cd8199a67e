import { In } from 'typeorm';
import type { EntityManager } from 'typeorm';
import { rowsOf } from '../../../lib/db/rows-of.ts';
import { SWEEP_MAX_ROWS } from '../../../lib/saga/drive-each.ts';
import { CYCLE_MOVES, SHOWN_CYCLE_STATUSES } from '../domain/cycle-states.ts';
import type { Hand } from '../domain/rotation.ts';
import { CycleEntity } from './cycle.entity.ts';
import type { CycleRow, StoredRefusal } from './cycle.entity.ts';

/** Stores a cycle that is to start; false if one of the association has not completed, be it this one. */
export async function insertStartingCycle(manager: EntityManager, row: CycleRow): Promise<boolean> {
  const insertion = manager.createQueryBuilder().insert().into(CycleEntity).values(row).orIgnore().returning('id');
  const { raw } = (await insertion.execute()) as { raw: { id: string }[] };
  return raw.length > 0;
}

/** A cycle in whatever state: for who started it. */
export async function findCycle(manager: EntityManager, id: string): Promise<CycleRow | null> {
  return manager.findOneBy(CycleEntity, { id });
}

/** A cycle that clients may see. */
export async function findShownCycle(
  manager: EntityManager,
  association_id: string,
  id: string,
): Promise<CycleRow | null> {
  return manager.findOneBy(CycleEntity, { id, association_id, status: In(SHOWN_CYCLE_STATUSES) });
}

/** An association's cycles, newest first, after the one with this number. */
export async function listShownCycles(
  manager: EntityManager,
  association_id: string,
  before_number: number | null,
  limit: number,
): Promise<CycleRow[]> {
  return manager.query(
    `SELECT * FROM cycles
     WHERE association_id = $1 AND status = ANY($2) AND ($3::integer IS NULL OR number < $3)
     ORDER BY number DESC LIMIT $4`,
    [association_id, SHOWN_CYCLE_STATUSES, before_number, limit],
  );
}

/** The hands of these cycles, in rotation order. */
export async function handsOf(manager: EntityManager, cycle_ids: string[]): Promise<Map<string, Hand[]>> {
  const rows: (Hand & { cycle_id: string })[] = await manager.query(
    `SELECT cycle_id, position, member_id, round FROM cycle_hands
     WHERE cycle_id = ANY($1) ORDER BY cycle_id, position`,
    [cycle_ids],
  );
  return Map.groupBy(rows, (row) => row.cycle_id);
}

/** Gives up a start that cannot succeed, and keeps the reason; false if the cycle was not starting any more. */
export async function beginRefusing(manager: EntityManager, id: string, refusal: StoredRefusal): Promise<boolean> {
  const { from, to } = CYCLE_MOVES.begin_refusing;
  const rows = await rowsOf(
    manager,
    'UPDATE cycles SET status = $2, refusal = $4 WHERE id = $1 AND status = ANY($3) RETURNING id',
    [id, to, from, JSON.stringify(refusal)],
  );
  return rows.length > 0;
}

/** Ends a start that was given up, its members being free again. */
export async function endRefusing(manager: EntityManager, id: string): Promise<void> {
  const { from, to } = CYCLE_MOVES.refuse;
  await manager.query('UPDATE cycles SET status = $2 WHERE id = $1 AND status = ANY($3)', [id, to, from]);
}

/** Takes up cycles whose start was left half done. */
export async function claimHalfStarted(manager: EntityManager, now: Date, stale_before: Date): Promise<CycleRow[]> {
  return rowsOf<CycleRow>(
    manager,
    `UPDATE cycles SET driven_at = $1 WHERE id IN (
       SELECT id FROM cycles WHERE status IN ('starting', 'refusing') AND driven_at < $2
       ORDER BY driven_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING *`,
    [now, stale_before, SWEEP_MAX_ROWS],
  );
}

/** Whether the member is bound by a cycle that has not ended: this one, or any where none is named. */
export async function bindsMember(
  manager: EntityManager,
  association_id: string,
  member_id: string,
  cycle_id: string | null,
): Promise<boolean> {
  const [answer]: { bound: boolean }[] = await manager.query(
    `SELECT EXISTS (
       SELECT FROM cycles c WHERE c.association_id = $1 AND ($3::uuid IS NULL OR c.id = $3)
         AND (c.status = 'starting' AND $3 IS NOT NULL
           OR c.status = 'running' AND EXISTS (
             SELECT FROM cycle_members m WHERE m.cycle_id = c.id AND m.member_id = $2))
     ) AS bound`,
    [association_id, member_id, cycle_id],
  );
  return answer?.bound === true;
}
