import { AckPolicy, DeliverPolicy } from 'nats';
import { isTableService, TABLE_SERVICES, type TableService } from '../../lib/config/service-names.ts';
import { STREAM, type LedgerEvent } from '../../lib/contracts/events.ts';
import type { Db } from '../../lib/db/db.ts';
import { eventIdOf, type StreamBus } from '../../lib/events/stream.ts';
import { mapInParallel } from '../../lib/events/lost-events.ts';
import { PAGE_ROWS } from './check.ts';

/** The longest wait for a batch of messages. */
const FETCH_MS = 5_000;

/** A message of the stream. */
export interface Message {
  seq: number;
  event_id: string;
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
    for await (const { seq, headers } of await consumer.fetch({ max_messages, expires: FETCH_MS })) {
      messages.push({ seq, event_id: eventIdOf(headers?.get('Nats-Msg-Id') ?? '') });
    }
  }
  await manager.consumers.delete(STREAM, name);
  return messages;
}

/** An event of the stream that is not in the outbox of its service. */
export interface Stranger {
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

/** Finds the messages whose event is in no outbox, in the order of the stream. Empties `unclaimed` except for these. */
export async function findStrangers({ db, bus }: Outboxes, unclaimed: Map<string, Message>): Promise<Stranger[]> {
  for (const service of TABLE_SERVICES) {
    if (unclaimed.size === 0) return [];
    const found = await db[service].rows<{ event_id: string }>(
      'SELECT event_id FROM outbox WHERE event_id = ANY($1::uuid[])',
      [[...unclaimed.keys()]],
    );
    for (const { event_id } of found) unclaimed.delete(event_id);
  }
  if (unclaimed.size === 0) return [];
  const oldest = await readOldest(db);
  const found = await mapInParallel([...unclaimed.values()], async ({ seq }): Promise<Stranger[]> => {
    const stored = await readEvent(bus, seq);
    const service = stored?.event.source.split('/').at(-1) ?? '';
    if (stored === undefined || !isTableService(service)) return [];
    // Older rows have been moved out of the outbox.
    const isMoved = stored.event.time < (oldest[service] ?? '');
    return isMoved ? [] : [{ seq, service, ...stored }];
  });
  return found.flat().sort((a, b) => a.seq - b.seq);
}

async function readEvent(
  { manager }: StreamBus,
  seq: number,
): Promise<Pick<Stranger, 'event' | 'stored_at'> | undefined> {
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

/** Returns the time of the oldest event of each outbox whose first rows have been moved out of it. */
async function readOldest(db: Outboxes['db']): Promise<Partial<Record<TableService, string>>> {
  const oldest: Partial<Record<TableService, string>> = {};
  for (const service of TABLE_SERVICES) {
    const first = await db[service].first<{ time: string; position: bigint }>(
      `SELECT event ->> 'time' AS time, position FROM outbox ORDER BY position LIMIT 1`,
    );
    if (first !== undefined && first.position !== 1n) oldest[service] = first.time;
  }
  return oldest;
}
