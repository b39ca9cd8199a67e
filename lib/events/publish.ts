import { subjectOf } from '../contracts/events.ts';
import type { EventType } from '../contracts/events.ts';
import type { Bus } from './bus.ts';
import { isInStream } from './in-stream.ts';
import type { Lease } from './lease.ts';

/** Each loss of the stream within its duplicate window takes one more. */
const IDS_MAX = 20;

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
    for (const row of events) published.push({ ...row, stream_seq: await publishOne(bus, row, lease) });
  };
  const outcomes = await Promise.allSettled([...byAssociation.values()].map(publishOneByOne));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw new NotAllPublished(failed.reason, published);
  return published;
}

/**
 * The server remembers ids for a while, also those of messages that it has lost: what it calls a duplicate is looked for,
 * and published with another id if it is not there.
 * @returns where the stream has it
 */
async function publishOne(bus: Bus, row: OutboxRow, lease: Pick<Lease, 'check'>): Promise<number> {
  const subject = subjectOf(row.association_id, row.type);
  for (let more = 0; more < IDS_MAX; more += 1) {
    lease.check();
    const msgID = more === 0 ? row.event_id : `${row.event_id}.${String(more)}`;
    const { seq, duplicate } = await bus.jetstream.publish(subject, row.event, { msgID });
    if (!duplicate || (await isInStream(bus, { event_id: row.event_id, stream_seq: seq }))) return seq;
  }
  throw new Error(`the stream lacks event ${row.event_id}, and takes it for a duplicate`);
}
