import { readdir } from 'node:fs/promises';
import { OPERATOR, TABLE_SERVICES, type TableService } from '../../lib/config/service-names.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { StartupError } from '../../lib/config/startup-error.ts';
import type { LedgerEvent } from '../../lib/contracts/events.ts';
import type { Db } from '../../lib/db/db.ts';
import {
  NO_FILE_SHA256,
  readArchive,
  readUnrecordedArchive,
  type ArchivedEvent,
} from '../../lib/events/archive-file.ts';
import { listArchives, type Archive } from '../../lib/events/archives.ts';
import { hashOf } from '../../services/treasury/ledger/chain.rules.ts';
import type { Databases } from './check.ts';
import { openSources } from './sources.ts';

/** How many faults are shown. */
const LINES_MAX = 20;

/** What a verification of archives found. */
export interface ArchiveVerdict {
  files: number;
  events: number;
  /** One line each. */
  faults: string[];
  /** What is no fault. */
  notes: string[];
}

/**
 * npm run verify -- archive: compares the files of archived events with their records, and recorded transfers with the ledger.
 * @returns whether all is valid
 */
export async function archiveCommand(args: string[], usage: string): Promise<boolean> {
  const [dir, ...more] = args;
  if (dir === undefined || more.length > 0) throw new StartupError(usage);
  const sources = await openSources(loadSettings(process.env, OPERATOR));
  try {
    const { files, events, faults, notes } = await verifyArchives(sources, dir);
    for (const note of notes) console.log(`note: ${note}`);
    for (const fault of faults.slice(0, LINES_MAX)) console.log(fault);
    if (faults.length > LINES_MAX) console.log(`and ${String(faults.length - LINES_MAX)} more`);
    const what = `${String(events)} events in ${String(files)} files`;
    console.log(faults.length === 0 ? `VALID: ${what}` : `NOT VALID: ${String(faults.length)} faults; ${what}`);
    return faults.length === 0;
  } finally {
    await sources.close();
  }
}

/**
 * Compares the files in a directory with the databases.
 * @throws StartupError if the directory cannot be read
 */
export async function verifyArchives({ db }: Databases, dir: string): Promise<ArchiveVerdict> {
  const verdict: ArchiveVerdict = { files: 0, events: 0, faults: [], notes: [] };
  const present = await readdir(dir).catch((error: Error) => {
    throw new StartupError(`Cannot read ${dir}: ${error.message}`);
  });
  for (const service of TABLE_SERVICES) {
    const archives = await listArchives(db[service]);
    const recorded = new Set(archives.map(({ file }) => file));
    const others = present.filter((file) => file.startsWith(`${service}.`) && !recorded.has(file));
    const unrecorded = await readUnrecorded(dir, others, verdict);
    for (const [index, archive] of archives.entries()) {
      const previous = archives[index - 1];
      verdict.files += 1;
      if (archive.previous_sha256 !== (previous?.sha256 ?? NO_FILE_SHA256))
        verdict.faults.push(`${archive.file} does not continue ${previous?.file ?? 'the beginning'}`);
      const events = await tryRead(() => readArchive(dir, archive), verdict);
      if (events === undefined) continue;
      verdict.events += events.length;
      const after = previous?.last_position ?? 0n;
      verdict.faults.push(...faultsOf(service, archive, events, after), ...(await ledgerFaults(db.treasury, events)));
      for (const ids of unrecorded.values()) for (const { event_id } of events) ids.delete(event_id);
    }
    await reportUnrecorded(db[service], unrecorded, verdict);
  }
  return verdict;
}

/** Notes a file that cannot be read as a fault. */
async function tryRead(read: () => Promise<ArchivedEvent[]>, verdict: ArchiveVerdict) {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    verdict.faults.push(error.message);
    return undefined;
  }
}

/** Returns the ids of the events of each file that is not recorded. */
async function readUnrecorded(
  dir: string,
  files: string[],
  verdict: ArchiveVerdict,
): Promise<Map<string, Set<string>>> {
  const unrecorded = new Map<string, Set<string>>();
  for (const file of files) {
    if (!file.endsWith('.gz')) {
      verdict.notes.push(`${file} was not completed, and can be deleted.`);
      continue;
    }
    const events = await tryRead(() => readUnrecordedArchive(dir, file), verdict);
    if (events !== undefined) unrecorded.set(file, new Set(events.map(({ event_id }) => event_id)));
  }
  return unrecorded;
}

/** A file may be the only place of events that a restored database has lost. */
async function reportUnrecorded(db: Db, unrecorded: Map<string, Set<string>>, verdict: ArchiveVerdict): Promise<void> {
  for (const [file, ids] of unrecorded) {
    const kept = await db.rows<{ event_id: string }>(IN_OUTBOX, [[...ids]]);
    for (const { event_id } of kept) ids.delete(event_id);
    if (ids.size > 0)
      verdict.faults.push(`${file} is not recorded, and ${String(ids.size)} of its events are only there: keep it`);
    else if (kept.length > 0)
      verdict.notes.push(`${file} is not recorded: its events are in the outbox, and the next run may use it.`);
    else verdict.notes.push(`${file} is not recorded: other files have its events, and it can be deleted.`);
  }
}

const IN_OUTBOX = 'SELECT event_id FROM outbox WHERE event_id = ANY($1::uuid[])';

function faultsOf(service: TableService, archive: Archive, events: readonly ArchivedEvent[], after: bigint): string[] {
  const faults: string[] = [];
  let last = after;
  for (const { position, event_id, event } of events) {
    const { source } = JSON.parse(event) as LedgerEvent;
    if (position <= last) faults.push(`${archive.file}: event ${event_id} is not in the order of positions`);
    if (source.split('/').at(-1) !== service) faults.push(`${archive.file}: event ${event_id} is of ${source}`);
    last = position;
  }
  if (!events.some(({ event_id }) => event_id === archive.newest_event_id))
    faults.push(`${archive.file} does not have its recorded event ${archive.newest_event_id}`);
  return faults;
}

/** Compares archived transfers with their hashes, and with those of the ledger. */
async function ledgerFaults(treasury: Db, events: readonly ArchivedEvent[]): Promise<string[]> {
  const posted = events
    .filter(({ type }) => type === 'transfer.posted')
    .map(({ event }) => (JSON.parse(event) as LedgerEvent<'transfer.posted'>).data);
  if (posted.length === 0) return [];
  const rows = await treasury.rows<{ id: string; hash: string | null }>(
    'SELECT id, hash FROM transfers WHERE id = ANY($1::uuid[])',
    [posted.map(({ id }) => id)],
  );
  const stored = new Map(rows.map(({ id, hash }) => [id, hash]));
  return posted
    .filter((transfer) => hashOf(transfer) !== transfer.hash || stored.get(transfer.id) !== transfer.hash)
    .map(({ id, hash }) => `archived transfer ${id} has the hash ${hash}, the ledger ${String(stored.get(id))}`);
}
