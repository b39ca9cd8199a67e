import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcesses } from './cpu-time.ts';

/** A process that is ending may still be writing a file or two. */
const RM_RETRIES = 5;

/**
 * However this process exits, the processes that it started are ended, and their temporary folders removed: they are all
 * made in one folder. Sections stop what they start; this is for when they cannot, as after Ctrl-C.
 */
export function leaveNothingBehind(): void {
  const folder = mkdtempSync(join(tmpdir(), 'association-bench-'));
  process.env['TMPDIR'] = folder;
  process.once('exit', () => {
    for (const [pid, { ppid }] of readProcesses()) if (ppid === process.pid) end(pid);
    rmSync(folder, { recursive: true, force: true, maxRetries: RM_RETRIES });
  });
}

function end(pid: number): void {
  try {
    process.kill(pid);
  } catch (error) {
    // It may have ended since it was listed.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
