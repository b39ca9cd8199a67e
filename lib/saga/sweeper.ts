import type { Logger } from 'moleculer';
import { faultOf } from '../runtime/log.ts';

/** Work that a service looks for by itself, again and again. */
export interface Sweep {
  name: string;
  every_ms: number;
  sweep: () => Promise<void>;
}

export interface Sweeper {
  stop(): Promise<void>;
}

/** How often the log says that the same fault goes on. */
const REMIND_MS = 60_000;

/**
 * Runs a sweep again and again, `every_ms` after its last end: it takes up stored plans that were left half done. One
 * that fails is logged and tried again at the next turn.
 */
export function startSweeper({ name, every_ms, sweep }: Sweep, log: Logger): Sweeper {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopping = false;
  let logged: { message: string; at_ms: number } | undefined;

  const report = (error: unknown): void => {
    const fault = faultOf(error);
    const at_ms = performance.now();
    if (logged?.message === fault.message && at_ms - logged.at_ms < REMIND_MS) return;
    logged = { message: fault.message, at_ms };
    log.error('sweep failed', { sweep: name, ...fault });
  };

  const turn = () => {
    running = sweep()
      .then(() => {
        logged = undefined;
      }, report)
      .finally(() => {
        if (!stopping) timer = setTimeout(turn, every_ms);
      });
  };
  timer = setTimeout(turn, every_ms);

  return {
    stop: async () => {
      stopping = true;
      clearTimeout(timer);
      await running;
    },
  };
}
