/** Files of archived events: docs/backup.md describes the format for people who read them without this project. */
import { createHash } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { StartupError } from '../config/startup-error.ts';
import type { LedgerEvent } from '../contracts/events.ts';
import { createOnce } from '../files/create-once.ts';
import type { OutboxRow } from './publish.ts';

const FORMAT = 'association-service outbox archive 1';

/** The `previous_sha256` of the first file of an outbox. */
export const NO_FILE_SHA256 = '0'.repeat(64);

/** Positions are padded in file names, so that the names' order is that of the events. */
const POSITION_DIGITS = 12;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** An event as its outbox had it when it was archived. */
export interface ArchivedEvent extends OutboxRow {
  /** ISO 8601 */
  time: string;
  published_at: Date;
  /** Null if the event was published by a release that did not record places. */
  stream_seq: bigint | null;
}

/** The first line of a file. */
interface Header {
  format: typeof FORMAT;
  outbox: string;
  events: number;
  first_position: number;
  last_position: number;
  first_time: string;
  last_time: string;
  /** The hash of the outbox's previous file. */
  previous_sha256: string;
}

/** What identifies a file, and what it must contain. */
export interface FileRecord {
  file: string;
  sha256: string;
  events: number;
  first_position: bigint;
  last_position: bigint;
  previous_sha256: string;
}

/** A file that is not written yet. */
export interface ArchiveFile extends FileRecord {
  /** Uncompressed. */
  content: Buffer;
  first_time: string;
  last_time: string;
}

/** A row of an outbox, to be archived. */
export type ArchivableRow = Pick<ArchivedEvent, 'position' | 'event_id' | 'stream_seq' | 'published_at' | 'event'>;

/** Builds the file of these rows, in their order. The same rows make the same file. */
export function buildArchive(outbox: string, rows: readonly ArchivableRow[], previous_sha256: string): ArchiveFile {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) throw new RangeError('An archive needs events');
  const times = rows.map(({ event }) => (JSON.parse(event) as LedgerEvent).time).sort();
  const [first_time = '', last_time = ''] = [times[0], times.at(-1)];
  const { position: first_position } = first;
  const { position: last_position } = last;
  const header: Header = {
    format: FORMAT,
    outbox,
    events: rows.length,
    first_position: Number(first_position),
    last_position: Number(last_position),
    first_time,
    last_time,
    previous_sha256,
  };
  const lines = [JSON.stringify(header), ...rows.map(lineOf)];
  const content = Buffer.from(`${lines.join('\n')}\n`);
  const sha256 = hashOf(content);
  const range = [first_position, last_position].map((each) => String(each).padStart(POSITION_DIGITS, '0')).join('-');
  const file = `${outbox}.${range}.${sha256}.ndjson.gz`;
  const { events } = header;
  return { file, sha256, content, events, first_position, last_position, first_time, last_time, previous_sha256 };
}

/** The event comes last and as it is stored, so that it can be cut out and published as before. */
const EVENT = ',"event":';

function lineOf({ position, stream_seq, published_at, event }: ArchivableRow): string {
  const place = {
    position: Number(position),
    stream_seq: stream_seq === null ? null : Number(stream_seq),
    published_at,
  };
  return `${JSON.stringify(place).slice(0, -1)}${EVENT}${event}}`;
}

function eventOf(line: string): ArchivedEvent {
  const { position, stream_seq, published_at, event } = JSON.parse(line) as {
    position: number;
    stream_seq: number | null;
    published_at: string;
    event: LedgerEvent;
  };
  return {
    position: BigInt(position),
    stream_seq: stream_seq === null ? null : BigInt(stream_seq),
    published_at: new Date(published_at),
    event_id: event.id,
    association_id: event.subject ?? null,
    type: event.type,
    time: event.time,
    event: line.slice(line.indexOf(EVENT) + EVENT.length, -1),
  };
}

/**
 * Writes a file to the disk and reads it back. An existing file is never overwritten: with this name, it has the same content.
 * @returns the size of the file in bytes
 * @throws StartupError if the file on the disk does not have the content
 */
export async function writeArchive(dir: string, archive: ArchiveFile): Promise<number> {
  const compressed = await compress(archive.content);
  await createOnce(join(dir, archive.file), () => compressed);
  const folder = await open(dir);
  await folder.sync().finally(() => folder.close());
  await readArchive(dir, archive);
  return compressed.length;
}

/**
 * Reads the events of a file, in the order of the outbox.
 * @throws StartupError if the file is missing, or is not the recorded one
 */
export async function readArchive(dir: string, record: FileRecord): Promise<ArchivedEvent[]> {
  const { header, events } = await readContent(dir, record);
  const differing = (['events', 'first_position', 'last_position', 'previous_sha256'] as const).find(
    (name) => String(header[name]) !== String(record[name]),
  );
  if (differing === undefined) return events;
  const found = `${differing} ${String(header[differing])}, not ${String(record[differing])}`;
  throw new StartupError(`${join(dir, record.file)} has ${found}`);
}

/**
 * Reads the events of a file that is not recorded.
 * @throws StartupError if it does not have the content that its name says
 */
export async function readUnrecordedArchive(dir: string, file: string): Promise<ArchivedEvent[]> {
  const [, , sha256 = ''] = file.split('.');
  return (await readContent(dir, { file, sha256 })).events;
}

/** @throws StartupError if the file does not have this hash */
async function readContent(
  dir: string,
  { file, sha256: expected }: Pick<FileRecord, 'file' | 'sha256'>,
): Promise<{ header: Header; events: ArchivedEvent[] }> {
  const fault = (text: string) => new StartupError(`${join(dir, file)} ${text}`);
  const compressed = await readFile(join(dir, file)).catch((error: NodeJS.ErrnoException) => {
    throw fault(error.code === 'ENOENT' ? 'is missing' : `cannot be read (${error.message})`);
  });
  const content = await decompress(compressed).catch((error: Error) => {
    throw fault(`is damaged (${error.message})`);
  });
  const sha256 = hashOf(content);
  if (sha256 !== expected) throw fault(`has the SHA-256 ${sha256}, not ${expected}`);
  const [first = '', ...lines] = content.toString().trimEnd().split('\n');
  const header = JSON.parse(first) as Header;
  const events = lines.map(eventOf);
  if (events.length !== header.events) throw fault(`has ${String(events.length)} events, not ${String(header.events)}`);
  return { header, events };
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
