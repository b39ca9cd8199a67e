import { obligations } from '../../../lib/contracts/contribution.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { findObligations } from './association.store.ts';

/** What binds a member here, for membership to know whether they may leave. */
export function obligationsAction({ db }: ContributionDeps) {
  return implementCommand(obligations, ({ association_id, member_id, cycle_id }) =>
    findObligations(db, association_id, member_id, cycle_id),
  );
}
