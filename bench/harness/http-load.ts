import { join } from 'node:path';
import type { Moments } from './cpu-time.ts';
import { startWorker } from './worker.ts';

/** In a body, this is replaced by the number of the request in ten digits. */
export const REQUEST_NUMBER = '##########';

/** A request, created before the clock starts. */
export interface LoadRequest {
  method: string;
  /** Includes the query. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** The input of the load generator. */
export interface LoadPlan {
  origin: string;
  /** Connections, each with one request at a time. */
  in_flight: number;
  duration_ms: number;
  /** Sent in turn, each once unless `cycle` is set. */
  requests: LoadRequest[];
  cycle?: boolean;
  /** Any other status ends the measurement with an error, unless it is one of `refused`. */
  expected: readonly number[];
  /** Statuses of refusals, which are counted apart. */
  refused?: readonly number[];
  /**
   * Rate of an open loop: requests begin at this rate regardless of earlier ones while a connection is free, and their
   * latency is measured from the time at which they were due. If absent, each request follows the answer before it.
   */
  per_second?: number;
  /** Other rates that follow immediately, without waiting for answers. */
  then?: readonly Phase[];
}

/** A time in which requests begin at one rate. */
export interface Phase {
  duration_ms: number;
  per_second?: number;
}

export interface LoadResult extends Answers {
  /** From the first request to the last answer. */
  seconds: number;
  p50_ms: number;
  /** Of what was due in each second. */
  each_second: Answers[];
}

export interface Answers {
  /** Answered requests. */
  count: number;
  p99_ms: number;
  /** Refusals; they are not part of `count` and of its latencies. */
  refused: { count: number; p99_ms: number };
}

/**
 * Puts load on an HTTP server from a separate process, whose CPU time does not count.
 * @param moments called when the generator is connected, and when its last answer has arrived
 * @throws for the first unexpected status, and if all requests are used before the time is over
 */
export async function httpLoad(plan: LoadPlan, moments?: Moments): Promise<LoadResult> {
  const generator = await startWorker<void, LoadResult>(join(import.meta.dirname, 'http-load-worker.ts'), plan);
  try {
    await moments?.began();
    const result = await generator.run();
    await moments?.ended();
    return result;
  } finally {
    await generator.stop();
  }
}
