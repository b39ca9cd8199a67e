import type pg from 'pg';

/** What a payment needs to know of its meeting before it is authorised. */
export interface PayableMeeting {
  id: string;
  association_id: string;
  cycle_id: string | null;
  currency: string;
}

const FIND_PAYABLE_MEETING = `
  SELECT id, association_id, cycle_id, currency FROM meetings WHERE id = $1 AND association_id = $2`;

/** The meeting of this association, whatever its status: that is judged where the due is taken. */
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
