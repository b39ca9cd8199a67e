import { completeRules } from '../../../lib/contracts/membership.ts';
import type { Db, Transaction } from '../../../lib/db/db.ts';
import { insertRows } from '../../../lib/db/table.ts';
import { dueOf } from './cycle.rules.ts';
import { cycleHands, cycleMembers, cycles, SHOWN_CYCLES, type CycleRow } from './cycle.table.ts';
import type { Hand, CycleMember } from './rotation.rules.ts';

/**
 * Stores a cycle in its first state.
 * @returns false, with nothing stored, if the association already has an unfinished cycle, even if it is this one
 */
export async function insertStartingCycle({ orm }: Db, row: CycleRow): Promise<boolean> {
  const insertion = orm
    .createQueryBuilder()
    .insert()
    .into(cycles)
    .values(row as object)
    .orIgnore()
    .returning('id');
  const { raw } = (await insertion.execute()) as { raw: { id: string }[] };
  return raw.length > 0;
}

type CycleRules = Pick<CycleRow, 'rules' | 'rules_version' | 'time_zone'>;

/** Reads the rules that a cycle has pinned. */
export async function findCycleRules(db: Db, id: string): Promise<CycleRules> {
  const row = await db.first<CycleRules>('SELECT rules, rules_version, time_zone FROM cycles WHERE id = $1', [id]);
  if (row === undefined) throw new Error(`Cycle ${id} was not found, but cycles are never deleted`);
  return { ...row, rules: completeRules(row.rules) };
}

/** Returns the number of the association's next cycle. It is stable while a cycle starts, as no other can start. */
export async function nextNumber(db: Db, association_id: string): Promise<number> {
  const row = await db.first<{ number: number }>(
    'SELECT 1 + coalesce(max(number), 0) AS number FROM cycles WHERE association_id = $1',
    [association_id],
  );
  return row?.number ?? 1;
}

/** Stores the members of a starting cycle in join order, each with what they owe for a round, and the cycle's hands. */
export async function insertRotation(
  tx: Transaction,
  { id: cycle_id, contribution_amount_minor }: CycleRow,
  members: readonly CycleMember[],
  hands: readonly Hand[],
): Promise<void> {
  const memberRows = members.map(({ member_id, hands: count }, index) => {
    return {
      cycle_id,
      member_id,
      hands: count,
      due_minor: dueOf(count, contribution_amount_minor),
      ordinal: index + 1,
    };
  });
  await insertRows(tx, cycleMembers, memberRows);
  await insertRows(
    tx,
    cycleHands,
    hands.map((hand) => ({ cycle_id, ...hand })),
  );
}

/** A cycle that clients may see, with its hands. */
export interface ShownCycle {
  row: CycleRow;
  hands: Hand[];
}

/** Finds a cycle that clients may see; undefined if the association has no such cycle. */
export async function findShownCycle(db: Db, association_id: string, id: string): Promise<ShownCycle | undefined> {
  const rows = await db.rows<CycleRow>(
    'SELECT * FROM cycles WHERE id = $1 AND association_id = $2 AND status = ANY($3)',
    [id, association_id, SHOWN_CYCLES],
  );
  return (await addHands(db, rows))[0];
}

/**
 * Lists the cycles of an association that clients may see, newest first.
 * @param before_number lists only cycles with lower numbers; null: from the newest
 */
export async function listShownCycles(
  db: Db,
  association_id: string,
  before_number: number | null,
  limit: number,
): Promise<CycleRow[]> {
  // The bound also leaves out cycles that could not start: they have no number, and would come first in the index.
  return db.rows(
    `SELECT * FROM cycles
     WHERE association_id = $1 AND status = ANY($2) AND number < coalesce($3::bigint, 9223372036854775807)
     ORDER BY number DESC LIMIT $4`,
    [association_id, SHOWN_CYCLES, before_number, limit],
  );
}

/** Adds to each cycle its hands, in rotation order. */
export async function addHands(db: Db, rows: CycleRow[]): Promise<ShownCycle[]> {
  const hands = await db.rows<Hand & { cycle_id: string }>(
    'SELECT * FROM cycle_hands WHERE cycle_id = ANY($1) ORDER BY cycle_id, position',
    [rows.map((row) => row.id)],
  );
  const byCycle = Map.groupBy(hands, (hand) => hand.cycle_id);
  return rows.map((row) => ({ row, hands: byCycle.get(row.id) ?? [] }));
}
