import { implementCommand } from '../../../lib/actions/implement.ts';
import { health } from '../../../lib/contracts/contribution.ts';
import type { ContributionDeps } from '../deps.ts';

export function healthCommand({ foundation: { db } }: ContributionDeps) {
  return implementCommand(health, async () => {
    await db.pool.query('SELECT 1');
    return { ok: true };
  });
}
