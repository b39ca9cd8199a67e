import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../config/startup-error.ts';
import type { Pool, Session, Transaction } from '../db/db.ts';
import { outboxArchives } from '../db/service-tables.ts';
import { insertRows } from '../db/table.ts';
import { buildArchive, NO_FILE_SHA256, writeArchive, type ArchivableRow, type ArchiveFile } from './archive-file.ts';

/** The transaction that deletes so many rows takes less than a second, and a file is small enough to be handled whole. */
const FILE_MAX_EVENTS = 50_000;

/** Bounds the memory if events are long: a settlement of 80 000 legs makes one of 8 MB. */
const FILE_MAX_BYTES = 64 * 1024 * 1024;

/** How many rows are read at once. */
const PAGE_ROWS = 1_000;

/** An arbitrary number. With this lock, one process archives a database. */
const ARCHIVE_LOCK = 7_211_904_386;

/** The server notices within milliseconds that a process with the lock has ended; a busy one takes a second. */
const LOCK_WAIT_MS = 5_000;
const LOCK_POLL_MS = 100;

export interface ArchiveParts {
  /** Sessions that may delete events: those of the owner of the tables. */
  db: Pool;
  outbox: string;
  /** The directory of the files. */
  dir: string;
  /** Events that were published before are archived, up to the first other one. */
  before: Date;
  /** Only counts. */
  isDry: boolean;
  /** Replaces FILE_MAX_EVENTS in tests. */
  file_max_events?: number;
  /** Announces the steps of each file; tests kill the process there. */
  reached?: (step: 'written' | 'deleted' | 'recorded') => Promise<void> | void;
}

/** What was archived, or would be. */
export interface Archived {
  files: number;
  events: number;
  /** The size of the events. */
  bytes: number;
  /** The size of the files. */
  file_bytes: number;
}

/**
 * Moves old published events from an outbox to files. It can be interrupted and repeated: the rows of a file are deleted in
 * the transaction that records it, after the file was read back from the disk.
 * @throws StartupError if another process archives the outbox, this one may not, or a file cannot be written
 */
export async function archiveOutbox(parts: ArchiveParts): Promise<Archived> {
  const { db, outbox } = parts;
  const session = await db.session();
  try {
    if (!(await takeLock(session)))
      throw new StartupError(`Another process archives the outbox of ${outbox}: wait for it.`);
    const role = await session.first<{ is_owner: boolean }>(IS_OWNER);
    if (role?.is_owner !== true)
      throw new StartupError(`The role at the database of ${outbox} may not delete events: set POSTGRES_URL.`);
    return await archiveAll(parts);
  } finally {
    // Closing the session frees the lock.
    session.end(true);
  }
}

async function takeLock(session: Session): Promise<boolean> {
  for (const end_ms = performance.now() + LOCK_WAIT_MS; ; await sleep(LOCK_POLL_MS)) {
    const lock = await session.first<{ is_taken: boolean }>(TAKE_LOCK, [ARCHIVE_LOCK]);
    if (lock?.is_taken === true || performance.now() > end_ms) return lock?.is_taken === true;
  }
}

async function archiveAll(parts: ArchiveParts): Promise<Archived> {
  const archived: Archived = { files: 0, events: 0, bytes: 0, file_bytes: 0 };
  for (let after = 0n; ;) {
    const { rows, bytes } = await readOld(parts, after);
    const last = rows.at(-1);
    if (last === undefined) return archived;
    archived.files += 1;
    archived.events += rows.length;
    archived.bytes += bytes;
    if (!parts.isDry) archived.file_bytes += await moveToFile(parts, rows, bytes);
    after = last.position;
  }
}

