import { TABLE_SERVICES } from '../../lib/config/service-names.ts';
import { hasEvent, listArchives } from '../../lib/events/archives.ts';
import type { Sources } from './check.ts';
import type { Checkpoint, LastEvents } from './checkpoint.ts';
import { CHECKS } from './checks.ts';
import { runChecks, type Result } from './run-checks.ts';

/** A run that was interrupted longer ago begins anew: too much may have changed since. */
const RESUME_WITHIN_MS = 24 * 60 * 60_000;

/** How often a schedule of incremental runs compares everything. */
const FULL_EVERY_MS = 24 * 60 * 60_000;

/** An incremental run begins this long before the last one. Rows are stored seconds after their ids were generated. */
const OVERLAP_MS = 60 * 60_000;

/** What a run found. `isFull`: it compared everything. */
export interface Verdict {
  isValid: boolean;
  isFull: boolean;
  results: Result[];
}

export interface VerifyOptions {
  checkpoint: Checkpoint;
  /** `full` compares everything; `incremental` may compare only what is new since the last run. */
  mode: 'full' | 'incremental';
  now: Date;
  /** Called with lines for people. */
  say: (line: string) => void;
  /** Called with the result of each check, such as for a metric. */
  onResult?: ((result: Result) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** How long a difference must last. */
  recheck_after_ms: number;
}

/**
 * Compares the databases with one another and with the stream, once. Continues a run that was interrupted.
 * @throws the reason of the signal; an error if a database cannot be read: nothing is known then
 */
export async function verifyDatabases(sources: Sources, options: VerifyOptions): Promise<Verdict> {
  const { checkpoint, now, say, onResult, signal } = options;
  const { stored } = checkpoint;
  const restored = await findRestored(sources, stored.last_events);
  for (const line of restored) say(`note: ${line}`);
  // The comparisons of a run before the restore say nothing any more.
  if (restored.length > 0) stored.open = null;
  const run = openRun(options, restored.length > 0);
  const isFull = run.since === null;
  if (isFull) for (const line of await describeArchives(sources)) say(`note: ${line}`);
  stored.last_events = await readLastEvents(sources);
  const results = await runChecks(sources, {
    checks: isFull ? CHECKS : CHECKS.filter((check) => check.byId),
    since_id: run.since === null ? null : firstIdSince(new Date(run.since)),
    progress: run.progress,
    save: () => checkpoint.save(false),
    signal,
    recheck_after_ms: options.recheck_after_ms,
  });
  const isValid = results.every((result) => result.differences === 0);
  stored.open = null;
  stored.last_began_at = run.began_at;
  if (isFull || !isValid) stored.last_valid_full_at = isValid ? run.began_at : null;
  checkpoint.save(true);
  for (const result of results) onResult?.(result);
  report(results, now, say);
  return { isValid, isFull, results };
}

/** Continues the interrupted run, or begins one. */
function openRun({ checkpoint, mode, now, say }: VerifyOptions, wasRestored: boolean) {
  const { stored } = checkpoint;
  const { open } = stored;
  if (open !== null && now.getTime() - Date.parse(open.began_at) < RESUME_WITHIN_MS) {
    say(`Continues the run of ${open.began_at} at ${open.progress.current?.scan.check ?? 'the next check'}.`);
    return open;
  }
  const { last_began_at, last_valid_full_at } = stored;
  const isDue = last_valid_full_at === null || now.getTime() - Date.parse(last_valid_full_at) >= FULL_EVERY_MS;
  const isFull = mode === 'full' || wasRestored || isDue || last_began_at === null;
  const since = isFull ? null : new Date(Date.parse(last_began_at) - OVERLAP_MS).toISOString();
  return (stored.open = { began_at: now.toISOString(), since, progress: { scanned: [], current: null } });
}

/** Returns the smallest UUIDv7 of an instant. */
function firstIdSince(instant: Date): string {
  const time = instant.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

async function readLastEvents({ db }: Sources): Promise<LastEvents> {
  const last: LastEvents = {};
  for (const service of TABLE_SERVICES) {
    const row = await db[service].first<{ event_id: string }>(
      'SELECT event_id FROM outbox ORDER BY position DESC LIMIT 1',
    );
    if (row !== undefined) last[service] = row.event_id;
  }
  return last;
}

/** Returns a line for each database that has lost the last event of the previous run. */
async function findRestored({ db }: Sources, last: LastEvents): Promise<string[]> {
  const lines: string[] = [];
  for (const service of TABLE_SERVICES) {
    const event_id = last[service];
    if (event_id === undefined) continue;
    if (await hasEvent(db[service], event_id)) continue;
    const newest = await db[service].first<{ time: string }>(
      `SELECT event ->> 'time' AS time FROM outbox ORDER BY position DESC LIMIT 1`,
    );
    lines.push(
      `the database of ${service} no longer has event ${event_id}, the last one of the previous run: it was restored to ` +
        `an earlier instant. Its newest event is of ${newest?.time ?? 'no time, as it has none'}.`,
    );
  }
  return lines;
}

/** Returns a line for each service with archived events, which are not compared here. */
async function describeArchives({ db }: Sources): Promise<string[]> {
  const lines: string[] = [];
  for (const service of TABLE_SERVICES) {
    const archives = await listArchives(db[service]);
    const last = archives.at(-1);
    if (last === undefined) continue;
    const events = archives.reduce((sum, archive) => sum + archive.events, 0);
    lines.push(
      `${service} has archived ${String(events)} events, up to position ${String(last.last_position)}: npm run verify -- ` +
        'archive DIR compares them.',
    );
  }
  return lines;
}

function report(results: readonly Result[], began: Date, say: (line: string) => void): void {
  for (const { check, compared, differences, texts, isCut } of results) {
    if (differences === 0) continue;
    const more = isCut ? ', and the rest was not compared' : '';
    say(`${check}: ${String(differences)} differences in ${String(compared)} records${more}`);
    for (const text of texts) say(`  ${text}`);
    if (differences > texts.length) say(`  and ${String(differences - texts.length)} more`);
  }
  const compared = results.reduce((sum, result) => sum + result.compared, 0);
  const different = results.filter((result) => result.differences > 0);
  const sum = different.reduce((all, result) => all + result.differences, 0);
  const what = `${String(compared)} records in ${String(results.length)} checks, from ${began.toISOString()}`;
  say(
    sum === 0
      ? `VALID: ${what}`
      : `NOT VALID: ${String(sum)} differences in ${String(different.length)} of the checks; ${what}`,
  );
}
