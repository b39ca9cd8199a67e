import { StartupError } from '../config/startup-error.ts';
import { faultOf } from '../errors/fault.ts';
import { giveBackMemory } from './give-back-memory.ts';
import { jsonLog } from './log.ts';

/** The settings of a process that affect how it logs and stops. */
export interface ProcessSettings {
  production: boolean;
  /** How long it still accepts requests after it was asked to stop. */
  drainDelayS?: number;
}

/** The functions that a command may use while it starts. */
export interface Start {
  /** Prints a line for people. */
  log: (line: string) => void;
  /** Stops everything and ends the process, with one line on stderr. */
  fail: (line: string) => void;
  /** Registers a function for the stop. The latest is called first, even if the start is interrupted or fails. */
  onStop: (stop: () => Promise<void>) => void;
}

// Docker kills a container 10 s after it asked it to stop; the drain and the embedded servers end before that.
// DRAIN_DELAY_S is added.
const STOP_TIMEOUT_MS = 9_500;
// Soon enough for a user who starts again immediately, and too rare to cost anything.
const PARENT_POLL_MS = 200;

/**
 * Runs a command until SIGINT, SIGTERM or SIGHUP, then stops what it started, and exits with code 0. A StartupError becomes
 * one line on stderr and exit code 1.
 */
export async function run<S extends ProcessSettings>(
  settings: () => S,
  start: (settings: S, to: Start) => Promise<string>,
): Promise<void> {
  const stops: (() => Promise<void>)[] = [];
  let isStopping = false;
  let stop_max_ms = STOP_TIMEOUT_MS;
  const stopAndExit = async (code: number): Promise<void> => {
    // npm passes on a Ctrl-C that the terminal has sent already: the second signal must not cut the first stop short.
    if (isStopping) return;
    isStopping = true;
    const limit = setTimeout(() => {
      reportEnd(`Not everything stopped within ${String(stop_max_ms / 1_000)} s. The process ends now.`);
      process.exit(1);
    }, stop_max_ms);
    try {
      for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
    } catch (error) {
      reportEnd(new Error('Stopping failed', { cause: error }));
      process.exit(1);
    }
    clearTimeout(limit);
    process.exit(code);
  };
  const fail = (reason: unknown): void => {
    if (!isStopping) reportEnd(reason);
    void stopAndExit(1);
  };
  // A programming error. What is in flight may be wrong, but is still stopped in order.
  process.on('uncaughtException', fail);
  whenNpmEnds(() => void stopAndExit(0));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stopAndExit(0));
  try {
    const read = settings();
    stop_max_ms += (read.drainDelayS ?? 0) * 1_000;
    const log = lineLogger(read);
    const ready = await start(read, { log, fail, onStop: (stop) => stops.push(stop) });
    // A failure is only logged, as the services run without it.
    await giveBackMemory().catch((error: unknown) => log(`Memory could not be given back: ${messageOf(error)}`));
    if (!isStopping) log(ready);
  } catch (error) {
    fail(error);
  }
}

/**
 * Calls `onEnd` once npm has ended. npm runs scripts through a shell, which does not pass on a SIGTERM that was sent to npm,
 * and a kill -9 of npm sends no signal at all.
 */
function whenNpmEnds(onEnd: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onEnd();
  }, PARENT_POLL_MS);
  timer.unref();
}

/** Returns a function that writes plain lines for people; in production JSON, like every other line of the log. */
function lineLogger(settings: ProcessSettings): (line: string) => void {
  if (!settings.production) return (line) => process.stdout.write(`${line}\n`);
  const logger = jsonLog();
  return (line) => {
    logger.info(line);
  };
}

/** Writes the reason why the process ends to stderr; in production as JSON. */
function reportEnd(reason: unknown): void {
  // Not from the settings, as they may be the reason.
  if (process.env['NODE_ENV'] !== 'production') process.stderr.write(`${messageOf(reason)}\n`);
  else jsonLog(2).fatal(reason instanceof StartupError ? reason.message : reason);
}

/** Returns one line for an error of the user, and the stack for a programming error. */
function messageOf(error: unknown): string {
  if (error instanceof StartupError) return error.message;
  const { stack, message } = faultOf(error);
  return stack ?? message;
}
