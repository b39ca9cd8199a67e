import { subscription } from '../../../lib/service/service-context.ts';
import type { Subscription } from '../../../lib/events/subscription.ts';
import type { Clock } from '../../../lib/node/runtime.ts';
import { releaseBinding } from '../persistence/cycle-bindings.ts';

/** A completed cycle lets its members go: they may leave and change their hands again. */
export function onCycleCompleted(clock: Clock): Subscription {
  return subscription({
    durable: 'membership-cycle-completed',
    type: 'cycle.completed',
    handle: async ({ subject, data }, manager) => {
      if (subject !== undefined) await releaseBinding(manager, subject, data.cycle_id, clock());
    },
  });
}
