import { publisherOf, subjectOf } from '../contracts/events.ts';
import type { Db } from '../db/db.ts';
import type { Clock } from '../node/clock.ts';
import { readArchive, type ArchivedEvent } from './archive-file.ts';
import { listArchives, readNewestArchived, type Archive } from './archives.ts';
import { ensureStream, type StreamBus } from './stream.ts';
import { publishInOrder } from './publish.ts';
import { readLimits } from './stream-limits.ts';
import { readStream } from './stream-messages.ts';

/** As many as a relay's batch. */
const BATCH_EVENTS = 500;

/** What the stream has of archived events. */
export interface StreamContent {
  /** The newest event that was archived when the stream was read; empty if there was none. */
  border: string;
  /** The sequence numbers of events that may be archived, by id. */
  seqs: Map<string, number>;
  /** The newest event of each service and association. */
  newest: Map<string, string>;
}

/** Reads which events the stream has, which is created if it is lost. The memory grows by about 120 bytes for each event that may be archived. */
export async function readStreamContent(bus: StreamBus, outboxes: readonly Db[]): Promise<StreamContent> {
  const borders = await Promise.all(outboxes.map(readNewestArchived));
  const border =
    borders
      .filter((id) => id !== undefined)
      .sort()
      .at(-1) ?? '';
  const content: StreamContent = { border, seqs: new Map(), newest: new Map() };
  await ensureStream(bus);
  if (border === '') return content;
  for await (const messages of readStream(bus)) {
    for (const { event_id, subject, seq } of messages) {
      if (event_id <= border) content.seqs.set(event_id, seq);
      const chain = chainOf(subject);
      if (event_id > (content.newest.get(chain) ?? '')) content.newest.set(chain, event_id);
    }
  }
  return content;
}

export interface RepublishParts {
  db: Db;
  bus: StreamBus;
  clock: Clock;
  /** The directory of the files. */
  dir: string;
  /** Earlier events are left out. */
  since: Date;
  content: StreamContent;
}

/**
 * Publishes the archived events of an outbox that the stream lacks, in their order. Events that the stream has dropped by its
 * limits, or would drop, are left out. It can be interrupted and repeated.
 * @returns how many events were published, and how many of them after later ones of their association
 * @throws StartupError if a file is missing, or is not the recorded one: earlier files are published then
 */
export async function republishArchives(parts: RepublishParts): Promise<{ lost: number; late: number }> {
  const { db, bus, clock, dir, since, content } = parts;
  const limits = await readLimits(bus, clock());
  // Those that were archived since the stream was read are left out: whether the stream has their events is not known.
  const archives = (await listArchives(db)).filter(
    ({ last_time, newest_event_id }) => last_time >= since && newest_event_id <= content.border,
  );
  const found = { lost: 0, late: 0 };
  for (const archive of await newestWithin(db, archives, limits.bytes)) {
    const events = await readArchive(dir, archive);
    const lost = events.filter(
      (event) => new Date(event.time) >= since && !content.seqs.has(event.event_id) && !limits.isDropped(event),
    );
    found.lost += lost.length;
    found.late += lost.filter(
      (event) => event.event_id < (content.newest.get(chainOf(subjectOf(event.association_id, event.type))) ?? ''),
    ).length;
    for (let start = 0; start < lost.length; start += BATCH_EVENTS)
      await publish(bus, lost.slice(start, start + BATCH_EVENTS), content);
    await recordPlace(db, archive, content, clock());
  }
  return found;
}

/** Returns the newest archives that a stream of this size can hold besides the events of the outbox. */
async function newestWithin(db: Db, archives: Archive[], bytes_max: number): Promise<Archive[]> {
  if (!Number.isFinite(bytes_max)) return archives;
  const outbox = await db.first<{ bytes: bigint }>(
    'SELECT coalesce(sum(octet_length(event::text)), 0)::bigint AS bytes FROM outbox',
  );
  let left_bytes = bytes_max - Number(outbox?.bytes ?? 0n);
  const first = archives.findLastIndex(({ bytes }) => (left_bytes -= Number(bytes)) < 0);
  return archives.slice(first + 1);
}

async function publish(bus: StreamBus, events: ArchivedEvent[], { seqs }: StreamContent): Promise<void> {
  // No relay publishes archived events, so no lease is needed. A second republish publishes copies, which have the same ids.
  const { published, failure } = await publishInOrder(bus, events, { check: () => undefined });
  for (const { event_id, stream_seq } of published) seqs.set(event_id, stream_seq);
  if (failure !== undefined) throw failure;
}

/** Records where the stream has the newest event of an archive, by which relays and verification look for it. */
async function recordPlace(db: Db, archive: Archive, { seqs }: StreamContent, now: Date): Promise<void> {
  const seq = seqs.get(archive.newest_event_id);
  if (seq === undefined || seq === Number(archive.stream_seq)) return;
  await db.run('UPDATE outbox_archives SET stream_seq = $2, published_at = $3 WHERE last_position = $1', [
    archive.last_position.toString(),
    seq,
    now,
  ]);
}

/** Returns the service and the association, whose events are in order. */
function chainOf(subject: string): string {
  return `${publisherOf(subject) ?? ''} ${subject.split('.')[2] ?? ''}`;
}
