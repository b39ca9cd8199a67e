import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db/db.ts';
import { isId } from '../schema/rules.ts';
import { ensureStream, type StreamBus } from './stream.ts';
import { unmarkLost, type Found } from './lost-events.ts';
import { startRelay, type RelayParts } from './outbox-relay.ts';
import { readStream } from './stream-messages.ts';

/** How often it checks whether everything is published. */
const POLL_MS = 200;

/**
 * Publishes the events of a service's outbox that the stream lacks, from the first at or after `since`, and waits until
 * that is done. The leading relay publishes them: it belongs to a running service, or is started by this function.
 */
export async function republish(parts: RelayParts, since: Date): Promise<Found> {
  const { db, bus, clock } = parts;
  await ensureStream(bus);
  const after = await positionBefore(db, since);
  await recordPlaces(db, bus, after);
  const found = await unmarkLost({ db, bus, now: clock(), after });
  if (found.lost === 0) return found;
  const relay = startRelay(parts);
  try {
    const last = await db.first<{ position: bigint }>('SELECT max(position) AS position FROM outbox');
    while ((await db.run(UNPUBLISHED, [last?.position.toString()])) !== 0) await sleep(POLL_MS);
  } finally {
    await relay.stop();
  }
  return found;
}

/** Records the stream places of events that were published by releases that did not record them. */
async function recordPlaces(db: Db, bus: StreamBus, after: bigint): Promise<void> {
  if ((await db.run(WITHOUT_PLACE, [after.toString()])) === 0) return;
  for await (const messages of readStream(bus)) {
    const events = messages.filter(({ event_id }) => isId(event_id));
    await db.run(SET_PLACES, [events.map(({ event_id }) => event_id), events.map(({ seq }) => seq)]);
  }
}

/** Finds the position just before the first event whose time is `since` or later. */
async function positionBefore(db: Db, since: Date): Promise<bigint> {
  const found = await db.first<{ position: bigint | null }>(
    `SELECT min(position) - 1 AS position FROM outbox WHERE (event ->> 'time')::timestamptz >= $1`,
    [since],
  );
  return found?.position ?? BigInt(Number.MAX_SAFE_INTEGER);
}

const UNPUBLISHED = 'SELECT FROM outbox WHERE published_at IS NULL AND position <= $1 LIMIT 1';

const WITHOUT_PLACE = `
  SELECT FROM outbox WHERE published_at IS NOT NULL AND stream_seq IS NULL AND position > $1 LIMIT 1`;

const SET_PLACES = `
  UPDATE outbox SET stream_seq = found.stream_seq
  FROM unnest($1::uuid[], $2::bigint[]) AS found (event_id, stream_seq)
  WHERE outbox.event_id = found.event_id AND outbox.stream_seq IS NULL AND published_at IS NOT NULL`;
