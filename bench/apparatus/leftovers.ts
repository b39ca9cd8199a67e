/**
 * However a run ends (done, failed, or by Ctrl-C in the middle of a section), nothing that it started stays behind. The
 * sections stop what they start; this is for when they do not come to it.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../lib/embedded/processes.ts';

/** A service leaves by itself after 9.5 s at most, whatever it waits for. */
const END_TIMEOUT_MS = 10_000;
const POLL_MS = 20;
/** A server that was killed may still be writing a file or two. */
const RM_RETRIES = 5;

interface Child {
  pid: number;
  /** The embedded servers have process groups of their own, so that Ctrl-C does not reach them. */
  isServer: boolean;
}

/**
 * From now on all temporary folders, those of child processes too, are made in one of this run's own. When this process
 * exits, its children are ended, the servers last, and the folder is removed.
 */
export function leaveNothingBehind(): void {
  const folder = mkdtempSync(join(tmpdir(), 'association-bench-'));
  process.env['TMPDIR'] = folder;
  // Before the servers are told to stop by whoever started them: the services need them until they have ended.
  process.prependOnceListener('exit', () => {
    const children = childrenOf(process.pid);
    end(
      children.filter(({ isServer }) => !isServer).map(({ pid }) => pid),
      'SIGTERM',
    );
    // What PostgreSQL calls a fast shutdown. It does not wait for connections, of which this process may have some.
    end(
      children.filter(({ isServer }) => isServer).map(({ pid }) => pid),
      'SIGINT',
    );
    rmSync(folder, { recursive: true, force: true, maxRetries: RM_RETRIES });
  });
}

/** Nothing else runs in a process that exits, so this waits without letting anything else run. */
function end(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) send(pid, signal);
  const nobody = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  for (const limit = Date.now() + END_TIMEOUT_MS; pids.some(isAlive) && Date.now() < limit;) {
    Atomics.wait(nobody, 0, 0, POLL_MS);
  }
  for (const pid of pids.filter(isAlive)) send(pid, 'SIGKILL');
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It may end between the look and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Where there is no /proc, there is no telling; the servers are then stopped by whoever started them. */
function childrenOf(parent: number): Child[] {
  if (!existsSync('/proc')) return [];
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.flatMap((pid) => {
    const [ppid, group] = parentAndGroup(pid);
    return ppid === parent && isAlive(pid) ? [{ pid, isServer: group === pid }] : [];
  });
}

/** From /proc/<pid>/stat, where both follow the name, in brackets, and the state; none for a process that has ended. */
function parentAndGroup(pid: number): number[] {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(1, 3)
      .map(Number);
  } catch {
    return [];
  }
}
