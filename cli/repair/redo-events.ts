/** Completes the outboxes with events that the stream has, and has events delivered again that a restored inbox lost. */
import { TABLE_SERVICES, type TableService } from '../../lib/config/service-names.ts';
import type { Db } from '../../lib/db/db.ts';
import type { StreamBus } from '../../lib/events/stream.ts';
import { isId } from '../../lib/schema/rules.ts';
import { inboxesCheck, ownConsumers, serviceOf } from '../verify/checks/events.ts';
import { findUnknownEvents, readMessages, type Message, type UnknownEvent } from '../verify/stream.ts';
import type { Cursor, Sources } from '../verify/check.ts';
import type { Repair } from './repair.ts';

/** Reads the whole stream, and returns the events that the outboxes do not have. */
export async function findLostEvents(db: Record<TableService, Db>, bus: StreamBus): Promise<UnknownEvent[]> {
  const lost: UnknownEvent[] = [];
  for (let seq = 0; ;) {
    const messages = await readMessages(bus, seq);
    const last = messages.at(-1);
    if (last === undefined) return distinct(lost);
    lost.push(...(await findUnknownEvents({ db, bus }, byEventId(messages))));
    seq = last.seq;
  }
}

function byEventId(messages: readonly Message[]): Map<string, Message> {
  return new Map(messages.filter(({ event_id }) => isId(event_id)).map((message) => [message.event_id, message]));
}

/** The stream may have an event twice. */
function distinct(events: readonly UnknownEvent[]): UnknownEvent[] {
  return [...new Map(events.map((unknown) => [unknown.event.id, unknown])).values()];
}

/** Adds the lost events whose changes are repeated to the outboxes, as published: the stream has them. */
export async function keepEvents(repair: Repair): Promise<void> {
  for (const { seq, service, event, stored_at } of repair.lost.repeated()) {
    const values = [event.id, event.subject ?? null, event.type, JSON.stringify(event), stored_at, seq];
    await repair.tx[service].run(KEEP, values);
    repair.did('events', `keep event ${event.id} (${event.type}) in the outbox of ${service}`);
  }
}

const KEEP = `
  INSERT INTO outbox (event_id, association_id, type, event, published_at, stream_seq) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (event_id) DO NOTHING`;

/** Marks events as published that a restored outbox has as not published, although the stream has them. */
export async function markPublished(repair: Repair): Promise<void> {
  const { tx, bus } = repair;
  const waiting = await Promise.all(
    TABLE_SERVICES.map(async (service) => {
      const rows = await tx[service].rows<{ event_id: string }>(
        'SELECT event_id FROM outbox WHERE published_at IS NULL',
      );
      return rows.map(({ event_id }) => [event_id, service] as const);
    }),
  );
  const services = new Map(waiting.flat());
  if (services.size === 0) return;
  for (let seq = 0; ;) {
    const messages = await readMessages(bus, seq);
    const last = messages.at(-1);
    if (last === undefined) return;
    for (const message of messages) {
      const service = services.get(message.event_id);
      if (service === undefined) continue;
      await tx[service].run(
        'UPDATE outbox SET published_at = $2, stream_seq = $3 WHERE event_id = $1 AND published_at IS NULL',
        [message.event_id, repair.runtime.clock(), message.seq],
      );
      repair.did('published events', `mark event ${message.event_id} of ${service} as published`);
    }
    seq = last.seq;
  }
}

/**
 * Finds the subscriptions whose inbox lacks events that the stream counts as handled. Without its consumer, the stream
 * delivers all events again, and the inbox drops those that it has.
 */
export async function findOutdatedConsumers(sources: Sources): Promise<{ name: string; service: TableService }[]> {
  const outdated = new Set<string>();
  for (let after: Cursor | null = null; ;) {
    const { next, differences } = await inboxesCheck.page(sources, after);
    for (const { key } of differences) outdated.add(key.split(' ')[0] ?? '');
    if (next === null) break;
    after = next;
  }
  const consumers = await ownConsumers(sources.bus);
  return consumers
    .filter(({ name }) => outdated.has(name))
    .map((consumer) => ({ name: consumer.name, service: serviceOf(consumer) }));
}
