/** Reports requests to operators: a log line for each, and metrics. */
import { performance } from 'node:perf_hooks';
import type { Socket } from 'node:net';
import type { Settings } from '../../../lib/config/settings.ts';
import { logsInfo } from '../../../lib/node/log.ts';
import { httpActiveRequests, httpRequestDuration } from '../../../lib/telemetry/metrics.ts';
import { traceIdOf } from '../../../lib/tracing/trace.ts';
import { loggedUserId } from './logged-user.rules.ts';
import { routeOf, type Request, type Response } from './request.ts';

/** Node's parser knows further methods, for which there are no routes. They share one label. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The number of decimals of a logged duration in milliseconds. */
const DURATION_DIGITS = 1;

export interface Observer {
  /** Follows a request from its arrival to the end of its answer. */
  follow(request: Request, response: Response): void;
}

/**
 * Returns the observer of requests. It logs one line at level `info` for each request: the caller, their address, the
 * pattern of the route and the outcome. The path is not logged, because it contains ids and invitation codes, nor are
 * the query, headers, body and names.
 */
export function requestObserver(settings: Pick<Settings, 'logLevel'>): Observer {
  const isLogged = logsInfo(settings);
  const newBytes = bytesWritten();
  return {
    follow(request, response) {
      const begun_ms = performance.now();
      httpActiveRequests.inc();
      response.once('close', () => {
        const duration_ms = performance.now() - begun_ms;
        httpActiveRequests.dec();
        httpRequestDuration.observe(labelsOf(request, response), duration_ms / 1_000);
        endSpan(request, response);
        if (!isLogged) return;
        request.$service?.logger.info('request', {
          ...logFields(request, response),
          duration_ms: Number(duration_ms.toFixed(DURATION_DIGITS)),
          bytes: newBytes(request.socket),
        });
      });
    },
  };
}

/** Returns the method, or `_OTHER` for one without routes, of which there are many. */
export function methodName({ method = '' }: Request): string {
  return METHODS.has(method) ? method : '_OTHER';
}

function endSpan(request: Request, response: Response): void {
  const { $span, $refusal } = request;
  const status = response.statusCode;
  $span?.end({
    name: `${methodName(request)} ${routeOf(request)}`,
    attributes: { 'http.route': routeOf(request), 'http.response.status_code': status },
    ...(response.writableFinished
      ? $refusal === undefined
        ? {}
        : { error: { type: $refusal, isFault: status >= 500 } }
      : { error: { type: 'aborted', isFault: false } }),
  });
}

function labelsOf(request: Request, response: Response) {
  return {
    http_request_method: methodName(request),
    http_route: routeOf(request),
    // `aborted` means that the client closed the connection or that a stream failed.
    http_response_status_code: response.writableFinished ? String(response.statusCode) : 'aborted',
  };
}

function logFields(request: Request, response: Response) {
  const { method, $address, $ids, $identity, $refusal } = request;
  return {
    method,
    route: routeOf(request),
    status: response.headersSent ? response.statusCode : undefined,
    aborted: response.writableFinished ? undefined : true,
    code: $refusal,
    request_id: $ids?.request_id,
    trace_id: traceIdOf($ids?.trace.traceparent),
    user_id: $identity !== undefined && 'caller' in $identity ? loggedUserId($identity.caller.user_id) : undefined,
    address: $address,
  };
}

/**
 * Returns a function that counts the bytes sent over a connection since its last call. The answers of one connection
 * are sent one after another.
 */
function bytesWritten(): (socket: Socket) => number {
  const counted = new WeakMap<Socket, number>();
  return (socket) => {
    const before = counted.get(socket) ?? 0;
    counted.set(socket, socket.bytesWritten);
    return socket.bytesWritten - before;
  };
}
