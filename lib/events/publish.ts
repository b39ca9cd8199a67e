import { subjectOf } from '../contracts/events.ts';
import type { EventType } from '../contracts/events.ts';
import type { Bus } from './bus.ts';

/** An event as the outbox keeps it. */
export interface OutboxRow {
  position: bigint;
  event_id: string;
  association_id: string | null;
  type: EventType;
  /** The event's JSON. */
  event: string;
}

/** Publishes each association's events one after the other, and the associations beside each other. */
export async function publishInOrder(bus: Bus, rows: OutboxRow[]): Promise<void> {
  const byAssociation = Map.groupBy(rows, (row) => row.association_id);
  await Promise.all([...byAssociation.values()].map((events) => publishOneByOne(bus, events)));
}

/** @throws when an event is not acknowledged; those before it are, and will be dropped as duplicates next time */
async function publishOneByOne(bus: Bus, rows: OutboxRow[]): Promise<void> {
  for (const row of rows) {
    await bus.jetstream.publish(subjectOf(row.association_id, row.type), row.event, { msgID: row.event_id });
  }
}