/** Reads the next rows of one file, oldest first. */
async function readOld({ db, before, file_max_events = FILE_MAX_EVENTS }: ArchiveParts, first_after: bigint) {
  const rows: ArchivableRow[] = [];
  let bytes = 0;
  for (let after = first_after; rows.length < file_max_events; after = rows.at(-1)?.position ?? after) {
    const page_rows = Math.min(PAGE_ROWS, file_max_events - rows.length);
    const page = await db.rows<ArchivableRow & { is_old: boolean }>(NEXT, [after.toString(), before, page_rows]);
    for (const { is_old, ...row } of page) {
      const row_bytes = Buffer.byteLength(row.event);
      if (!is_old || (rows.length > 0 && bytes + row_bytes > FILE_MAX_BYTES)) return { rows, bytes };
      rows.push(row);
      bytes += row_bytes;
    }
    if (page.length < page_rows) break;
  }
  return { rows, bytes };
}

/** @returns the size of the file */
async function moveToFile(parts: ArchiveParts, rows: ArchivableRow[], bytes: number): Promise<number> {
  const { db, outbox, dir, before, reached } = parts;
  const previous = await db.first<{ sha256: string }>(
    'SELECT sha256 FROM outbox_archives ORDER BY last_position DESC LIMIT 1',
  );
  const file = buildArchive(outbox, rows, previous?.sha256 ?? NO_FILE_SHA256);
  const file_bytes = await writeArchive(dir, file);
  await reached?.('written');
  await db.transaction(async (tx) => {
    await withPrivileges(tx, async () => {
      await record(tx, file, rows, bytes);
      const range = [file.first_position.toString(), file.last_position.toString()];
      if ((await tx.run(DELETE, [...range, before])) === rows.length) return;
      throw new StartupError(`Events of ${outbox} were published again while they were archived: repeat the command.`);
    });
    await reached?.('deleted');
  });
  await reached?.('recorded');
  return file_bytes;
}

function record(tx: Transaction, file: ArchiveFile, rows: readonly ArchivableRow[], bytes: number): Promise<void> {
  const newest = rows.reduce((found, row) => (row.event_id > found.event_id ? row : found));
  const { event_id: newest_event_id, stream_seq, published_at } = newest;
  const { first_time, last_time, ...recorded } = file;
  const times = { first_time: new Date(first_time), last_time: new Date(last_time) };
  const place = { newest_event_id, stream_seq, published_at };
  return insertRows(tx, outboxArchives, [{ ...recorded, ...times, ...place, bytes: BigInt(bytes) }]);
}

/** A service that owns its tables has no privilege to delete events, except within this transaction. */
async function withPrivileges(tx: Transaction, work: () => Promise<void>): Promise<void> {
  const has = await tx.first<{ may_delete: boolean }>(`SELECT has_table_privilege('outbox', 'DELETE') AS may_delete`);
  const isGranted = has?.may_delete !== true;
  if (isGranted)
    for (const [privilege, table] of NEEDED) await tx.run(`GRANT ${privilege} ON ${table} TO CURRENT_USER`);
  await work();
  if (isGranted)
    for (const [privilege, table] of NEEDED) await tx.run(`REVOKE ${privilege} ON ${table} FROM CURRENT_USER`);
}

const NEEDED = [
  ['DELETE', 'outbox'],
  ['INSERT', 'outbox_archives'],
] as const;

const TAKE_LOCK = 'SELECT pg_try_advisory_lock($1) AS is_taken';

const IS_OWNER = `SELECT pg_has_role(relowner, 'USAGE') AS is_owner FROM pg_class WHERE oid = 'outbox'::regclass`;

// The newest event stays: relays check the stream by it.
const NEXT = `
  SELECT position, event_id, stream_seq, published_at, event::text AS event,
    coalesce(published_at < $2, false) AND position < (SELECT max(position) FROM outbox) AS is_old
  FROM outbox WHERE position > $1 ORDER BY position LIMIT $3`;

// Rows that were published again since they were read stay, and then all do.
const DELETE = 'DELETE FROM outbox WHERE position BETWEEN $1 AND $2 AND published_at < $3';
