import type { Logger } from 'moleculer';
import { faultOf } from '../errors/fault.ts';
import { newActivity, runIn } from '../tracing/activity.ts';
import { spanned } from '../tracing/spans.ts';

/** Work that a service repeats in the background. */
export interface RecurringJob {
  name: string;
  every_ms: number;
  /** Whether it does what is due at a time, which the test clock may have reached. */
  followsClock?: true;
  /** A run that can be long ends between two of its steps once `stopping` is aborted. */
  run: (stopping: AbortSignal) => Promise<void>;
}

/** How often the log repeats a fault that lasts. */
const REMIND_MS = 60_000;

/** Runs a job repeatedly: first after `every_ms`, and then `every_ms` after each end. Failures are logged. */
export function startJob({ name, every_ms, run }: RecurringJob, log: Logger): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const stopping = new AbortController();
  let logged: { message: string; at_ms: number } | undefined;

  const report = (error: unknown): void => {
    const fault = faultOf(error);
    const at_ms = performance.now();
    if (logged?.message === fault.message && at_ms - logged.at_ms < REMIND_MS) return;
    logged = { message: fault.message, at_ms };
    log.error('job failed', { job: name, ...fault });
  };
  const runOnce = () => {
    running = run(stopping.signal)
      .then(() => {
        logged = undefined;
      }, report)
      .finally(() => {
        if (!stopping.signal.aborted) timer = setTimeout(runOnce, every_ms);
      });
  };
  timer = setTimeout(runOnce, every_ms);

  return {
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}

/** Runs each job once, to its end. */
export async function runInTurn(jobs: readonly RecurringJob[]): Promise<void> {
  const { signal } = new AbortController();
  for (const job of jobs) await job.run(signal);
}

/** Runs a job's items in parallel, so that none delays the others. Failures are logged; the next run tries again. */
export async function runEach<R extends { id: string }>(
  log: Logger,
  job: string,
  items: readonly R[],
  run: (item: R) => Promise<unknown>,
): Promise<void> {
  await Promise.all(
    items.map((item) =>
      runIn(newActivity(), async () => {
        try {
          await spanned('internal', job, {}, () => run(item));
        } catch (error) {
          log.warn('a job failed for one item, and will try it again', { job, id: item.id, ...faultOf(error) });
        }
      }),
    ),
  );
}
