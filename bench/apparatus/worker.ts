import { basename, join } from 'node:path';
import { startForked } from './forked.ts';
import type { Failed } from './forked.ts';

/** What a worker's process does when told so. */
export interface Worker {
  /** Works for so long and gives how many operations it has carried out, to their end. */
  run(duration_ms: number, in_flight: number): Promise<number>;
  stop(): Promise<void>;
}

/** The default export of a worker's module; what it is given is plain data. */
export type MakeWorker<Input> = (input: Input) => Promise<Worker>;

/** A worker in a process of its own, so that its CPU time is nobody else's. */
export interface RunningWorker extends Worker {
  pid: number;
}

/** What the process is told: first what to make, then to run. */
export type Order = { make: string; input: unknown } | { run: { duration_ms: number; in_flight: number } };

/** What the process says. */
export type Answer = Done | Failed;

interface Done {
  /** Nought when the worker has been made. */
  operations: number;
}

/**
 * Forks a process with the worker that a module makes.
 * @param module its path
 * @param input plain data
 */
export async function startWorker(module: string, input: unknown): Promise<RunningWorker> {
  const script = join(import.meta.dirname, 'worker-process.ts');
  const { pid, ask, stop } = await startForked<Order, Done>(script, basename(module), { make: module, input });
  return {
    pid,
    run: async (duration_ms, in_flight) => (await ask({ run: { duration_ms, in_flight } })).operations,
    stop,
  };
}
