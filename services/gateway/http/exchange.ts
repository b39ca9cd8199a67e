import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Context } from 'moleculer';
import type { CallMeta } from '../../../lib/actions/implement.ts';

/** What the gateway adds to a call's meta. */
export interface GatewayMeta extends CallMeta {
  /** The client's trace (W3C Trace Context), for whoever continues it. */
  traceparent?: string;
}

export type GatewayContext = Context<unknown, GatewayMeta>;

/** A request as moleculer-web hands it on; only what we read of it. */
export interface Request extends IncomingMessage {
  /** The gateway's service. */
  $service?: { server?: Server };
  /** Absent when the request failed before it was routed. */
  $ctx?: GatewayContext;
  /** The values of the path's parameters, the query and, here, no body. */
  $params?: { params?: Record<string, string>; query?: Record<string, unknown> };
  /** The URL as it came; moleculer-web shortens `url` by the route's path. */
  originalUrl?: string;
  /** The path without query and trailing slash. */
  parsedUrl?: string;
}

export type Response = ServerResponse;

/** The request's path as it came, without its query, which may hold what nobody should log. */
export function pathOf(request: Request): string {
  return (request.originalUrl ?? request.url ?? '/').split('?', 1)[0] ?? '/';
}
