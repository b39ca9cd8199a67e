import type { Db } from '../../../lib/db/db.ts';
import { sqlList, statesWhere } from '../../../lib/saga/states.ts';
import { FINE_DUE, sumOfFines } from '../fines/fine.table.ts';
import { MEETING_STATES } from '../meetings/meeting.table.ts';

/** What a member owes, in minor units. */
export interface OwedByMember {
  member_id: string;
  outstanding_minor: bigint;
  arrears_minor: bigint;
  fines_minor: bigint;
}

const LIVE = sqlList(statesWhere(MEETING_STATES, ({ live }) => live));

const OWED_BY_MEMBERS = {
  name: 'contribution.owed_by_members',
  text: `
    SELECT asked.member_id,
      -- What is outstanding when the meeting is settled becomes arrears.
      CASE WHEN m.status IN (${LIVE}) THEN greatest(coalesce(cm.due_minor - coalesce(d.taken_minor, 0), 0), 0)
        ELSE 0 END AS outstanding_minor,
      (SELECT coalesce(sum(amount_minor - taken_minor), 0)::bigint FROM arrears
       WHERE association_id = m.association_id AND debtor_id = asked.member_id AND paid_minor < amount_minor
      ) AS arrears_minor,
      (SELECT ${sumOfFines('amount_minor - taken_minor')} FROM fines
       WHERE association_id = m.association_id AND member_id = asked.member_id AND status IN (${FINE_DUE})
      ) AS fines_minor
    FROM meetings m CROSS JOIN unnest($2::uuid[]) AS asked (member_id)
    LEFT JOIN cycle_members cm ON cm.cycle_id = m.cycle_id AND cm.member_id = asked.member_id
    LEFT JOIN dues d ON d.meeting_id = m.id AND d.member_id = asked.member_id
    WHERE m.id = $1`,
};

/** Reads what members owe for a meeting, from settled rounds, and in fines, without what they have paid and the board decides on. */
export function readOwed(db: Db, meeting_id: string, member_ids: readonly string[]): Promise<OwedByMember[]> {
  return db.rows(OWED_BY_MEMBERS, [meeting_id, member_ids]);
}
