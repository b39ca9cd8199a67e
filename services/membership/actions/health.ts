import type { ActionSchema } from 'moleculer';
import { implementCommand } from '../../../lib/actions/implement.ts';
import { health } from '../../../lib/contracts/membership.ts';
import type { MembershipDeps } from './deps.ts';

/** Whether the database answers. */
export function healthAction({ foundation }: MembershipDeps): ActionSchema {
  return implementCommand(health, async () => {
    await foundation.db.pool.query('SELECT 1');
    return { ok: true };
  });
}
