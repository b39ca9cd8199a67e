import { millis } from 'nats';
import { STREAM } from '../contracts/events.ts';
import type { Db } from '../db/db.ts';
import type { Bus } from './bus.ts';
import { isInStream } from './in-stream.ts';
import type { StreamPlace } from './in-stream.ts';
import type { Lease } from './lease.ts';

/** As many as a relay publishes at a time: what it published last is among them, whatever the order of the stream. */
const BATCH_EVENTS = 500;

/** Requests in flight to JetStream. */
const AT_ONCE = 64;

/** Clocks of services and of NATS differ by less: what will have reached the stream's age by then is not looked for. */
const CLOCKS_DIFFER_MS = 60_000;

/** A stream holds a little less than its limit, since messages leave it whole. */
const NEARLY_FULL = 0.9;

export interface Search {
  db: Db;
  bus: Bus;
  now: Date;
  /** Of the relay that searches: it begins at the newest event, and stops where 500 in a row are all there. */
  lease?: Lease;
  /** Without a lease: searches all events behind this position. */
  after?: bigint;
}

export interface Found {
  /** How many events the stream lacks. */
  lost: number;
  /** How many of them have later events of their association in the stream. */
  late: number;
  /** The one that comes last in the stream, of those that it has. */
  newest?: StreamPlace;
}

interface Row {
  position: bigint;
  event_id: string;
  association_id: string | null;
  stream_seq: bigint | null;
  published_at: Date;
  bytes: number;
}

/**
 * Marks what the stream lacks of an outbox as not published, from the newest to the oldest, so that a search that was
 * interrupted begins where it ended. What has left the stream by its limits is not lost.
 */
export async function unmarkLost({ db, bus, now, lease, after = 0n }: Search): Promise<Found> {
  const limits = await readLimits(bus, now);
  const there = new Set<string | null>();
  const found: Found = { lost: 0, late: 0 };
  let before = BigInt(Number.MAX_SAFE_INTEGER);
  let bytes = 0;
  for (;;) {
    lease?.check();
    const rows = await db.rows<Row>(PUBLISHED, [before.toString(), after.toString(), BATCH_EVENTS]);
    const kept = rows.filter((row) => !limits.drop(row));
    const isThere = await eachAtOnce(kept, (row) => {
      if (limits.precedes(row)) return Promise.resolve(false);
      // Of one from before places were recorded a relay knows no more; those who search all have looked for it.
      if (row.stream_seq === null) return Promise.resolve(lease !== undefined);
      return isInStream(bus, placeOf(row));
    });
    const lost: Row[] = [];
    for (const [index, row] of kept.entries()) {
      bytes += row.bytes;
      if (isThere[index] === true) {
        there.add(row.association_id);
        const place = placeOf(row);
        if (place.stream_seq > (found.newest?.stream_seq ?? 0)) found.newest = place;
      } else {
        lost.push(row);
        if (there.has(row.association_id)) found.late += 1;
      }
    }
    found.lost += await unmark(db, lost, lease);
    const isWhole = lease !== undefined && lost.length === 0;
    const last = rows.at(-1);
    if (isWhole || kept.length === 0 || last === undefined || bytes > limits.bytes) return found;
    before = last.position;
  }
}

function placeOf({ event_id, stream_seq }: Row): StreamPlace {
  return { event_id, stream_seq: Number(stream_seq ?? 0) };
}

/** Whether the stream lacks the event, though it is not full: then events push out others, also of the same batch. */
export async function isLost(bus: Bus, now: Date, place: StreamPlace): Promise<boolean> {
  if (await isInStream(bus, place)) return false;
  const limits = await readLimits(bus, now);
  return !(limits.isFull && place.stream_seq < limits.first_seq);
}

interface Limits {
  isFull: boolean;
  first_seq: number;
  /** Whether an event lies before what the stream has. */
  precedes(row: Row): boolean;
  /** Whether an event has left the stream by its limits, or would at once. */
  drop(row: Row): boolean;
  bytes: number;
}

async function readLimits(bus: Bus, now: Date): Promise<Limits> {
  const { config, state } = await bus.manager.streams.info(STREAM);
  const first_ms = state.messages === 0 ? Infinity : Date.parse(state.first_ts);
  const oldest_ms = config.max_age === 0 ? 0 : now.getTime() - millis(config.max_age) + CLOCKS_DIFFER_MS;
  const isFull =
    (config.max_bytes > 0 && state.bytes >= NEARLY_FULL * config.max_bytes) ||
    (config.max_msgs > 0 && state.messages >= NEARLY_FULL * config.max_msgs);
  const precedes = ({ stream_seq, published_at }: Row): boolean =>
    stream_seq === null ? published_at.getTime() < first_ms : stream_seq < state.first_seq;
  return {
    isFull,
    first_seq: state.first_seq,
    precedes,
    drop: (row) => row.published_at.getTime() < oldest_ms || (isFull && precedes(row)),
    bytes: config.max_bytes > 0 ? config.max_bytes : Infinity,
  };
}

async function eachAtOnce<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    answers.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(ask))));
  }
  return answers;
}

async function unmark(db: Db, rows: Row[], lease?: Lease): Promise<number> {
  if (rows.length === 0) return 0;
  const positions = rows.map(({ position }) => position.toString());
  const seqs = rows.map(({ stream_seq }) => stream_seq?.toString() ?? null);
  return db.run(UNMARK, [positions, seqs, lease?.epoch.toString() ?? null]);
}

const PUBLISHED = `
  SELECT position, event_id, association_id, stream_seq, published_at, octet_length(event::text) AS bytes
  FROM outbox WHERE published_at IS NOT NULL AND position < $1 AND position > $2
  ORDER BY position DESC LIMIT $3`;

// The place as it was read: a relay beside may have published it again in between.
const UNMARK = `
  UPDATE outbox SET published_at = NULL, stream_seq = NULL
  FROM unnest($1::bigint[], $2::bigint[]) AS lost (position, stream_seq)
  WHERE outbox.position = lost.position AND outbox.stream_seq IS NOT DISTINCT FROM lost.stream_seq
    AND ($3::bigint IS NULL OR EXISTS (SELECT FROM outbox_lease WHERE epoch = $3))`;
