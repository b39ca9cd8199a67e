import { subjectOf, type EventType } from '../contracts/events.ts';
import type { LedgerEvent } from '../contracts/events.ts';
import { activeTracer, outcomeOf } from '../tracing/spans.ts';
import type { Bus } from './bus.ts';
import { isInStream } from './stream.ts';
import { causeOf } from './cause.ts';
import type { Lease } from './lease.ts';

/** Each loss of the stream within its duplicate window needs one more message id. */
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

/** An event with its place in the stream. */
export interface PublishedRow extends OutboxRow {
  stream_seq: number;
}

/**
 * Publishes each association's events one after another, and the associations in parallel. After a failure, no later event
 * of the association is published. Nothing is published once the lease has ended.
 * @returns the events that the stream has acknowledged, and the first failure
 */
export async function publishInOrder(
  bus: Bus,
  rows: OutboxRow[],
  lease: Pick<Lease, 'check'>,
): Promise<{ published: PublishedRow[]; failure: Error | undefined }> {
  const byAssociation = Map.groupBy(rows, (row) => row.association_id);
  const published: PublishedRow[] = [];
  /** @throws if an event is not acknowledged, as the next must not overtake it */
  const publishOneByOne = async (events: OutboxRow[]): Promise<void> => {
    for (const row of events) published.push({ ...row, stream_seq: await publishTraced(bus, row, lease) });
  };
  const outcomes = await Promise.allSettled([...byAssociation.values()].map(publishOneByOne));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  return { published, failure: failed?.reason as Error | undefined };
}

/** Publishes an event in a span of the request that caused it. */
async function publishTraced(bus: Bus, row: OutboxRow, lease: Pick<Lease, 'check'>): Promise<number> {
  const tracer = activeTracer();
  if (tracer === undefined) return publishOne(bus, row, lease);
  const cause = causeOf(JSON.parse(row.event) as LedgerEvent);
  const span = tracer.start('producer', `publish ${row.type}`, cause, {
    'messaging.system': 'nats',
    'messaging.operation.type': 'send',
    'messaging.message.id': row.event_id,
  });
  try {
    const stream_seq = await publishOne(bus, row, lease);
    span.end();
    return stream_seq;
  } catch (error) {
    span.end(outcomeOf(error));
    throw error;
  }
}

/**
 * Publishes an event. The server remembers message ids for a while, even those of messages that it has lost: an event that
 * it takes for a duplicate, but does not have, is published with another id.
 * @returns the event's sequence number in the stream
 */
async function publishOne(bus: Bus, row: OutboxRow, lease: Pick<Lease, 'check'>): Promise<number> {
  const subject = subjectOf(row.association_id, row.type);
  for (let more = 0; more < IDS_MAX; more += 1) {
    lease.check();
    const msgID = more === 0 ? row.event_id : `${row.event_id}.${String(more)}`;
    const { seq, duplicate } = await bus.jetstream.publish(subject, row.event, { msgID });
    if (!duplicate || (await isInStream(bus, { event_id: row.event_id, stream_seq: seq }))) return seq;
  }
  throw new Error(`the stream lacks event ${row.event_id}, but takes it for a duplicate`);
}
