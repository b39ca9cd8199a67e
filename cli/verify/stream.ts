import { AckPolicy, DeliverPolicy } from 'nats';
import { isTableService, TABLE_SERVICES, type TableService } from '../../lib/config/service-names.ts';
import { publisherOf, STREAM, type LedgerEvent } from '../../lib/contracts/events.ts';
import type { Db } from '../../lib/db/db.ts';
import { readNewestArchived } from '../../lib/events/archives.ts';
import { eventIdOf, type StreamBus } from '../../lib/events/stream.ts';
import { mapInParallel } from '../../lib/events/stream-limits.ts';
import { PAGE_ROWS } from './check.ts';

/** The longest wait for a batch of messages. */
const FETCH_MS = 5_000;

/** A message of the stream. */
export interface Message {
  seq: number;
  event_id: string;
  subject: string;
}

/** Reads the messages after a place, without their content. */
export async function readMessages(
  { manager, jetstream }: StreamBus,
  after_seq: number,
  filter?: string,
): Promise<Message[]> {
  const { name, num_pending } = await manager.consumers.add(STREAM, {
    headers_only: true,
    mem_storage: true,
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: after_seq + 1,
    ...(filter === undefined ? {} : { filter_subject: filter }),
  });
  const messages: Message[] = [];
  if (num_pending > 0) {
    const consumer = await jetstream.consumers.get(STREAM, name);
    const max_messages = Math.min(num_pending, PAGE_ROWS);
    for await (const { seq, headers, subject } of await consumer.fetch({ max_messages, expires: FETCH_MS })) {
      messages.push({ seq, subject, event_id: eventIdOf(headers?.get('Nats-Msg-Id') ?? '') });
    }
  }
  await manager.consumers.delete(STREAM, name);
  return messages;
}

/** An event of the stream that its service does not have. */
export interface UnknownEvent {
  seq: number;
  service: TableService;
  event: LedgerEvent;
  /** When the stream stored it. */
  stored_at: Date;
}

/** Where to look for events. */
export interface Outboxes {
  db: Record<TableService, Db>;
  bus: StreamBus;
}

/** Finds the messages whose event is neither in an outbox nor archived, in the order of the stream. Changes `unclaimed`. */
export async function findUnknownEvents(
  { db, bus }: Outboxes,
  unclaimed: Map<string, Message>,
): Promise<UnknownEvent[]> {
  for (const service of TABLE_SERVICES) {
    if (unclaimed.size === 0) return [];
    const found = await db[service].rows<{ event_id: string }>(
      'SELECT event_id FROM outbox WHERE event_id = ANY($1::uuid[])',
      [[...unclaimed.keys()]],
    );
    for (const { event_id } of found) unclaimed.delete(event_id);
  }
  const archived = await readNewestOfEach(db);
  for (const { event_id, subject } of unclaimed.values()) {
    const service = publisherOf(subject);
    if (service !== undefined && event_id <= (archived[service] ?? '')) unclaimed.delete(event_id);
  }
  const found = await mapInParallel([...unclaimed.values()], async ({ seq }): Promise<UnknownEvent[]> => {
    const stored = await readEvent(bus, seq);
    const service = stored?.event.source.split('/').at(-1) ?? '';
    return stored === undefined || !isTableService(service) ? [] : [{ seq, service, ...stored }];
  });
  return found.flat().sort((a, b) => a.seq - b.seq);
}

async function readEvent(
  { manager }: StreamBus,
  seq: number,
): Promise<Pick<UnknownEvent, 'event' | 'stored_at'> | undefined> {
  const message = await manager.streams.getMessage(STREAM, { seq });
  try {
    const event = message.json<Partial<LedgerEvent> | null>();
    if (typeof event?.source !== 'string') return undefined;
    return { event: event as LedgerEvent, stored_at: message.time };
  } catch {
    // Not an event: another program may publish to the subjects.
    return undefined;
  }
}

/** Returns the newest archived event of each service that has archived some. */
async function readNewestOfEach(db: Outboxes['db']): Promise<Partial<Record<TableService, string>>> {
  const newest = TABLE_SERVICES.map(async (service) => [service, await readNewestArchived(db[service])] as const);
  return Object.fromEntries(await Promise.all(newest));
}
