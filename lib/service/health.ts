import type { ActionSchema } from 'moleculer';
import { implementCommand } from './implement.ts';
import type { Command } from '../contracts/action.ts';
import { problem } from '../errors/problem.ts';
import type { ServiceContext } from './service-context.ts';

type Health = Command<Record<string, never>, { ok: boolean; delayed_events?: boolean }>;

/** Builds the action that answers whether a service can use its database, and whether its events are published in time. */
export function healthAction(contract: Health, { db, hasDelayedEvents }: ServiceContext): ActionSchema {
  return implementCommand(contract, () => {
    if (db.availability.fault() !== undefined) throw problem('service_unavailable');
    return Promise.resolve({ ok: true, delayed_events: hasDelayedEvents() });
  });
}
