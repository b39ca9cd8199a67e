import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Logger } from 'moleculer';
import type { CallMeta } from '../../../lib/service/implement.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { Trace } from '../../../lib/tracing/trace.ts';

export type GatewayContext = Context<unknown, CallMeta>;

/** What an action is called with. */
export interface EndpointCall {
  path: Record<string, string>;
  query: Record<string, unknown>;
  body: Record<string, unknown>;
}

/** The caller of a request, or why the token does not name one. */
export type Identity = { caller: Caller } | { refusal: unknown };

/** A request as moleculer-web passes it on: the members that the gateway reads. */
export interface Request extends IncomingMessage {
  /** The gateway's service. */
  $service?: { isStopping?: boolean; logger: Logger };
  /** Whether it has an `Expect` other than `100-continue`. */
  $expectsMore?: boolean;
  /** As in the log; read on arrival, as a connection that has ended has no address. */
  $address?: string;
  /** Set before anything is answered. */
  $ids?: { request_id: string; trace: Trace };
  /** Absent for the health and metrics pages, and for preflights: they need no caller. */
  $identity?: Identity;
  /** What the action is called with, once it is known. */
  $call?: EndpointCall;
  /** The code of the problem that it was answered with. */
  $refusal?: ErrorCode;
  /** Absent when the request failed before it was routed. */
  $ctx?: GatewayContext;
  /** Absent when no route has the path. */
  $alias?: { fullPath: string };
  /** The values of the path's parameters, and the query. */
  $params?: { params?: Record<string, string>; query?: Record<string, unknown> };
  /** The URL as it came; moleculer-web shortens `url` by the route's path. */
  originalUrl?: string;
}

export type Response = ServerResponse;

/** The pattern of the route, never the path itself: paths are without number, and some hold secrets. */
export function routeOf({ $alias }: Request): string {
  return $alias?.fullPath ?? 'none';
}

/** The path as it came, without the query, which must not be logged. */
export function pathOf(request: Request): string {
  return (request.originalUrl ?? request.url ?? '/').split('?', 1)[0] ?? '/';
}
