import { join } from 'node:path';
import type { Moments } from './cpu-time.ts';
import { startWorker } from './worker.ts';

/** A request as it goes over the wire; made before the clock starts. */
export interface LoadRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** What the load generator is given. */
export interface LoadPlan {
  origin: string;
  /** Connections, each with one request at a time. */
  in_flight: number;
  duration_ms: number;
  /** Taken in turn, each once unless `cycle` is set. */
  requests: LoadRequest[];
  cycle?: boolean;
  /** Any other status ends the measurement with an error. */
  expected: number;
  /**
   * Open loop: requests begin at this rate whatever becomes of earlier ones, as long as a connection is free, and
   * latency counts from when they were due. Without it the loop is closed: the next request follows an answer.
   */
  per_second?: number;
}

export interface LoadResult {
  /** Answered requests. */
  count: number;
  /** From the first request to the last answer. */
  seconds: number;
  p50_ms: number;
  p99_ms: number;
}

/**
 * Puts load on an HTTP server from a process of its own, whose CPU time does not count.
 * @param moments called when the generator is connected, and when its last answer has come
 * @throws on the first unexpected status, and if the requests run out before the time is over
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
