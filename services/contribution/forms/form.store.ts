import type { Db } from '../../../lib/db/db.ts';
import { FINE_DUE } from '../fines/fine.table.ts';

/** What a member owes, in minor units. */
export interface OwedByMember {
  member_id: string;
  outstanding_minor: bigint;
  arrears_minor: bigint;
  fines_minor: bigint;
}

const OWED_BY_MEMBERS = {
  name: 'contribution.owed_by_members',
  text: `
    SELECT asked.member_id, greatest(coalesce(cm.due_minor - coalesce(d.paid_minor, 0), 0), 0) AS outstanding_minor,
      (SELECT coalesce(sum(amount_minor - paid_minor), 0)::bigint FROM arrears
       WHERE association_id = m.association_id AND debtor_id = asked.member_id AND paid_minor < amount_minor
      ) AS arrears_minor,
      (SELECT coalesce(sum(amount_minor - paid_minor), 0)::bigint FROM fines
       WHERE association_id = m.association_id AND member_id = asked.member_id AND status IN (${FINE_DUE})
      ) AS fines_minor
    FROM meetings m CROSS JOIN unnest($2::uuid[]) AS asked (member_id)
    LEFT JOIN cycle_members cm ON cm.cycle_id = m.cycle_id AND cm.member_id = asked.member_id
    LEFT JOIN dues d ON d.meeting_id = m.id AND d.member_id = asked.member_id
    WHERE m.id = $1`,
};

/** Reads what members owe for a meeting, from settled rounds, and in fines. */
export function readOwed(db: Db, meeting_id: string, member_ids: readonly string[]): Promise<OwedByMember[]> {
  return db.rows(OWED_BY_MEMBERS, [meeting_id, member_ids]);
}
