import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepOutput } from './written-output.ts';

/** The root of the repository, in which all commands of the tests run. */
export const ROOT = join(import.meta.dirname, '..', '..');

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 20;

/** A program that a test has started. */
export interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Returns the output so far, of stdout and stderr. */
  readonly output: () => string;
  readonly hasEnded: () => boolean;
  /** Resolves with the exit code when the program has ended; null if a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Ends the program with a signal, by default SIGTERM, and waits for its end. @returns the exit code */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

export interface StartOptions {
  /** The whole environment of the program. */
  env: NodeJS.ProcessEnv;
  /** Node by default. */
  program?: string;
  /** Whether the program can receive messages. */
  ipc?: boolean;
  /** Whether stdout is a secret that the caller asked for, such as a token. It is then not kept as output of the run. */
  printsSecret?: boolean;
}

/** Starts a program in the root of the repository. */
export function startProcess(args: readonly string[], { env, program, ipc, printsSecret }: StartOptions): Started {
  const { NODE_COMPILE_CACHE } = process.env;
  const child = spawn(program ?? process.execPath, args, {
    cwd: ROOT,
    // The compile cache saves up to half of the time of a start. Each process has a metrics port that no other looks for.
    env: { NODE_COMPILE_CACHE, METRICS_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc === true ? (['ipc'] as const) : [])],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text: Buffer) => {
      output.push(String(text));
      if (stream === child.stderr || printsSecret !== true) keepOutput(child.pid ?? 0, text);
    });
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  // 'close' is emitted after 'exit', when all output has been read.
  const ended = once(child, 'close').then(() => child.exitCode);
  return {
    child,
    pid: child.pid ?? -1,
    output: () => output.join(''),
    hasEnded,
    ended,
    end(signal = 'SIGTERM') {
      if (!hasEnded()) child.kill(signal);
      return ended;
    },
  };
}

/**
 * Waits until the program has printed `text`.
 * @throws Error with the output if the program ends before, or after a minute
 */
export async function untilPrinted({ output, hasEnded }: Started, text: string): Promise<void> {
  for (const end_ms = Date.now() + START_TIMEOUT_MS; !output().includes(text); await sleep(POLL_MS)) {
    if (hasEnded() || Date.now() > end_ms) throw new Error(`A process did not print "${text}":\n${output()}`);
  }
}

/** Starts a program and waits until it reports that the service is ready. */
export async function startService(args: readonly string[], options: StartOptions): Promise<Started> {
  const started = startProcess(args, options);
  await untilPrinted(started, 'service ready');
  return started;
}
