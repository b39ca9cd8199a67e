import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './process-identity.ts';

/** What to send to a server that should stop, and how long to wait before the next, harsher step. */
export interface StopStep {
  signal: NodeJS.Signals;
  wait_ms: number;
}

/** A server that this process runs. */
export interface EmbeddedServer {
  port: number;
  /** With the administrator's name and password. */
  url: string;
  pid: number;
  stop(): Promise<void>;
}

export interface ServerProcess {
  pid: number;
  /** Resolves, never rejects, to how the process ended. */
  exited: Promise<string>;
  hasExited(): boolean;
  /** Ends it by the stop steps; resolves when it is gone. May be called again. */
  stop(): Promise<void>;
}

// A log of this size still opens in any editor; one older file is kept beside it.
const MAX_LOG_BYTES = 10 * 1024 * 1024;
const POLL_MS = 20;

const running = new Map<ChildProcess, NodeJS.Signals>();
// Whatever way this process leaves, it tells its servers to stop; they finish by themselves.
process.on('exit', () => {
  for (const [child, signal] of running) child.kill(signal);
});

/**
 * Starts a server with its output appended to `logFile` (mode 0600).
 * It gets a process group of its own: Ctrl-C in a terminal reaches every process of the foreground group, and would
 * stop the servers while requests that need them are still in flight.
 */
export function startServerProcess(
  command: string,
  args: readonly string[],
  options: { logFile: string; env: NodeJS.ProcessEnv; stopSteps: readonly [StopStep, ...StopStep[]] },
): ServerProcess {
  rotate(options.logFile);
  const log = openSync(options.logFile, 'a', 0o600);
  const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log], env: options.env });
  closeSync(log);
  let ended = false;
  const exited = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      ended = true;
      running.delete(child);
      resolve(how);
    };
    child.once('error', (error) => {
      end(error.message);
    });
    child.once('exit', (code, signal) => {
      end(signal === null ? `exit code ${String(code)}` : `signal ${signal}`);
    });
  });
  running.set(child, options.stopSteps[0].signal);
  const stopOnce = async (): Promise<void> => {
    for (const step of options.stopSteps) {
      if (ended) return;
      child.kill(step.signal);
      await Promise.race([exited, delay(step.wait_ms, undefined, { ref: false })]);
    }
    await exited;
  };
  let stopping: Promise<void> | undefined;
  return { pid: child.pid ?? -1, exited, hasExited: () => ended, stop: () => (stopping ??= stopOnce()) };
}

/** Stops a server that an earlier process of ours left behind; resolves when it is gone. */
export async function stopOrphan(pid: number, stopSteps: readonly StopStep[]): Promise<void> {
  for (const { signal, wait_ms } of stopSteps) {
    const until = performance.now() + wait_ms;
    sendQuietly(pid, signal);
    while (isAlive(pid) && performance.now() < until) await delay(POLL_MS);
    if (!isAlive(pid)) return;
  }
}

function sendQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It may end between the check and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function rotate(logFile: string): void {
  const size_bytes = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size_bytes > MAX_LOG_BYTES) renameSync(logFile, `${logFile}.1`);
}
