import { createHistogram } from 'node:perf_hooks';
import type { Load } from './worker.ts';

const MS_PER_S = 1_000;
const US_PER_MS = 1_000;

/** The result of a closed loop. */
export interface Done {
  count: number;
  /** From the first call to the last answer. */
  seconds: number;
  p50_ms: number;
  p99_ms: number;
}

/**
 * Keeps `in_flight` concurrent calls for the given time, each followed by the next when it is answered; then waits for
 * the remaining calls.
 * @param call receives the number of earlier calls
 * @throws the error of a call, after all other calls have ended
 */
export async function closedLoop(
  { in_flight, duration_ms }: Load,
  call: (number: number) => Promise<void>,
): Promise<Done> {
  const latencies_us = createHistogram();
  let count = 0;
  const began_ms = performance.now();
  async function keepCalling(): Promise<void> {
    for (let now_ms = began_ms; now_ms < began_ms + duration_ms;) {
      count += 1;
      const call_ms = performance.now();
      await call(count - 1);
      now_ms = performance.now();
      latencies_us.record(Math.max(1, Math.round((now_ms - call_ms) * US_PER_MS)));
    }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: in_flight }, keepCalling));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
  const seconds = (performance.now() - began_ms) / MS_PER_S;
  const percentile_ms = (percentile: number): number => latencies_us.percentile(percentile) / US_PER_MS;
  return { count, seconds, p50_ms: percentile_ms(50), p99_ms: percentile_ms(99) };
}
