import { performance } from 'node:perf_hooks';
import type { Socket } from 'node:net';
import type { Logger } from 'moleculer';
import type { Settings } from '../../../lib/config/settings.ts';
import { logsInfo } from '../../../lib/node/log.ts';
import { traceIdOf } from '../../../lib/tracing/trace.ts';
import { clientAddresses, plainAddress } from './client-address.ts';
import { routeOf } from './request.ts';
import type { Request, Response } from './request.ts';

/** What is logged of bytes that were not HTTP, and of the answer to them. */
export interface Unreadable {
  status: number;
  code: string;
  bytes: number;
  request_id: string;
  address: string | undefined;
}

export interface AccessLog {
  /** Writes a line when the answer to a request has ended. */
  follow(request: Request, response: Response): void;
  /** Writes a line about bytes that were not HTTP. */
  noteUnreadable(fields: Unreadable): void;
}

/** Digits of a duration in ms after the point. */
const DURATION_DIGITS = 1;

/**
 * One line of level `info` for each request: the caller, their address, the route's pattern and the outcome. Nothing of
 * what was sent is in it: no path (its ids and invitation codes), no query, no header, no body, no name.
 */
export function accessLog(settings: Pick<Settings, 'logLevel' | 'trustedProxies'>, log: Logger): AccessLog {
  if (!logsInfo(settings)) return { follow: () => undefined, noteUnreadable: () => undefined };
  const addressOf = clientAddresses(settings.trustedProxies);
  const newBytes = bytesWritten();
  return {
    follow(request, response) {
      const begun_ms = performance.now();
      // Read now: a connection that has ended has no address.
      const address = addressOf(request);
      response.once('close', () => {
        const { method, socket, $ids, $identity, $refusal } = request;
        log.info('request', {
          method,
          route: routeOf(request),
          status: response.headersSent ? response.statusCode : undefined,
          // The client closed the connection, or a stream broke off.
          aborted: response.writableFinished ? undefined : true,
          code: $refusal,
          duration_ms: Number((performance.now() - begun_ms).toFixed(DURATION_DIGITS)),
          bytes: newBytes(socket),
          request_id: $ids?.request_id,
          trace_id: traceIdOf($ids?.trace.traceparent),
          user_id: $identity !== undefined && 'caller' in $identity ? $identity.caller.user_id : undefined,
          address,
        });
      });
    },
    noteUnreadable(fields) {
      log.info('request', { route: 'none', ...fields, address: plainAddress(fields.address) });
    },
  };
}

/** Counts the bytes sent over a connection since the last call: the answers of a connection leave in turn. */
function bytesWritten(): (socket: Socket) => number {
  const counted = new WeakMap<Socket, number>();
  return (socket) => {
    const before = counted.get(socket) ?? 0;
    counted.set(socket, socket.bytesWritten);
    return socket.bytesWritten - before;
  };
}
