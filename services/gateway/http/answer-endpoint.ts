import { API_BASE } from '../../../lib/contracts/api.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Route } from '../routes.ts';
import type { TokenVerifier } from '../tokens/verifier.ts';
import { answerJson } from './answers.ts';
import { pathOf } from './exchange.ts';
import type { GatewayContext, Request, Response } from './exchange.ts';
import { exportLedger } from './export-ledger.ts';
import { readBody } from './read-body.ts';

/** What an action is called with. */
export interface EndpointCall {
  path: Record<string, string>;
  query: Record<string, unknown>;
  body: Record<string, unknown>;
}

const WITH_BODY = ['POST', 'PUT', 'PATCH'];

/**
 * Answers one request by calling its action, in the contract's order of refusals: who asks, the body, then what the
 * action says.
 * @param called tells what the action is called with, as soon as it is known: a refusal may have to be read by it
 * @throws whatever refuses; nothing has been sent then
 */
export async function answerEndpoint(
  route: Route,
  verify: TokenVerifier,
  request: Request,
  response: Response,
  called: (call: EndpointCall) => void,
): Promise<void> {
  const ctx = contextOf(request);
  // moleculer-web takes a preflight for the request that it announces.
  if (request.method !== route.method && !(request.method === 'HEAD' && route.method === 'GET')) {
    throw problem('method_not_allowed', { allowed_methods: [route.method] });
  }
  if (!route.open) ctx.meta.caller = await verify(request.headers.authorization);
  const { params = {}, query = {} } = request.$params ?? {};
  const body = WITH_BODY.includes(route.method) ? await readBody(request, route.endpoint.body) : {};
  const input: EndpointCall = { path: params, query, body };
  called(input);
  if (route.answer === 'ndjson') {
    await exportLedger(ctx, input, request, response);
    return;
  }
  const answer = await ctx.call<unknown, EndpointCall>(route.endpoint.name, input);
  const { $statusCode, $responseHeaders } = ctx.meta;
  answerJson(request, response, $statusCode ?? route.endpoint.status, answer, {
    ...nextPage(request, answer),
    ...$responseHeaders,
  });
}

function contextOf(request: Request): GatewayContext {
  if (request.$ctx === undefined) throw new Error('moleculer-web routes no request without a context');
  return request.$ctx;
}

/** `Link: <…>; rel="next"` of a list that goes on (RFC 8288). */
function nextPage(request: Request, answer: unknown): Record<string, string> {
  const { next_cursor } = (answer ?? {}) as { next_cursor?: unknown };
  const path = pathOf(request);
  if (typeof next_cursor !== 'string' || !path.startsWith(API_BASE)) return {};
  const search = new URLSearchParams(request.originalUrl?.slice(path.length + 1));
  search.set('cursor', next_cursor);
  return { Link: `<${path}?${search.toString()}>; rel="next"` };
}
