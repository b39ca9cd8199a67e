import type pg from 'pg';
import type { MeetingStatus } from '../domain/meeting-states.ts';

/** What a payment needs to know of its meeting before it is authorised. */
export interface PayableMeeting {
  id: string;
  association_id: string;
  cycle_id: string | null;
  currency: string;
  status: MeetingStatus;
  /** Of a settled round, whom it paid: those to whom something may be owed from it. */
  beneficiary_ids: string[] | null;
}

const FIND_PAYABLE_MEETING = `
  SELECT id, association_id, cycle_id, currency, status,
    CASE WHEN status = 'settled' THEN ARRAY(
      SELECT DISTINCT h.member_id FROM cycle_hands h WHERE h.cycle_id = m.cycle_id AND h.round = m.round
    ) END AS beneficiary_ids
  FROM meetings m WHERE id = $1 AND association_id = $2`;

/** The meeting of this association, whatever its status: that is judged where the due or the arrears are taken. */
export async function findPayableMeeting(
  pool: pg.Pool,
  association_id: string,
  id: string,
): Promise<PayableMeeting | undefined> {
  const { rows } = await pool.query<PayableMeeting>({
    name: 'find-payable-meeting',
    text: FIND_PAYABLE_MEETING,
    values: [id, association_id],
  });
  return rows[0];
}
