import { implementCommand } from '../../../lib/actions/implement.ts';
import { health } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';

/** Whether the database answers. */
export const healthAction = ({ foundation }: TreasuryDeps) =>
  implementCommand(health, async () => {
    await foundation.db.manager.query('SELECT 1');
    return { ok: true };
  });
