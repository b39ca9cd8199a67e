import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'moleculer';
import type { CallMeta } from '../../../lib/service/implement.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { Trace } from '../../../lib/tracing/trace.ts';

export type GatewayContext = Context<unknown, CallMeta>;

/** What is known of a request before it is routed. */
export interface Arrival {
  request_id: string;
  trace: Trace;
  /** Who asks, or why the token does not tell; absent for the health and metrics pages, which nobody asks. */
  identity?: { caller: Caller } | { refusal: unknown };
}

/** A request as moleculer-web hands it on; only what we read of it. */
export interface Request extends IncomingMessage {
  /** The gateway's service. */
  $service?: { isStopping?: boolean };
  /** Whether it has an `Expect` other than `100-continue`. */
  $expectsMore?: boolean;
  /** From the first moment on. */
  $arrival?: Arrival;
  /** The code of the problem that it was answered with. */
  $refusal?: ErrorCode;
  /** Absent when the request failed before it was routed. */
  $ctx?: GatewayContext;
  /** What the request was routed to, if to anything. */
  $alias?: { fullPath: string };
  /** The values of the path's parameters, the query and, here, no body. */
  $params?: { params?: Record<string, string>; query?: Record<string, unknown> };
  /** The URL as it came; moleculer-web shortens `url` by the route's path. */
  originalUrl?: string;
  /** The path without query and trailing slash. */
  parsedUrl?: string;
}

export type Response = ServerResponse;

/** The pattern of the route, never the path itself: its values are without number, and some are secret. */
export function routeOf({ $alias }: Request): string {
  return $alias?.fullPath ?? 'none';
}

/** The request's path as it came, without its query, which may hold what nobody should log. */
export function pathOf(request: Request): string {
  return (request.originalUrl ?? request.url ?? '/').split('?', 1)[0] ?? '/';
}
