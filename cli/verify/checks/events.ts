/** The outboxes, the event stream, and the inboxes of subscriptions. */
import type { ConsumerInfo } from 'nats';
import { isTableService, TABLE_SERVICES, type TableService } from '../../../lib/config/service-names.ts';
import { STREAM } from '../../../lib/contracts/events.ts';
import { isInStream } from '../../../lib/events/stream.ts';
import { findLostArchives } from '../../../lib/events/archives.ts';
import type { PublishedEvent } from '../../../lib/events/lost-events.ts';
import { mapInParallel, readLimits, type Limits } from '../../../lib/events/stream-limits.ts';
import { isId } from '../../../lib/schema/rules.ts';
import { findUnknownEvents, readMessages, type Message } from '../stream.ts';
import { PAGE_ROWS, type Check, type Cursor, type Difference, type Sources } from '../check.ts';

/** Far longer than a relay takes, even after an outage of NATS of some minutes. */
const UNPUBLISHED_MAX_MS = 5 * 60_000;

/** How far ahead of a batch an outbox is read. Rows whose place is further away are looked up one by one. */
const LOOK_AHEAD_MESSAGES = 100_000;

/** How many rows of an outbox one page compares; the others follow in the next page. */
const OUTBOX_MAX_ROWS = 20_000;

export const unpublishedCheck: Check = {
  name: 'unpublished',
  compares: 'the age of events that wait in an outbox with five minutes',
  byId: false,
  async page({ db }) {
    const found = await Promise.all(
      TABLE_SERVICES.map(async (service) => {
        const waiting = await db[service].first<{ count: number; oldest: string; event_id: string }>(
          `SELECT count(*) OVER ()::integer AS count, event ->> 'time' AS oldest, event_id FROM outbox
           WHERE published_at IS NULL AND (event ->> 'time')::timestamptz < now() - $1 * interval '1 millisecond'
           ORDER BY position LIMIT 1`,
          [UNPUBLISHED_MAX_MS],
        );
        if (waiting === undefined) return [];
        const text = `${service}: ${String(waiting.count)} events are not published, the oldest, ${waiting.event_id}, is of ${waiting.oldest}`;
        return [{ key: service, text }];
      }),
    );
    return { next: null, compared: TABLE_SERVICES.length, differences: found.flat() };
  },
};

type OutboxPlace = Pick<PublishedEvent, 'position' | 'event_id' | 'stream_seq' | 'published_at'>;

const PUBLISHED = {
  name: 'verify.published',
  text: `SELECT position, event_id, stream_seq, published_at FROM outbox
         WHERE position > $1 AND published_at IS NOT NULL ORDER BY position LIMIT $2`,
};

/** The sequence number of the last message that was compared, and the last position of each outbox. */
type StreamCursor = readonly number[];

/**
 * Reads the stream and each outbox once, side by side: outboxes are published in order. Rows that are not near their
 * neighbours, as they were published again, are looked up one by one. Of archived events, the newest of each file is looked up.
 */
export const streamCheck: Check = {
  name: 'stream',
  compares: 'each published event of the outboxes with the stream, and each event of the stream with the outboxes',
  byId: false,
  async page(sources, after) {
    const [seq = 0, ...positions] = (after as StreamCursor | null) ?? [];
    const limits = await readLimits(sources.bus, new Date());
    const messages = await readMessages(sources.bus, seq);
    const isLast = messages.length < PAGE_ROWS;
    const batch: Batch = { after_seq: seq, last_seq: messages.at(-1)?.seq ?? seq, isLast, bySeq: new Map() };
    for (const message of messages) batch.bySeq.set(message.seq, message.event_id);
    const unclaimed = new Map(messages.filter(({ event_id }) => isId(event_id)).map((each) => [each.event_id, each]));
    const outboxes = await Promise.all(
      TABLE_SERVICES.map((service, index) => compareOutbox(sources, service, positions[index] ?? 0, batch, limits)),
    );
    for (const { claimed } of outboxes) for (const id of claimed) unclaimed.delete(id);
    const differences = [
      ...(after === null ? await lostArchives(sources) : []),
      ...outboxes.flatMap((each) => each.differences),
      ...(await unknownEvents(sources, unclaimed)),
    ];
    const hasMore = !isLast || outboxes.some((each) => each.hasMore);
    const next: Cursor = [batch.last_seq, ...outboxes.map((each) => each.position)];
    const compared = messages.length + outboxes.reduce((sum, each) => sum + each.compared, 0);
    return { next: hasMore ? next : null, compared, differences };
  },
};

interface Batch {
  after_seq: number;
  last_seq: number;
  /** Whether it reaches the end of the stream. */
  isLast: boolean;
  bySeq: Map<number, string>;
}

