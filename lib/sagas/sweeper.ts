import type { Logger } from 'moleculer';

export interface Sweeper {
  stop(): Promise<void>;
}

/**
 * Runs `sweep` again and again, `every_ms` after its last end: it takes up stored plans that were left half done. A
 * sweep that fails is logged and tried again at the next turn.
 */
export function startSweeper(name: string, every_ms: number, log: Logger, sweep: () => Promise<void>): Sweeper {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let stopping = false;

  const turn = () => {
    running = sweep()
      .catch((error: unknown) => log.error('sweep failed', { sweeper: name, message: (error as Error).message }))
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
