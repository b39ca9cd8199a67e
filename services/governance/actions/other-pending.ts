import { implementCommand } from '../../../lib/actions/implement.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import type { GovernanceDeps } from '../deps.ts';
import { hasPending } from '../persistence/approvals.ts';

/** Whether an association has pending approvals beside this one. */
export const otherPendingAction = ({ foundation }: GovernanceDeps) =>
  implementCommand(governance.otherPending, async ({ association_id, approval_id }) => ({
    pending: await hasPending(foundation.db.manager, association_id, approval_id, foundation.runtime.clock()),
  }));
