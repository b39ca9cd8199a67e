import type { EntityManager } from 'typeorm';
import { MEETING_MOVES } from '../domain/meeting-states.ts';
import type { CycleRow } from './cycle.entity.ts';
import type { MeetingRow } from './meeting.entity.ts';

/** What settling a round goes by, as it was at one moment. */
export interface RoundFacts {
  cycle: CycleRow;
  earlier_round_open: boolean;
  /** The members whose hands are paid in it, one for each hand, in rotation order. */
  hands: string[];
  /** The members to whom those owe something from earlier settlements. */
  creditor_ids: string[];
}

const FACTS = `
  WITH hands AS MATERIALIZED (
    SELECT position, member_id FROM cycle_hands WHERE cycle_id = $1 AND round = $2
  )
  SELECT c.*,
    EXISTS (SELECT FROM meetings WHERE cycle_id = $1 AND round < $2 AND status <> $3) AS earlier_round_open,
    ARRAY(SELECT member_id FROM hands ORDER BY position) AS hands,
    ARRAY(
      SELECT DISTINCT creditor_id FROM arrears
      WHERE association_id = c.association_id AND debtor_id = ANY(ARRAY(SELECT member_id FROM hands))
        AND paid_minor < amount_minor
    ) AS creditor_ids
  FROM cycles c WHERE c.id = $1`;

/** Reads them of a meeting that is a round, in one statement. */
export async function roundFacts(
  manager: EntityManager,
  { cycle_id, round }: Pick<MeetingRow, 'cycle_id' | 'round'>,
): Promise<RoundFacts> {
  const rows: (CycleRow & Omit<RoundFacts, 'cycle'>)[] = await manager.query(FACTS, [
    cycle_id,
    round,
    MEETING_MOVES.settle.to,
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error(`Cycle ${String(cycle_id)} is gone; cycles are never deleted`);
  const { earlier_round_open, hands, creditor_ids, ...cycle } = row;
  return { cycle, earlier_round_open, hands, creditor_ids };
}
