import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TableService } from '../../lib/config/service-names.ts';
import { StartupError } from '../../lib/config/startup-error.ts';
import { lockFile } from '../../lib/files/file-lock.ts';
import type { Progress } from './run-checks.ts';

/** Rarely enough not to slow a run, and often enough that little is repeated. */
const SAVE_EVERY_MS = 500;

/** The form of the file. A file of another form is ignored. */
const FORM = 1;

/** A run that has not ended. */
export interface OpenRun {
  began_at: string;
  /** An incremental run compares ids since then; null for a full run. */
  since: string | null;
  progress: Progress;
}

/** The last event of each outbox. A database that no longer has it was restored to an earlier instant. */
export type LastEvents = Partial<Record<TableService, string>>;

/** What the next run needs to know of earlier ones. */
export interface Stored {
  form: typeof FORM;
  open: OpenRun | null;
  /** When the last run that ended had begun. */
  last_began_at: string | null;
  /** When the last full run that ended without differences had begun; null if there were differences since. */
  last_valid_full_at: string | null;
  last_events: LastEvents;
}

/** The file of a verifier's progress. It is not in a database, so that a restore does not change it. */
export interface Checkpoint {
  stored: Stored;
  /** Writes the file. @param isUrgent false if a later call may do it */
  save(isUrgent: boolean): void;
  release(): void;
}

/**
 * Opens the file, or a new one, for this process alone.
 * @throws StartupError if another process uses it, or it cannot be written
 */
export function openCheckpoint(path: string): Checkpoint {
  const lock = lockOf(path);
  const stored = read(path) ?? NOTHING();
  let saved_ms = -Infinity;
  return {
    stored,
    save(isUrgent) {
      const now_ms = performance.now();
      if (!isUrgent && now_ms - saved_ms < SAVE_EVERY_MS) return;
      saved_ms = now_ms;
      const draft = `${path}.new`;
      writeFileSync(draft, JSON.stringify(stored), { mode: 0o600 });
      renameSync(draft, path);
    },
    release: () => lock.release(),
  };
}

const NOTHING = (): Stored => {
  return { form: FORM, open: null, last_began_at: null, last_valid_full_at: null, last_events: {} };
};

function lockOf(path: string) {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const lock = lockFile(`${path}.lock`);
    if (lock !== undefined) return lock;
  } catch (error) {
    throw new StartupError(`Cannot write ${path} (${(error as Error).message}): give another --checkpoint.`);
  }
  throw new StartupError(`Another verifier uses ${path}: wait for it, or give another --checkpoint.`);
}

function read(path: string): Stored | undefined {
  try {
    const stored = JSON.parse(readFileSync(path, 'utf8')) as Partial<Stored>;
    return stored.form === FORM ? (stored as Stored) : undefined;
  } catch {
    // There is none yet, or a full disk has left it incomplete: the run begins anew.
    return undefined;
  }
}
