import { subscription, type Subscription } from '@association-service/contracts/subscriber';
import { NAME } from '../contracts.ts';
import { addEvent, findMatching } from './event.store.ts';

export interface EventDeps {
  clock: () => Date;
  newId: () => string;
  reached: (step: string) => Promise<void>;
  /** Tells the dispatcher that these endpoints have something to send. */
  wake: (webhook_ids: readonly string[]) => void;
}

/**
 * Stores each event, and a delivery of it for each endpoint that wants it, in the transaction that marks the event as handled. An
 * event without endpoints is stored too, for replays by one that is created later.
 */
export function onAnyEvent({ clock, newId, reached, wake }: EventDeps): Subscription {
  return subscription({
    durable: `${NAME}-events`,
    type: '*',
    handle: async (event, tx) => {
      const stored = {
        id: event.id,
        association_id: event.subject ?? null,
        type: event.type,
        occurred_at: new Date(event.time),
        body: JSON.stringify(event),
      };
      const webhook_ids = await findMatching(tx, stored);
      const ids = webhook_ids.map(() => newId());
      addEvent(tx, stored, { ids, webhook_ids }, clock());
      await reached('webhooks.event.stored');
      if (webhook_ids.length > 0) tx.afterCommit(() => wake(webhook_ids));
    },
  });
}
