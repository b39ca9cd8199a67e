import { setTimeout as sleep } from 'node:timers/promises';
import type { Check, Cursor, Difference, Sources } from './check.ts';

/** A check ends at this many differences: they have one cause, and the list would use memory without helping. */
const DIFFERENCES_MAX = 1_000;

/** How many differences of a check are kept as texts. */
const TEXTS_MAX = 20;

/** What a check has found. */
export interface Result {
  check: string;
  /** How many records were compared. */
  compared: number;
  /** How many of them differ. */
  differences: number;
  /** The first differences, one line each. */
  texts: string[];
  /** Whether the check ended early, because there were too many differences. */
  isCut: boolean;
}

/** How far a check has come. */
interface Scan {
  check: string;
  compared: number;
  isCut: boolean;
  /** The pages with differences, and the keys of these. They are compared again at the end of the run. */
  suspects: { after: Cursor | null; keys: string[] }[];
}

/** A run that can be continued. It is stored as JSON. */
export interface Progress {
  /** The checks that have compared all. */
  scanned: Scan[];
  /** The check that was interrupted, and where it continues. */
  current: { scan: Scan; after: Cursor | null } | null;
}

export interface RunOptions {
  checks: readonly Check[];
  /** Where checks by id begin; null for the beginning. */
  since_id: string | null;
  progress: Progress;
  /** Called after each page. */
  save: (progress: Progress) => void;
  /** How long a difference must last: until then a saga between two databases, or an event, may be under way. */
  recheck_after_ms: number;
  /** Ends the run between two pages. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs the checks, or continues with those that are not done. Only differences that remain after a while are reported.
 * @throws the reason of the signal
 */
export async function runChecks(sources: Sources, options: RunOptions): Promise<Result[]> {
  const { checks, since_id, progress, save, recheck_after_ms, signal } = options;
  for (const check of checks) {
    if (progress.scanned.some((scan) => scan.check === check.name)) continue;
    if (progress.current?.scan.check !== check.name) {
      const scan = { check: check.name, compared: 0, isCut: false, suspects: [] };
      progress.current = { scan, after: check.byId ? since_id : null };
    }
    await scanAll(sources, check, progress.current, () => {
      save(progress);
      signal?.throwIfAborted();
    });
    progress.scanned.push(progress.current.scan);
    progress.current = null;
    save(progress);
  }
  const areSuspect = progress.scanned.some(({ suspects }) => suspects.length > 0);
  if (areSuspect) await sleep(recheck_after_ms, undefined, { signal });
  const byName = new Map(checks.map((check) => [check.name, check]));
  const results: Result[] = [];
  for (const scan of progress.scanned) {
    const check = byName.get(scan.check);
    if (check !== undefined) results.push(await lookAgain(sources, check, scan));
  }
  return results;
}

/** Runs a check to its end. `onPage` is called after each page except the last. */
async function scanAll(
  sources: Sources,
  check: Check,
  current: NonNullable<Progress['current']>,
  onPage: () => void,
): Promise<void> {
  const { scan } = current;
  for (;;) {
    const { next, compared, differences } = await check.page(sources, current.after);
    scan.compared += compared;
    if (differences.length > 0) scan.suspects.push({ after: current.after, keys: keysOf(differences) });
    const found = scan.suspects.reduce((sum, { keys }) => sum + keys.length, 0);
    scan.isCut = next !== null && found >= DIFFERENCES_MAX;
    if (next === null || scan.isCut) return;
    current.after = next;
    onPage();
  }
}

function keysOf(differences: readonly Difference[]): string[] {
  return differences.map(({ key }) => key);
}

/** Compares the pages with differences again. */
async function lookAgain(sources: Sources, check: Check, scan: Scan): Promise<Result> {
  const result: Result = { check: scan.check, compared: scan.compared, differences: 0, texts: [], isCut: scan.isCut };
  for (const { after, keys } of scan.suspects) {
    const page = await check.page(sources, after);
    const seen = new Set(keys);
    const remaining = page.differences.filter(({ key }) => seen.has(key));
    result.differences += remaining.length;
    result.texts.push(...remaining.slice(0, TEXTS_MAX - result.texts.length).map(({ text }) => text));
  }
  return result;
}
