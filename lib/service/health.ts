import type { ActionSchema } from 'moleculer';
import { implementCommand } from '../actions/implement.ts';
import type { Command } from '../contracts/action.ts';
import type { Foundation } from './foundation.ts';

type Health = Command<Record<string, never>, { ok: boolean }>;

/** Whether a service can do its work: its database answers. */
export function healthAction(contract: Health, { db }: Foundation): ActionSchema {
  return implementCommand(contract, async () => {
    await db.pool.query('SELECT 1');
    return { ok: true };
  });
}
