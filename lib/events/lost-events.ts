import type { Db } from '../db/db.ts';
import { findLostArchives } from './archives.ts';
import type { Bus } from './bus.ts';
import { isInStream, type StreamPlace } from './stream.ts';
import type { Lease } from './lease.ts';
import { mapInParallel, readLimits } from './stream-limits.ts';

/** As many as a relay's batch, so that the first search covers the whole last batch, in any order in the stream. */
const BATCH_EVENTS = 500;

export interface Search {
  db: Db;
  bus: Bus;
  now: Date;
  /** The lease of the searching relay: its search ends at the first batch without losses. */
  lease?: Lease;
  /** Without a lease, all events after this position are searched. */
  after?: bigint;
}

export interface Found {
  /** How many events the stream lacks. */
  lost: number;
  /** How many of them have later events of their association in the stream. */
  late: number;
  /** The place of the last event that the stream has. */
  newest?: StreamPlace;
  /** How many archives the stream lacks, by their newest event. A relay looks for them only if other events are lost. */
  lost_archives: number;
}

/** A published event of an outbox. */
export interface PublishedEvent {
  position: bigint;
  event_id: string;
  association_id: string | null;
  /** Null if the event was published by a release that did not record places. */
  stream_seq: bigint | null;
  published_at: Date;
  bytes: number;
}

/**
 * Marks the events of an outbox that the stream lacks as not published. It goes from the newest to the oldest, so that the
 * next search continues one that was interrupted. Events that the stream dropped by its limits are not lost.
 */
export async function unmarkLost(search: Search): Promise<Found> {
  const found = await unmarkLostRows(search);
  const { db, bus, now, lease } = search;
  if (lease !== undefined && found.lost === 0) return found;
  return { ...found, lost_archives: (await findLostArchives(db, bus, now)).length };
}

async function unmarkLostRows({ db, bus, now, lease, after = 0n }: Search): Promise<Found> {
  const limits = await readLimits(bus, now);
  const associations_in_stream = new Set<string | null>();
  const found: Found = { lost: 0, late: 0, lost_archives: 0 };
  // Above every position: the search begins at the end of the outbox.
  let before = BigInt(Number.MAX_SAFE_INTEGER);
  /** The size of the events so far. Once it exceeds the stream's limit, the stream must have dropped all earlier events. */
  let bytes = 0;
  for (;;) {
    lease?.check();
    const rows = await db.rows<PublishedEvent>(PUBLISHED, [before.toString(), after.toString(), BATCH_EVENTS]);
    const kept = rows.filter((row) => !limits.isDropped(row));
    const areInStream = await mapInParallel(kept, (row) => {
      if (limits.precedes(row)) return Promise.resolve(false);
      // A relay assumes that the stream has it; `republish` has recorded the place of each event that the stream has.
      if (row.stream_seq === null) return Promise.resolve(lease !== undefined);
      return isInStream(bus, placeOf(row));
    });
    const lost: PublishedEvent[] = [];
    for (const [index, row] of kept.entries()) {
      bytes += row.bytes;
      if (areInStream[index] === true) {
        associations_in_stream.add(row.association_id);
        const place = placeOf(row);
        if (place.stream_seq > (found.newest?.stream_seq ?? 0)) found.newest = place;
      } else {
        lost.push(row);
        if (associations_in_stream.has(row.association_id)) found.late += 1;
      }
    }
    found.lost += await unmark(db, lost, lease);
    const isComplete = lease !== undefined && lost.length === 0;
    const last = rows.at(-1);
    if (isComplete || kept.length === 0 || last === undefined || bytes > limits.bytes) return found;
    before = last.position;
  }
}

function placeOf({ event_id, stream_seq }: PublishedEvent): StreamPlace {
  return { event_id, stream_seq: Number(stream_seq ?? 0) };
}

/** Whether the stream lacks the event, and did not drop it because the stream is full. */
export async function isLost(bus: Bus, now: Date, place: StreamPlace): Promise<boolean> {
  if (await isInStream(bus, place)) return false;
  const limits = await readLimits(bus, now);
  return !(limits.isFull && place.stream_seq < limits.first_seq);
}

async function unmark(db: Db, rows: PublishedEvent[], lease?: Lease): Promise<number> {
  if (rows.length === 0) return 0;
  const positions = rows.map(({ position }) => position.toString());
  const seqs = rows.map(({ stream_seq }) => stream_seq?.toString() ?? null);
  return db.run(UNMARK, [positions, seqs, lease?.epoch.toString() ?? null]);
}

const PUBLISHED = `
  SELECT position, event_id, association_id, stream_seq, published_at, octet_length(event::text) AS bytes
  FROM outbox WHERE published_at IS NOT NULL AND position < $1 AND position > $2
  ORDER BY position DESC LIMIT $3`;

// Changes only rows with the place that was read: a relay may have published the event again since then.
const UNMARK = `
  UPDATE outbox SET published_at = NULL, stream_seq = NULL
  FROM unnest($1::bigint[], $2::bigint[]) AS lost (position, stream_seq)
  WHERE outbox.position = lost.position AND outbox.stream_seq IS NOT DISTINCT FROM lost.stream_seq
    AND ($3::bigint IS NULL OR EXISTS (SELECT FROM outbox_lease WHERE epoch = $3))`;
