import { subjectOf } from '../contracts/events.ts';
import type { EventType } from '../contracts/events.ts';
import type { Bus } from './bus.ts';
import type { Lease } from './lease.ts';

/** An event as the outbox keeps it. */
export interface OutboxRow {
  position: bigint;
  event_id: string;
  association_id: string | null;
  type: EventType;
  /** The event's JSON. */
  event: string;
}

/** An event that the stream has, and where. */
export interface PublishedRow extends OutboxRow {
  stream_seq: number;
}

/** An event could not be published, nor those of its association after it. */
export class NotAllPublished extends Error {
  /** What the stream has of the batch. */
  readonly published: PublishedRow[];

  constructor(cause: unknown, published: PublishedRow[]) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.published = published;
  }
}

/**
 * Publishes each association's events one after the other, and the associations beside each other: what fails in one
 * keeps no other waiting. Nothing is published once the lease has ended.
 * @throws {NotAllPublished} once no more of them can be
 */
export async function publishInOrder(
  bus: Bus,
  rows: OutboxRow[],
  lease: Pick<Lease, 'check'>,
): Promise<PublishedRow[]> {
  const byAssociation = Map.groupBy(rows, (row) => row.association_id);
  const published: PublishedRow[] = [];
  /** @throws when an event is not acknowledged; it is never overtaken by the next */
  const publishOneByOne = async (events: OutboxRow[]): Promise<void> => {
    for (const row of events) {
      lease.check();
      const subject = subjectOf(row.association_id, row.type);
      const { seq } = await bus.jetstream.publish(subject, row.event, { msgID: row.event_id });
      published.push({ ...row, stream_seq: seq });
    }
  };
  const outcomes = await Promise.allSettled([...byAssociation.values()].map(publishOneByOne));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw new NotAllPublished(failed.reason, published);
  return published;
}
