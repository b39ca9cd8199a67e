import type { EntityManager } from 'typeorm';
import type { Remains } from '../../../lib/contracts/approvals.ts';
import { LIVE_CYCLE_STATUSES, UNDECIDED_CYCLE_STATUSES } from '../cycles/cycle-states.ts';
import { LIVE_MEETING_STATUSES } from '../meetings/meeting-states.ts';

/**
 * Whether nothing is open in the association: no cycle, no meeting, no arrears, no contribution without outcome. Starts
 * of cycles count for themselves: a closure that failed for one, while it is refused for the closure, would leave neither.
 */
export async function remainsOf(manager: EntityManager, association_id: string): Promise<Remains> {
  const [found]: { remains: Remains }[] = await manager.query(
    `WITH live_cycles AS (
       SELECT status = ANY($3) AS undecided FROM cycles WHERE association_id = $1 AND status = ANY($2))
     SELECT CASE
       WHEN EXISTS (SELECT FROM live_cycles WHERE NOT undecided)
         OR EXISTS (SELECT FROM meetings WHERE association_id = $1 AND status = ANY($4))
         OR EXISTS (SELECT FROM arrears WHERE association_id = $1 AND paid_minor < amount_minor)
         OR EXISTS (SELECT FROM contributions WHERE association_id = $1 AND status = 'pending') THEN 'something'
       WHEN EXISTS (SELECT FROM live_cycles) THEN 'undecided'
       ELSE 'nothing' END AS remains`,
    [association_id, LIVE_CYCLE_STATUSES, UNDECIDED_CYCLE_STATUSES, LIVE_MEETING_STATUSES],
  );
  return found?.remains ?? 'something';
}
