import { implementCommand } from '../../../lib/actions/implement.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import type { GovernanceDeps } from '../governance.deps.ts';

/** Whether governance can do its work: its database answers. */
export const healthAction = ({ foundation }: GovernanceDeps) =>
  implementCommand(governance.health, async () => {
    await foundation.db.manager.query('SELECT 1');
    return { ok: true };
  });
