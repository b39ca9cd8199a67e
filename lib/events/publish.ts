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

/** An event could not be published, nor those of its association after it. */
export class NotAllPublished extends Error {
  /** What the stream has of the batch. */
  readonly acknowledged: OutboxRow[];

  constructor(cause: unknown, acknowledged: OutboxRow[]) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.acknowledged = acknowledged;
  }
}

/**
 * Publishes each association's events one after the other, and the associations beside each other: what fails in one
 * keeps no other waiting.
 * @throws {NotAllPublished} once no more of them can be
 */
export async function publishInOrder(bus: Bus, rows: OutboxRow[]): Promise<void> {
  const byAssociation = Map.groupBy(rows, (row) => row.association_id);
  const acknowledged: OutboxRow[] = [];
  const outcomes = await Promise.allSettled(
    [...byAssociation.values()].map((events) => publishOneByOne(bus, events, acknowledged)),
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw new NotAllPublished(failed.reason, acknowledged);
}

/** @throws when an event is not acknowledged; it is never overtaken by the next */
async function publishOneByOne(bus: Bus, rows: OutboxRow[], acknowledged: OutboxRow[]): Promise<void> {
  for (const row of rows) {
    await bus.jetstream.publish(subjectOf(row.association_id, row.type), row.event, { msgID: row.event_id });
    acknowledged.push(row);
  }
}
