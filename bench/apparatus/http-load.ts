import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endProcess } from './end-process.ts';

/** A request as it goes over the wire; made before the clock starts. */
export interface LoadRequest {
  method: string;
  /** With its query, from the root of the server. */
  path: string;
  headers: Record<string, string>;
  /** Sent as it is; `content-length` is added. */
  body?: string;
}

/** What a load generator is told; plain data, since it runs in another process. */
export interface LoadPlan {
  origin: string;
  /** Connections, each with one request at a time. */
  in_flight: number;
  duration_ms: number;
  /** Taken in turn, each once unless `cycle` is set. */
  requests: LoadRequest[];
  cycle?: boolean;
  /** The statuses that count; any other ends the measurement with an error. */
  expected: number[];
  /**
   * Open loop: requests begin at this rate whatever becomes of the ones before, as long as a connection is free, and
   * their latency counts from when they were to begin. Without it the loop is closed: the next request follows an answer.
   */
  per_second?: number;
}

/** Called when the generator is connected and its clock starts, and when its last answer has come. */
export interface LoadMoments {
  began?: () => void | Promise<void>;
  ended?: () => void | Promise<void>;
}

export interface LoadResult {
  /** Answered requests. */
  count: number;
  /** From the first request to the last answer. */
  seconds: number;
  p50_ms: number;
  p99_ms: number;
}

/** What the process of the generator says, in this order, or `failed` at any time. */
export type LoadReport = { connected: true } | { done: LoadResult } | { failed: string };

/**
 * Puts load on an HTTP server from a process of its own, whose CPU time nobody counts, and gives what came of it.
 * @throws {Error} on the first answer that is not expected, and if the requests run out before the time is up
 */
export async function httpLoad(plan: LoadPlan, moments: LoadMoments = {}): Promise<LoadResult> {
  const child = fork(join(import.meta.dirname, 'http-load-process.ts'), { serialization: 'advanced' });
  const exited = once(child, 'exit').then(() => undefined);
  const reports: LoadReport[] = [];
  let wake = () => undefined as void;
  child.on('message', (report) => {
    reports.push(report as LoadReport);
    wake();
  });
  const next = async (): Promise<LoadReport> => {
    if (reports.length === 0) await Promise.race([new Promise<void>((resolve) => (wake = resolve)), exited]);
    return reports.shift() ?? { failed: 'the load generator has died' };
  };
  try {
    child.send(plan);
    const connected = await next();
    if ('failed' in connected) throw new Error(connected.failed);
    await moments.began?.();
    child.send('go');
    const outcome = await next();
    await moments.ended?.();
    if ('done' in outcome) return outcome.done;
    throw new Error('failed' in outcome ? outcome.failed : 'the load generator lost its way');
  } finally {
    await endProcess(child);
  }
}
