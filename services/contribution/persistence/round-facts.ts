import type { Connection } from '../../../lib/db/statements.ts';
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
  /** Where it is the last of a cycle of savings, all members of the cycle, in natural order. */
  saver_ids: string[];
}

const MEETING = {
  name: 'contribution.meeting',
  text: 'SELECT * FROM meetings WHERE id = $1 AND association_id = $2',
};

const FACTS = {
  name: 'contribution.round_facts',
  text: `
    WITH round AS MATERIALIZED (
      SELECT cycle_id, round FROM meetings WHERE id = $1 AND association_id = $2
    ), hands AS MATERIALIZED (
      SELECT h.position, h.member_id FROM round r JOIN cycle_hands h ON h.cycle_id = r.cycle_id AND h.round = r.round
    )
    SELECT c.*,
      EXISTS (
        SELECT FROM meetings WHERE cycle_id = c.id AND round < r.round AND status <> '${MEETING_MOVES.settle.to}'
      ) AS earlier_round_open,
      ARRAY(SELECT member_id FROM hands ORDER BY position) AS hands,
      ARRAY(
        SELECT DISTINCT creditor_id FROM arrears
        WHERE association_id = c.association_id AND debtor_id = ANY(ARRAY(SELECT member_id FROM hands))
          AND paid_minor < amount_minor
      ) AS creditor_ids,
      ARRAY(
        SELECT member_id FROM cycle_members
        WHERE cycle_id = c.id AND c.rotation_order IS NULL AND c.rounds = r.round ORDER BY ordinal
      ) AS saver_ids
    FROM round r JOIN cycles c ON c.id = r.cycle_id`,
};

/** A meeting, and the facts of the round that it is; undefined for those of one outside a cycle. */
export interface MeetingFacts {
  meeting: MeetingRow;
  round: RoundFacts | undefined;
}

/** Reads them, side by side; undefined if the association has no such meeting. */
export async function meetingFacts(
  connection: Connection,
  { association_id, meeting_id }: { association_id: string; meeting_id: string },
): Promise<MeetingFacts | undefined> {
  const asked = [meeting_id, association_id];
  const [[meeting], [row]] = await Promise.all([
    connection.rows<MeetingRow>(MEETING, asked),
    connection.rows<CycleRow & Omit<RoundFacts, 'cycle'>>(FACTS, asked),
  ]);
  if (meeting === undefined) return undefined;
  if (row === undefined) return { meeting, round: undefined };
  const { earlier_round_open, hands, creditor_ids, saver_ids, ...cycle } = row;
  return { meeting, round: { cycle, earlier_round_open, hands, creditor_ids, saver_ids } };
}
