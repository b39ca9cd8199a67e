import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Logger } from 'moleculer';
import type { CallMeta } from '../../../lib/service/implement.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { OpenSpan } from '../../../lib/tracing/spans.ts';
import type { Trace } from '../../../lib/tracing/trace.ts';
import type { CallsInFlight } from './calls-in-flight.ts';

export type GatewayContext = Context<unknown, CallMeta>;

/** The input of an action. */
export interface EndpointCall {
  path: Record<string, string>;
  query: Record<string, unknown>;
  body: Record<string, unknown>;
}

/** Calls a public action for the caller of the request. */
export type Ask = (action: string, input: EndpointCall) => Promise<unknown>;

/** The caller of a request, or the refusal of its token. */
export type Identity = { caller: Caller } | { refusal: unknown };

/** A request as moleculer-web passes it on, with the members that the gateway uses. */
export interface Request extends IncomingMessage {
  /** The service of the gateway. */
  $service?: { isStopping?: boolean; logger: Logger };
  /** Set on arrival. */
  $calls?: Pick<CallsInFlight, 'holdUntilSent'>;
  /** Counts further requests for the caller; absent without a rate limit. */
  $spend?: (requests: number) => void;
  /** Whether the request has an `Expect` other than `100-continue`. */
  $expectsMore?: boolean;
  /** The client's address, as it is logged. It is read on arrival, because a closed connection has no address. */
  $address?: string;
  /** Set before any answer is written. */
  $ids?: { request_id: string; trace: Trace };
  /** Present while traces are exported. */
  $span?: OpenSpan | undefined;
  /** Absent for the health and metrics pages and for preflights, which need no caller. */
  $identity?: Identity;
  /** The input of the action, once it is known. */
  $call?: EndpointCall;
  /** The code of the problem with which the request was answered. */
  $refusal?: ErrorCode;
  /** Absent when the request failed before it was routed. */
  $ctx?: GatewayContext;
  /** Absent when no route has the path. */
  $alias?: { fullPath: string };
  /** The parameters of the path, and the query. */
  $params?: { params?: Record<string, string>; query?: Record<string, unknown> };
  /** The URL that the client sent. moleculer-web removes the path of the route from `url`. */
  originalUrl?: string;
}

export type Response = ServerResponse;

/**
 * Returns the pattern of the route, never the path itself: the number of paths is unbounded, and some contain secrets.
 */
export function routeOf({ $alias }: Request): string {
  return $alias?.fullPath ?? 'none';
}

/** Returns the path that the client sent, without the query, which must not be logged. */
export function pathOf(request: Request): string {
  return (request.originalUrl ?? request.url ?? '/').split('?', 1)[0] ?? '/';
}
