import type pg from 'pg';
import { isId } from '../../../lib/schema/rules.ts';
import type { DueRow } from './dues.ts';

interface Row extends Omit<DueRow, 'member_id'> {
  currency: string;
  member_id: string | null;
}

/** Where a list of everybody begins: below every place in a cycle, and every id. */
const FIRST_ORDINAL = 0;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * In a cycle one due for each pinned member, who joined first comes first. Outside of one those who have paid, by id,
 * for UUIDv7 sorts by when they joined. Of the two halves one is always empty.
 */
const LIST_DUES = `
  SELECT m.currency, due.member_id, due.due_minor, due.paid_minor, due.arrears_minor, due.ordinal
  FROM meetings m LEFT JOIN LATERAL (
    (SELECT cm.member_id, cm.hands * c.contribution_amount_minor AS due_minor,
       coalesce(d.paid_minor, 0) + a.late_minor AS paid_minor, a.arrears_minor, cm.ordinal::text AS ordinal,
       cm.ordinal AS place
     FROM cycle_members cm JOIN cycles c ON c.id = cm.cycle_id
     LEFT JOIN dues d ON d.meeting_id = m.id AND d.member_id = cm.member_id
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(paid_minor), 0)::bigint AS late_minor,
         coalesce(sum(amount_minor - paid_minor), 0)::bigint AS arrears_minor
       FROM arrears WHERE meeting_id = m.id AND debtor_id = cm.member_id
     ) a
     WHERE cm.cycle_id = m.cycle_id AND cm.ordinal > $3::integer
     ORDER BY cm.ordinal LIMIT $5)
    UNION ALL
    (SELECT member_id, 0::bigint, paid_minor, 0::bigint, member_id::text, 0
     FROM dues
     WHERE m.cycle_id IS NULL AND meeting_id = m.id AND paid_minor > 0 AND member_id > $4::uuid
     ORDER BY dues.member_id LIMIT $5)
  ) AS due ON true
  WHERE m.id = $1 AND m.association_id = $2
  ORDER BY due.place, due.member_id`;

/**
 * A page of what is due for a meeting, and its currency, in one statement.
 * @param after the `ordinal` of the row before
 * @returns undefined if the association has no such meeting
 */
export async function listDues(
  pool: pg.Pool,
  { association_id, meeting_id }: { association_id: string; meeting_id: string },
  after: string | null,
  limit: number,
): Promise<{ dues: DueRow[]; currency: string } | undefined> {
  const [ordinal, id] = isId(after) ? [FIRST_ORDINAL, after] : [Number(after ?? FIRST_ORDINAL), FIRST_ID];
  const { rows } = await pool.query<Row>({
    name: 'contribution.list_dues',
    text: LIST_DUES,
    values: [meeting_id, association_id, ordinal, id, limit],
  });
  if (rows[0] === undefined) return undefined;
  // The meeting alone, where nothing is due.
  return { dues: rows.filter((row): row is Row & DueRow => row.member_id !== null), currency: rows[0].currency };
}
