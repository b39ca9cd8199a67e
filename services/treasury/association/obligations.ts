import { implementCommand } from '../../../lib/service/implement.ts';
import { obligations } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { hasObligations } from './obligations.store.ts';

/** Whether a cash deposit or distribution of the member awaits its decision or execution. */
export const obligationsAction = ({ foundation }: TreasuryDeps) =>
  implementCommand(obligations, async ({ association_id, member_id }) => ({
    pending: await hasObligations(foundation.db.manager, association_id, member_id),
  }));
