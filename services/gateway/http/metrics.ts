import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { routeOf } from './request.ts';
import type { Request, Response } from './request.ts';

/** Seconds: from an answer without any call to the longest that the gateway waits for one. */
const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Node's parser knows more methods, which no route takes: they share one label. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export interface Metrics {
  /** Follows a request from its arrival to the end of its answer. */
  follow(request: Request, response: Response): void;
  /** All measurements in the text format of Prometheus. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** The measurements of one gateway and of the process that it runs in. */
export function gatewayMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const inFlight = new Gauge({
    name: 'http_requests_in_flight',
    help: 'Requests that have arrived and are not answered yet.',
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer, by method, route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
  return {
    follow(request, response) {
      inFlight.inc();
      const stop = durations.startTimer();
      response.once('close', () => {
        inFlight.dec();
        stop(labelsOf(request, response));
      });
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function labelsOf(request: Request, response: Response) {
  const { method = '' } = request;
  return {
    method: METHODS.has(method) ? method : 'other',
    route: routeOf(request),
    // `aborted`: the client closed the connection, or a stream broke off.
    status: response.writableFinished ? String(response.statusCode) : 'aborted',
  };
}
