import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../lib/embedded/processes.ts';
import { readProcesses } from './cpu-time.ts';

/** A service that is asked to end takes 9.5 s at most. */
const END_TIMEOUT_MS = 10_000;
const POLL_MS = 20;
/** A server that is ending may still be writing a file or two. */
const RM_RETRIES = 5;

/**
 * However this process exits, the processes that it started are ended, and their temporary folders removed: they are all
 * made in one folder. Sections stop what they start; this is for when they cannot, as after Ctrl-C.
 */
export function leaveNothingBehind(): void {
  const folder = mkdtempSync(join(tmpdir(), 'association-bench-'));
  process.env['TMPDIR'] = folder;
  process.once('exit', () => {
    const children = [...readProcesses()].filter(([, { ppid }]) => ppid === process.pid).map(([pid]) => pid);
    for (const pid of children.filter(isAlive)) process.kill(pid);
    // Waits without letting anything else run, as nothing else does in a process that exits.
    const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    for (const limit = Date.now() + END_TIMEOUT_MS; children.some(isAlive) && Date.now() < limit;) {
      Atomics.wait(never, 0, 0, POLL_MS);
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: RM_RETRIES });
  });
}
