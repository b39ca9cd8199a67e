/** Prepares requests before they are routed: ids, caller, rate limit, CORS. */
import { randomUUID } from 'node:crypto';
import type { CallMeta } from '../../../lib/service/implement.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import { activeTracer } from '../../../lib/tracing/spans.ts';
import { continuedTrace, newTrace, readTrace } from '../../../lib/tracing/trace.ts';
import type { TokenVerifier } from '../tokens/verifier.ts';
import { answerError, answerJson } from './answer.ts';
import { kindOf, type CallsInFlight } from './calls-in-flight.ts';
import { clientAddresses, siteOf } from './client-address.ts';
import { crossOrigin, preflightHeaders } from './cors.ts';
import { originForm, validRequestId } from './head.rules.ts';
import { methodName, type Observer } from './observe.ts';
import { rateCounter, type Counted } from './rate-limit.ts';
import { pathOf, type Identity, type Request, type Response } from './request.ts';
import { allowedMethods, type GatewayService } from './router.ts';

export interface Receiver {
  /** Answers a request. */
  receive(service: GatewayService, request: Request, response: Response): Promise<void>;
  /**
   * Counts bytes that were not HTTP for the address that sent them.
   * @returns the headers that every answer to this address has
   */
  countUnreadable(address: string): Record<string, string>;
}

/** Operators and load balancers request these pages at a fixed rate, so they are neither counted nor limited. */
const UNCOUNTED = /^\/(health\/|metrics\/?$)/;

/**
 * Returns the receiver of requests.
 * @param runtime its settings contain RATE_LIMIT, TRUSTED_PROXIES and CORS_ORIGINS
 */
export function requestReceiver(
  { settings, clock, newId }: Pick<Runtime, 'settings' | 'clock' | 'newId'>,
  verify: TokenVerifier,
  observer: Observer,
  calls: Pick<CallsInFlight, 'admit' | 'holdUntilSent'>,
): Receiver {
  const { rateLimitPerMinute: limit, trustedProxies, corsOrigins } = settings;
  const addressOf = clientAddresses(trustedProxies);
  // There are two counters so that a flood of addresses cannot evict the count of a user.
  const counters = limit === 'off' ? undefined : { user: rateCounter(limit), address: rateCounter(limit) };
  const count = (by: 'user' | 'address', key: string, requests = 1): Counted | undefined =>
    counters?.[by](key, clock().getTime(), requests);
  const cors = crossOrigin(corsOrigins);

  /** Gives the request its ids, and sets the headers that every answer to it has. */
  function identify(request: Request, response: Response): void {
    const { headers } = request;
    const request_id = validRequestId(headers['x-request-id']) ?? newId();
    const parent = readTrace(headers.traceparent, headers.tracestate);
    const method = methodName(request);
    request.$span = activeTracer()?.start('server', method, parent, { 'http.request.method': method });
    const trace =
      request.$span?.trace ?? (parent === undefined ? newTrace(randomUUID) : continuedTrace(parent, randomUUID));
    request.$ids = { request_id, trace };
    response.setHeader('X-Request-Id', request_id);
    for (const [name, value] of Object.entries(trace)) response.setHeader(name, value as string);
  }

  /**
   * Identifies the caller and counts the request for them.
   * @throws rate_limited
   */
  async function admit(request: Request, response: Response): Promise<void> {
    // The refusal is thrown later, if the route requires a token.
    const identity: Identity = await verify(request.headers.authorization).then(
      (caller) => ({ caller }),
      (refusal: unknown) => ({ refusal }),
    );
    request.$identity = identity;
    // An invalid token counts for the address that sent it, not for the user that it names.
    const counted =
      'caller' in identity ? count('user', identity.caller.user_id) : count('address', siteOf(request.$address ?? ''));
    if (counted === undefined) return;
    if ('caller' in identity) request.$spend = (requests) => void count('user', identity.caller.user_id, requests);
    for (const [name, value] of Object.entries(counted.headers)) response.setHeader(name, value);
    if (counted.over) throw problem('rate_limited', { retry_after_s: counted.reset_s });
  }

  return {
    async receive(service, request, response) {
      request.$service = service;
      request.$calls = calls;
      request.$address = addressOf(request);
      observer.follow(request, response);
      request.url = originForm(request.url);
      cors.allow(request, response);
      const isPreflight = cors.isPreflight(request);
      try {
        identify(request, response);
        // A preflight has no token. The request that follows it is counted.
        if (!isPreflight && !UNCOUNTED.test(pathOf(request))) {
          // An overloaded gateway verifies no token.
          await calls.admit(kindOf(request.method));
          await admit(request, response);
        }
        checkHead(request, response);
      } catch (error) {
        answerError(request, response, error);
        return;
      }
      if (isPreflight) {
        answerJson(request, response, 204, undefined, preflightHeaders(allowedMethods(service, pathOf(request))));
        return;
      }
      await service.httpHandler(request, response);
    },
    countUnreadable(address) {
      return { ...count('address', siteOf(address))?.headers, ...cors.unread };
    },
  };
}

/**
 * Checks what Node's server would refuse without a body (RFC 9112, section 3.2; RFC 9110, section 10.1.1). The
 * connection is closed, since a body may follow.
 * @throws malformed_request, expectation_failed
 */
function checkHead({ httpVersion, headersDistinct, $expectsMore = false }: Request, response: Response): void {
  const hosts = headersDistinct.host?.length ?? 0;
  const isMalformed = httpVersion === '1.1' ? hosts !== 1 : hosts > 1;
  if (!isMalformed && !$expectsMore) return;
  response.setHeader('Connection', 'close');
  throw problem(isMalformed ? 'malformed_request' : 'expectation_failed');
}

/** Gives moleculer-web's context the ids of the request. */
export function callOptions(options: { requestID?: string; meta?: CallMeta }, { $ids }: Request): void {
  if ($ids === undefined) return;
  options.requestID = $ids.request_id;
  options.meta = { ...$ids.trace };
}
