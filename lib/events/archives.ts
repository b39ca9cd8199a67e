import { StartupError } from '../config/startup-error.ts';
import type { Db } from '../db/db.ts';
import { outboxArchives } from '../db/service-tables.ts';
import { columnList, type RowOf } from '../db/table.ts';
import { readArchive, type ArchivedEvent } from './archive-file.ts';
import type { Bus } from './bus.ts';
import { isInStream } from './stream.ts';
import { mapInParallel, readLimits } from './stream-limits.ts';

/** The record of a file with archived events. */
export type Archive = RowOf<typeof outboxArchives>;

/** Lists the archives of an outbox, in the order of their events. */
export function listArchives(db: Db): Promise<Archive[]> {
  return db.rows<Archive>(`SELECT ${columnList(outboxArchives, 'a')} FROM outbox_archives a ORDER BY last_position`);
}

/**
 * Returns the newest event of the archives; undefined without any. Ids are UUIDv7s, so that those up to this one were
 * archived, unless the outbox has them.
 */
export async function readNewestArchived(db: Db): Promise<string | undefined> {
  const newest = await db.first<{ event_id: string }>(
    'SELECT newest_event_id AS event_id FROM outbox_archives ORDER BY newest_event_id DESC LIMIT 1',
  );
  return newest?.event_id;
}

/** Whether the outbox has the event, or had it before it was archived. */
export async function hasEvent(db: Db, event_id: string): Promise<boolean> {
  const known = await db.first(
    `SELECT FROM outbox WHERE event_id = $1 UNION ALL SELECT FROM outbox_archives WHERE newest_event_id >= $1 LIMIT 1`,
    [event_id],
  );
  return known !== undefined;
}

/** Finds the archives whose newest event the stream lacks, although it has not dropped it by its limits. */
export async function findLostArchives(db: Db, bus: Bus, now: Date): Promise<Archive[]> {
  const archives = await listArchives(db);
  if (archives.length === 0) return [];
  const limits = await readLimits(bus, now);
  const kept = archives.filter((each) => each.stream_seq !== null && !limits.isDropped(each));
  const areInStream = await mapInParallel(kept, ({ newest_event_id, stream_seq }) =>
    isInStream(bus, { event_id: newest_event_id, stream_seq: Number(stream_seq) }),
  );
  return kept.filter((_, index) => areInStream[index] === false);
}

/**
 * Reads the archived events since an instant, in their order.
 * @param dir the directory with the files; undefined if it is not known
 * @throws StartupError if a needed file is missing or is not the recorded one, or `dir` is undefined and one is needed
 */
export async function readArchivedSince(db: Db, dir: string | undefined, since: Date): Promise<ArchivedEvent[]> {
  const needed = (await listArchives(db)).filter(({ last_time }) => last_time >= since);
  const [first] = needed;
  if (first === undefined) return [];
  if (dir === undefined)
    throw new StartupError(
      `Archived events since ${since.toISOString()} are needed: give --archive DIR, with ${first.file}.`,
    );
  const events: ArchivedEvent[] = [];
  for (const archive of needed) {
    for (const event of await readArchive(dir, archive)) if (new Date(event.time) >= since) events.push(event);
  }
  return events;
}
