import { implementCommand } from '../../../lib/service/implement.ts';
import { obligations } from '../../../lib/contracts/contribution.ts';
import type { ContributionDeps } from '../deps.ts';
import { hasArrears } from '../arrears/arrears.store.ts';
import { bindsMember } from '../cycles/cycle.store.ts';

/** What binds a member here, for membership to know whether he may leave. */
export function obligationsAction({ foundation: { db } }: ContributionDeps) {
  return implementCommand(obligations, async ({ association_id, member_id, cycle_id }) => ({
    cycle_running: await bindsMember(db.manager, association_id, member_id, cycle_id),
    has_arrears: await hasArrears(db.manager, association_id, member_id),
  }));
}
