import type { Settings } from '../lib/config/settings.ts';
import { StartupError } from '../lib/config/startup-error.ts';
import { faultOf, jsonLog } from '../lib/node/log.ts';
import { giveBackMemory } from './give-back-memory.ts';

/** How a command tells of itself while it starts. */
export interface Start {
  /** Prints a line for people. */
  log: (line: string) => void;
  /** Ends the process with one line on stderr, after what runs was stopped: for what cannot go on. */
  fail: (line: string) => void;
  /** Registers what to stop, the latest first, also when the start is interrupted or fails half-way. */
  onStop: (stop: () => Promise<void>) => void;
}

// Docker kills a container 10 s after it asked it to stop. The drain ends before that, and the embedded servers with it;
// DRAIN_DELAY_S comes on top.
const STOP_TIMEOUT_MS = 9_500;
// Soon enough for someone who starts again at once, and nothing to notice in a profile.
const PARENT_POLL_MS = 200;

/**
 * Runs a command until SIGINT or SIGTERM, then stops what it started, and exits with 0. A StartupError becomes one
 * line on stderr and exit code 1.
 */
export async function run(
  settings: () => Settings,
  start: (settings: Settings, to: Start) => Promise<string>,
): Promise<void> {
  const stops: (() => Promise<void>)[] = [];
  let leaving = false;
  let stop_max_ms = STOP_TIMEOUT_MS;
  const leave = async (code: number): Promise<void> => {
    // npm passes on a Ctrl-C that the terminal has sent already: the second signal must not cut the first stop short.
    if (leaving) return;
    leaving = true;
    const limit = setTimeout(() => {
      tellOfEnd(`Not everything stopped within ${String(stop_max_ms / 1_000)} s: leaving it.`);
      process.exit(1);
    }, stop_max_ms);
    try {
      for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop();
    } catch (error) {
      tellOfEnd(new Error('Stopping failed', { cause: error }));
      process.exit(1);
    }
    clearTimeout(limit);
    process.exit(code);
  };
  const fail = (reason: unknown): void => {
    if (!leaving) tellOfEnd(reason);
    void leave(1);
  };
  // A mistake in the code. What is in flight may be wrong, but is still stopped in order.
  process.on('uncaughtException', fail);
  whenNpmIsGone(() => void leave(0));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void leave(0));
  try {
    const read = settings();
    stop_max_ms += read.drainDelayS * 1_000;
    const log = lineLogger(read);
    const ready = await start(read, { log, fail, onStop: (stop) => stops.push(stop) });
    // It runs, whatever comes of this.
    await giveBackMemory().catch((error: unknown) => log(`Memory could not be given back: ${messageOf(error)}`));
    if (!leaving) log(ready);
  } catch (error) {
    fail(error);
  }
}

/**
 * npm runs scripts through a shell, which does not pass on a SIGTERM that npm was sent, and nothing at all follows a
 * kill -9 of npm. Who stops npm means the service.
 */
function whenNpmIsGone(leave: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    leave();
  }, PARENT_POLL_MS);
  timer.unref();
}

/** Plain lines for people; in production JSON, like every other line of the log. */
function lineLogger(settings: Settings): (line: string) => void {
  if (!settings.production) return (line) => process.stdout.write(`${line}\n`);
  const logger = jsonLog();
  return (line) => {
    logger.info(line);
  };
}

/** Says on stderr what ends the process; in production as JSON. */
function tellOfEnd(reason: unknown): void {
  // The settings may be what was wrong.
  if (process.env['NODE_ENV'] !== 'production') process.stderr.write(`${messageOf(reason)}\n`);
  else jsonLog(2).fatal(reason instanceof StartupError ? reason.message : reason);
}

/** One line for what was expected; the stack for what was not, for then the code has to be looked into. */
function messageOf(error: unknown): string {
  if (error instanceof StartupError) return error.message;
  const { stack, message } = faultOf(error);
  return stack ?? message;
}
