import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../lib/embedded/processes.ts';
import { readProcesses } from './cpu-time.ts';

/** A service stops within 9.5 s. */
const END_TIMEOUT_MS = 10_000;
const POLL_MS = 20;
/** A stopping server may still write files. */
const RM_RETRIES = 5;

/**
 * Ends the child processes and removes their temporary folders, which are all in one folder, on any exit of this
 * process. Sections stop what they start; this is for exits in which they cannot, for example after Ctrl-C.
 */
export function leaveNothingBehind(): void {
  const folder = mkdtempSync(join(tmpdir(), 'association-bench-'));
  process.env['TMPDIR'] = folder;
  process.once('exit', () => {
    const children = [...readProcesses()].filter(([, { ppid }]) => ppid === process.pid).map(([pid]) => pid);
    for (const pid of children.filter(isAlive)) process.kill(pid);
    // Waits synchronously, because asynchronous code does not run in an exiting process.
    const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    for (const limit = Date.now() + END_TIMEOUT_MS; children.some(isAlive) && Date.now() < limit;) {
      Atomics.wait(never, 0, 0, POLL_MS);
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: RM_RETRIES });
  });
}
