import { setTimeout as delay } from 'node:timers/promises';
import type { RecurringJob } from '@association-service/contracts/service';

const RUN_EVERY_MS = 10;

/** Repeats each job on its own, as a process does. @returns a function that asks them to stop, and waits for it */
export function runJobs(jobs: readonly RecurringJob[]): () => Promise<void> {
  const stopping = new AbortController();
  const running = jobs.map(async (job) => {
    for (; !stopping.signal.aborted; await delay(RUN_EVERY_MS)) await job.run(stopping.signal);
  });
  return async () => {
    stopping.abort();
    await Promise.all(running);
  };
}