/** Compares the rows of an outbox up to the end of the batch. */
async function compareOutbox(
  { db, bus }: Sources,
  service: TableService,
  after_position: number,
  batch: Batch,
  limits: Limits,
) {
  const claimed: string[] = [];
  const apart: OutboxPlace[] = [];
  let position = after_position;
  let compared = 0;
  let hasMore = true;
  reading: while (hasMore && compared < OUTBOX_MAX_ROWS) {
    const rows = await db[service].rows<OutboxPlace>(PUBLISHED, [position, PAGE_ROWS]);
    hasMore = rows.length === PAGE_ROWS;
    for (const row of rows) {
      const seq = Number(row.stream_seq ?? 0);
      if (seq > batch.last_seq && seq <= batch.last_seq + LOOK_AHEAD_MESSAGES && !batch.isLast) {
        hasMore = true;
        break reading;
      }
      position = Number(row.position);
      compared += 1;
      if (batch.bySeq.get(seq) === row.event_id) claimed.push(row.event_id);
      // Releases before 0.1 did not record places, and the stream drops its oldest events at its limits.
      else if (row.stream_seq !== null && !limits.isDropped(row)) apart.push(row);
    }
  }
  const areInStream = await mapInParallel(apart, ({ event_id, stream_seq }) =>
    isInStream(bus, { event_id, stream_seq: Number(stream_seq) }),
  );
  const differences = apart
    .filter((_, index) => areInStream[index] === false)
    .map(({ event_id, stream_seq, position: at }): Difference => {
      const text = `event ${event_id} of ${service} (position ${String(at)}) is not in the stream at ${String(stream_seq)}`;
      return { key: event_id, text };
    });
  return { position, compared, hasMore, claimed, differences };
}

async function lostArchives({ db, bus }: Sources): Promise<Difference[]> {
  const found = await Promise.all(
    TABLE_SERVICES.map(async (service) => {
      const lost = await findLostArchives(db[service], bus, new Date());
      return lost.map(({ newest_event_id, stream_seq, file }) => {
        const text = `archived event ${newest_event_id} of ${service} (${file}) is not in the stream at ${String(stream_seq)}`;
        return { key: newest_event_id, text };
      });
    }),
  );
  return found.flat();
}

async function unknownEvents(sources: Sources, unclaimed: Map<string, Message>): Promise<Difference[]> {
  const events = await findUnknownEvents(sources, unclaimed);
  return events.map(({ seq, service, event: { id, type, time } }) => {
    const text = `the stream has event ${id} (${type}) of ${service} of ${time} at ${String(seq)}, which its outbox does not have`;
    return { key: id, text };
  });
}

export const inboxesCheck: Check = {
  name: 'inboxes',
  compares: 'the events that the stream counts as handled with the inbox of each subscription',
  byId: false,
  async page(sources, after) {
    const [name = '', seq = 0] = (after as [string, number] | null) ?? [];
    const consumers = (await ownConsumers(sources.bus)).filter((each) => each.name >= name);
    const consumer = consumers[0];
    if (consumer === undefined) return { next: null, compared: 0, differences: [] };
    const from = consumer.name === name ? seq : 0;
    const read = await readMessages(sources.bus, from, consumer.config.filter_subject);
    const handled = read.filter((each) => each.seq <= consumer.ack_floor.stream_seq && isId(each.event_id));
    const service = serviceOf(consumer);
    const ids = handled.map(({ event_id }) => event_id);
    const missing = await sources.db[service].rows<{ event_id: string }>(NOT_HANDLED, [consumer.name, ids]);
    const differences = missing.map(({ event_id }) => {
      const text = `${service}: the subscription ${consumer.name} has acknowledged event ${event_id}, which its inbox does not have`;
      return { key: `${consumer.name} ${event_id}`, text };
    });
    const hasMore = handled.length === PAGE_ROWS;
    const following = consumers[1]?.name;
    const next = hasMore ? [consumer.name, handled.at(-1)?.seq ?? 0] : following === undefined ? null : [following, 0];
    return { next, compared: handled.length, differences };
  },
};

const NOT_HANDLED = `
  SELECT event_id FROM unnest($2::uuid[]) AS handled (event_id)
  WHERE NOT EXISTS (SELECT FROM inbox WHERE consumer = $1 AND inbox.event_id = handled.event_id)
    AND NOT EXISTS (SELECT FROM dead_letters WHERE consumer = $1 AND dead_letters.event_id = handled.event_id)`;

/** Lists the durable consumers of the services, by name. Their names begin with the service's. */
export async function ownConsumers({ manager }: Sources['bus']): Promise<ConsumerInfo[]> {
  const own: ConsumerInfo[] = [];
  for await (const info of manager.consumers.list(STREAM)) {
    if (info.config.durable_name !== undefined && isTableService(ownerOf(info))) own.push(info);
  }
  return own.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const ownerOf = ({ name }: ConsumerInfo): string => name.split('-')[0] ?? '';

/** Returns the service whose durable consumer it is. */
export function serviceOf(consumer: ConsumerInfo): TableService {
  const service = ownerOf(consumer);
  if (!isTableService(service)) throw new RangeError(`${consumer.name} is not a consumer of a service`);
  return service;
}
