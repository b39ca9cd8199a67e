import type pg from 'pg';
import type { MeetingStatus } from '../meetings/meeting-states.ts';

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

const FIND_PAYABLE_MEETINGS = `
  SELECT id, association_id, cycle_id, currency, status,
    CASE WHEN status = 'settled' THEN ARRAY(
      SELECT DISTINCT h.member_id FROM cycle_hands h WHERE h.cycle_id = m.cycle_id AND h.round = m.round
    ) END AS beneficiary_ids
  FROM meetings m WHERE id = ANY($1::uuid[])`;

/** Which meeting of which association. */
export interface MeetingOfAssociation {
  association_id: string;
  meeting_id: string;
}

/** Those meetings, whatever their status: that is judged where the due or the arrears are taken. */
export async function findPayableMeetings(
  pool: pg.Pool,
  asked: readonly MeetingOfAssociation[],
): Promise<(PayableMeeting | undefined)[]> {
  const ids = [...new Set(asked.map((each) => each.meeting_id))];
  const { rows } = await pool.query<PayableMeeting>({
    name: 'contribution.find_payable_meetings',
    text: FIND_PAYABLE_MEETINGS,
    values: [ids],
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return asked.map(({ association_id, meeting_id }) => {
    const found = byId.get(meeting_id);
    return found?.association_id === association_id ? found : undefined;
  });
}

/** The meeting of this association. */
export async function findPayableMeeting(
  pool: pg.Pool,
  association_id: string,
  meeting_id: string,
): Promise<PayableMeeting | undefined> {
  return (await findPayableMeetings(pool, [{ association_id, meeting_id }]))[0];
}
