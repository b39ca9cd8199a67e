import type { Settings } from '../../../lib/config/settings.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pooledBytes } from '../../../lib/node/random-pool.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import { continuedTrace } from '../../../lib/tracing/trace.ts';
import { rateCounter, rateHeaders } from '../domain/rate-limit.ts';
import type { Counted, Counter } from '../domain/rate-limit.ts';
import { saneRequestId } from '../domain/request-id.ts';
import type { TokenVerifier } from '../tokens/verifier.ts';
import { clientAddresses, siteOf } from './client-address.ts';
import { pathOf } from './exchange.ts';
import type { Arrival, Request, Response } from './exchange.ts';

/** What comes before routing: who asks, under which ids, and whether he may ask once more this minute. */
export interface Arrivals {
  /**
   * Takes note of a request, and sets the headers that every answer to it has.
   * @param counts false for what is neither counted nor limited
   * @throws rate_limited
   */
  admit(request: Request, response: Response, counts?: boolean): Promise<void>;
  /** Counts what was no request at all. @returns the headers that tell so */
  countUnreadable(address: string | undefined): Record<string, string>;
}

/** Operators and load balancers ask these, in a rhythm of their own: neither counted nor limited. */
const UNCOUNTED = /^\/(health\/|metrics\/?$)/;

/** @param settings RATE_LIMIT and TRUSTED_PROXIES */
export function arrivals(
  { rateLimitPerMinute, trustedProxies }: Pick<Settings, 'rateLimitPerMinute' | 'trustedProxies'>,
  { clock, newId, randomBytes }: Pick<Runtime, 'clock' | 'newId' | 'randomBytes'>,
  verify: TokenVerifier,
): Arrivals {
  const addressOf = clientAddresses(trustedProxies);
  const traceBytes = pooledBytes(randomBytes);
  const counter = rateLimitPerMinute === 'off' ? undefined : rateCounter(rateLimitPerMinute);
  const count = (whom: Counter): Counted | undefined => counter?.(whom, clock().getTime());
  return {
    async admit(request, response, counts = true) {
      const { headers } = request;
      const request_id = saneRequestId(headers['x-request-id']) ?? newId();
      const trace = continuedTrace(headers.traceparent, headers.tracestate, traceBytes);
      const arrival: Arrival = (request.$arrival = { request_id, trace });
      response.setHeader('X-Request-Id', request_id);
      for (const [name, value] of Object.entries(trace)) response.setHeader(name, value as string);
      if (!counts || UNCOUNTED.test(pathOf(request))) return;

      arrival.identity = await identify(verify, headers.authorization);
      // A bad token counts for whoever sends it, not for the user whom it names.
      const { identity } = arrival;
      const counted = count(
        'caller' in identity ? { user_id: identity.caller.user_id } : { address: siteOf(addressOf(request)) },
      );
      if (counted === undefined) return;
      for (const [name, value] of Object.entries(rateHeaders(counted))) response.setHeader(name, value);
      if (counted.over) throw problem('rate_limited', { retry_after_s: counted.reset_s });
    },
    countUnreadable(address) {
      const counted = count({ address: siteOf(address ?? '') });
      return counted === undefined ? {} : rateHeaders(counted);
    },
  };
}

async function identify(verify: TokenVerifier, authorization: string | undefined) {
  try {
    return { caller: await verify(authorization) };
  } catch (refusal) {
    // Thrown where the route turns out to need a token.
    return { refusal };
  }
}
