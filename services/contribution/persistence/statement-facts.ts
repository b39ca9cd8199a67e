import type { MeetingReference } from '../../../lib/contracts/ids.ts';
import type { Connection } from '../../../lib/db/statements.ts';

/** Years of daily rounds; few members owe from more than a handful. */
const ARREARS_MAX_ROUNDS = 1_000;

const MEETINGS_OF_TRANSFERS = {
  name: 'contribution.meetings_of_transfers',
  text: `SELECT m.id, m.round, m.title, m.due_on, array_agg(moved.id) AS transfer_ids
         FROM (
           SELECT id, meeting_id FROM contributions WHERE id = ANY($2::uuid[])
           UNION ALL
           SELECT id, meeting_id FROM settlements WHERE id = ANY($2::uuid[])
         ) moved JOIN meetings m ON m.id = moved.meeting_id
         WHERE m.association_id = $1 GROUP BY m.id`,
};

/** The meetings that transfers are about: a transfer has the id of its contribution, settlement or cancellation. */
export async function meetingsOfTransfers(
  connection: Connection,
  association_id: string,
  transfer_ids: readonly string[],
): Promise<(MeetingReference & { transfer_ids: string[] })[]> {
  return connection.rows(MEETINGS_OF_TRANSFERS, [association_id, transfer_ids]);
}

export interface ArrearsRow extends MeetingReference {
  since: Date;
  owes_minor: bigint;
  is_owed_minor: bigint;
  /** Of all rounds. */
  owes_all_minor: bigint;
  is_owed_all_minor: bigint;
}

const ARREARS_OF_MEMBER = {
  name: 'contribution.arrears_of_member',
  text: `
    WITH unpaid AS (
      SELECT meeting_id, settled_at, amount_minor - paid_minor AS owes_minor, 0::bigint AS is_owed_minor FROM arrears
      WHERE association_id = $1 AND debtor_id = $2 AND paid_minor < amount_minor
      UNION ALL
      SELECT meeting_id, settled_at, 0, amount_minor - paid_minor FROM arrears
      WHERE association_id = $1 AND creditor_id = $2 AND paid_minor < amount_minor
    ), rounds AS (
      SELECT meeting_id, min(settled_at) AS since, sum(owes_minor)::bigint AS owes_minor,
        sum(is_owed_minor)::bigint AS is_owed_minor, sum(sum(owes_minor)) OVER ()::bigint AS owes_all_minor,
        sum(sum(is_owed_minor)) OVER ()::bigint AS is_owed_all_minor
      FROM unpaid GROUP BY meeting_id ORDER BY since, meeting_id LIMIT $3
    )
    SELECT m.id, m.round, m.title, m.due_on, since, owes_minor, is_owed_minor, owes_all_minor, is_owed_all_minor
    FROM rounds JOIN meetings m ON m.id = meeting_id ORDER BY since, m.id`,
};

/** What a member owes and is owed from each settled round, the oldest first. */
export async function arrearsOfMember(
  connection: Connection,
  association_id: string,
  member_id: string,
): Promise<ArrearsRow[]> {
  return connection.rows(ARREARS_OF_MEMBER, [association_id, member_id, ARREARS_MAX_ROUNDS]);
}
