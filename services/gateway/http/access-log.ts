import { performance } from 'node:perf_hooks';
import type { Socket } from 'node:net';
import type { Logger } from 'moleculer';
import type { Settings } from '../../../lib/config/settings.ts';
import { logsInfo } from '../../../lib/node/log.ts';
import { traceIdOf } from '../../../lib/tracing/trace.ts';
import { clientAddresses, plainAddress } from './client-address.ts';
import { routeOf } from './exchange.ts';
import type { Request, Response } from './exchange.ts';

export interface AccessLog {
  /** Writes a line at the end of the answer to a request. */
  follow(request: Request, response: Response): void;
  /** Writes a line about what was no request. */
  unreadable(fields: {
    status: number;
    code: string;
    bytes: number;
    request_id: string;
    address: string | undefined;
  }): void;
}

/** Digits of a duration in ms after the point. */
const DURATION_DIGITS = 1;

/**
 * One line of level `info` for each request. It says who asked, from where, and for which kind of thing, and nothing of
 * what was sent: no path (its ids and invitation codes), no query, no header, no body, no name.
 */
export function accessLog(settings: Pick<Settings, 'logLevel' | 'trustedProxies'>, log: Logger): AccessLog {
  if (!logsInfo(settings)) return { follow: () => undefined, unreadable: () => undefined };
  const addressOf = clientAddresses(settings.trustedProxies);
  const bytesSince = bytesWritten();
  return {
    follow(request, response) {
      const begun_ms = performance.now();
      const { socket } = request;
      // A connection that has ended does not tell its address.
      const address = addressOf(request);
      response.once('close', () => {
        const { $arrival, $refusal } = request;
        const identity = $arrival?.identity;
        log.info('request', {
          method: request.method,
          route: routeOf(request),
          status: response.headersSent ? response.statusCode : undefined,
          // The client went away, or a stream broke off.
          aborted: response.writableFinished ? undefined : true,
          code: $refusal,
          duration_ms: Number((performance.now() - begun_ms).toFixed(DURATION_DIGITS)),
          bytes: bytesSince(socket),
          request_id: $arrival?.request_id,
          trace_id: traceIdOf($arrival?.trace.traceparent),
          user_id: identity !== undefined && 'caller' in identity ? identity.caller.user_id : undefined,
          address,
        });
      });
    },
    unreadable(fields) {
      log.info('request', { route: 'none', ...fields, address: plainAddress(fields.address) });
    },
  };
}

/** Tells how much was sent over a connection since it was last asked: the answers of a connection leave in turn. */
function bytesWritten(): (socket: Socket) => number {
  const told = new WeakMap<Socket, number>();
  return (socket) => {
    const before = told.get(socket) ?? 0;
    told.set(socket, socket.bytesWritten);
    return socket.bytesWritten - before;
  };
}
