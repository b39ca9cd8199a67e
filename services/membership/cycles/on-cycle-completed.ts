import type { Subscription } from '../../../lib/events/handle-events.ts';
import { subscription } from '../../../lib/service/service-context.ts';
import type { MembershipDeps } from '../deps.ts';
import { releaseBinding } from './binding.store.ts';

/** Releases the members of a completed cycle, so that they may leave and change their hands again. */
export function onCycleCompleted({ runtime }: Pick<MembershipDeps, 'runtime'>): Subscription {
  return subscription({
    durable: 'membership-cycle-completed',
    handle: async ({ subject, data }, tx) => {
      if (subject !== undefined) await releaseBinding(tx, subject, data.cycle_id, runtime.clock());
    },
  });
}
