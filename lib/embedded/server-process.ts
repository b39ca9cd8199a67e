import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from '../config/startup-error.ts';
import { freeLoopbackPort } from '../node/ports.ts';
import { isAlive, runsWithArgument } from './processes.ts';

/** One step of a stop: the signal to send, and how long to wait before the next, harsher step. */
export interface StopStep {
  signal: NodeJS.Signals;
  wait_ms: number;
}

export interface EmbeddedOptions {
  /** Absolute path of DATA_DIR, which this process has locked. */
  dataDir: string;
  /** The administrator's password, set when the server's files are created. */
  password: string;
  /** Called with one line when the server ends unexpectedly. */
  onCrash: (line: string) => void;
}

/** A server that this process runs. */
export interface EmbeddedServer {
  port: number;
  /** With the administrator's name and password. */
  url: string;
  /** Resolves when the server has ended. May be called again. */
  stop(): Promise<void>;
}

/** How one kind of server is run. */
export interface ServerProgram {
  /** The name in messages. */
  name: string;
  /** Returns the program and its arguments. They hold no secret, as every user of the machine can see them. */
  command: (port: number) => Promise<[string, readonly string[]]>;
  env: NodeJS.ProcessEnv;
  stopSteps: readonly [StopStep, ...StopStep[]];
  /** Holds the pid in its first line once the server runs. */
  pidFile: string;
  /** An argument that identifies a server left by an earlier process of this project. */
  mark: string;
  /** The server's output is appended to this file (mode 0600). */
  logFile: string;
  /** The port of the last start, so that services in other processes find the server again. */
  lastPort: number | undefined;
  isReady: (pidFile: readonly string[], port: number) => boolean | Promise<boolean>;
  start_max_ms: number;
  /** Whether a failed start with this log may succeed when it is tried again. */
  mayRetry: (log: string) => boolean;
  /** A line of the log that says why the server did not start. */
  reason: RegExp;
  url: (port: number) => string;
}

// A log of this size still opens in any editor; one older file is kept.
const MAX_LOG_BYTES = 10 * 1024 * 1024;
const POLL_MS = 10;
// Two processes may choose the same free port, and the last children of a killed server take a moment to end.
const MAX_TRIES = 20;
const RETRY_MS = 250;

const running = new Map<ChildProcess, NodeJS.Signals>();
// A process that ends for any reason tells its servers to stop. They do not need it to finish.
process.on('exit', () => {
  for (const [child, signal] of running) child.kill(signal);
});

/**
 * Starts a server and waits until it is ready.
 * @param onCrash called with one line when the server ends unexpectedly
 * @throws StartupError if it does not start
 */
export async function startServer(program: ServerProgram, onCrash: (line: string) => void): Promise<EmbeddedServer> {
  const { name, logFile, url } = program;
  for (let tries = 1; ; tries += 1) {
    const port = await freeLoopbackPort(program.lastPort);
    rotate(logFile);
    const logged_bytes = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
    const server = spawnServer(program, await program.command(port));
    if (await becameReady(program, server, port)) {
      void server.exited.then((how) => {
        if (!server.isStopping()) onCrash(`${name} ended unexpectedly (${how}); see ${logFile}`);
      });
      return { port, url: url(port), stop: server.stop };
    }
    await server.stop();
    const log = (await readFile(logFile)).subarray(logged_bytes).toString().trim();
    if (program.mayRetry(log) && tries < MAX_TRIES) {
      await delay(RETRY_MS);
      continue;
    }
    const lines = log.split('\n');
    const reason = lines.findLast((line) => program.reason.test(line)) ?? lines.at(-1) ?? '';
    throw new StartupError(`${name} did not start: ${reason.trim() || 'it wrote nothing'} (see ${logFile})`);
  }
}

/**
 * Stops a server that was left by an earlier, killed process of this project.
 * @returns the pid in its file
 */
export async function stopEarlierServer({ pidFile, mark, stopSteps }: ServerProgram): Promise<number> {
  const pid = Number((await readLines(pidFile))[0]);
  if (!runsWithArgument(pid, mark)) return pid;
  for (const { signal, wait_ms } of stopSteps) {
    sendQuietly(pid, signal);
    for (const end = performance.now() + wait_ms; isAlive(pid) && performance.now() < end;) await delay(POLL_MS);
    if (!isAlive(pid)) break;
  }
  return pid;
}

interface ServerProcess {
  pid: number;
  /** Resolves with how the process ended; never rejects. */
  exited: Promise<string>;
  hasExited: () => boolean;
  isStopping: () => boolean;
  stop: () => Promise<void>;
}

function spawnServer(program: ServerProgram, [command, args]: [string, readonly string[]]): ServerProcess {
  const { logFile, env, stopSteps } = program;
  const log = openSync(logFile, 'a', 0o600);
  // In a separate process group: Ctrl-C in a terminal reaches every process of the foreground group, and would stop the
  // server while requests that need it are still in flight.
  const child = spawn(command, args, { detached: true, stdio: ['ignore', log, log], env });
  closeSync(log);
  running.set(child, stopSteps[0].signal);
  let hasExited = false;
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${String(code)}` : `signal ${signal}`));
  }).finally(() => {
    hasExited = true;
    running.delete(child);
  });
  const stopOnce = async (): Promise<void> => {
    for (const step of stopSteps) {
      if (hasExited) return;
      child.kill(step.signal);
      await Promise.race([exited, delay(step.wait_ms, undefined, { ref: false })]);
    }
    await exited;
  };
  let stopping: Promise<void> | undefined;
  return {
    pid: child.pid ?? -1,
    exited,
    hasExited: () => hasExited,
    isStopping: () => stopping !== undefined,
    stop: () => (stopping ??= stopOnce()),
  };
}

/** Waits until this server, and not another one on the port, is ready; returns false if it ends or takes too long. */
async function becameReady(program: ServerProgram, server: ServerProcess, port: number): Promise<boolean> {
  const end_ms = performance.now() + program.start_max_ms;
  while (!server.hasExited() && performance.now() < end_ms) {
    const lines = await readLines(program.pidFile);
    if (Number(lines[0]) === server.pid && (await program.isReady(lines, port))) return true;
    await delay(POLL_MS);
  }
  return false;
}

async function readLines(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8').catch(() => '')).split('\n');
}

function sendQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // The process may end between the check and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function rotate(logFile: string): void {
  const size_bytes = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size_bytes > MAX_LOG_BYTES) renameSync(logFile, `${logFile}.1`);
}
