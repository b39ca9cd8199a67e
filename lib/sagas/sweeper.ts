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

/**
 * Runs a sweep again and again, `every_ms` after its last end: it takes up stored plans that were left half done. One
 * that fails is logged and tried again at the next turn.
 */
export function startSweeper({ name, every_ms, sweep }: Sweep, log: Logger): Sweeper {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopping = false;

  const turn = () => {
    running = sweep()
      .catch((error: unknown) => log.error('sweep failed', { sweep: name, ...faultOf(error) }))
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
