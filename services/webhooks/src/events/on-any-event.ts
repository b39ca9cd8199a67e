import { subscription, type Subscription } from '@association-service/contracts/subscriber';
import { NAME } from '../contracts.ts';
import { addEvent } from './event.store.ts';

export interface EventDeps {
  clock: () => Date;
  newId: () => string;
  reached: (step: string) => Promise<void>;
  /** Is told of each stored event. */
  stored: (event_id: string) => void;
}

/**
 * Stores each event, and a delivery of it for each endpoint that wants it, in the transaction that marks the event as handled. An
 * event without endpoints is stored too, for replays by one that is created later.
 */
export function onAnyEvent({ clock, newId, reached, stored }: EventDeps): Subscription {
  return subscription({
    durable: `${NAME}-events`,
    type: '*',
    handle: async (event, tx) => {
      const { id, type, subject, time } = event;
      const association_id = subject ?? null;
      const row = { id, association_id, type, occurred_at: new Date(time), body: JSON.stringify(event) };
      // Without waiting for an answer, so that the events of a transaction share a round trip.
      addEvent(tx, row, newId(), clock());
      tx.afterCommit(() => stored(id));
      await reached('webhooks.event.stored');
    },
  });
}
