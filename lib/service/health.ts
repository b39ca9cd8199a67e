import type { ActionSchema } from 'moleculer';
import { implementCommand } from './implement.ts';
import type { Command } from '../contracts/action.ts';
import { problem } from '../errors/problem.ts';
import type { ServiceContext } from './service-context.ts';

type Health = Command<Record<string, never>, { ok: boolean; delayed_events?: boolean }>;

/**
 * Builds the action that answers whether a service can use its database and, under CLOCK=test, knows the time, and
 * whether its events are published in time.
 */
export function healthAction(contract: Health, { db, runtime, hasDelayedEvents }: ServiceContext): ActionSchema {
  return implementCommand(contract, () => {
    const knowsTime = runtime.testClock?.isKnown() ?? true;
    if (db.availability.fault() !== undefined || !knowsTime) throw problem('service_unavailable');
    return Promise.resolve({ ok: true, delayed_events: hasDelayedEvents() });
  });
}
