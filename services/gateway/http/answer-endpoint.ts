import { callOnAnyNode } from '../../../lib/service/call.ts';
import { API_BASE } from '../../../lib/contracts/api.ts';
import { idempotencyKey, resourcePath } from '../domain/idempotency-key.ts';
import { givesTag } from '../routes.ts';
import type { Route } from '../routes.ts';
import { answerJson, answerState } from './answers.ts';
import { answerStatement } from './answer-statement.ts';
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
 * Answers one request by calling its action, in the contract's order of refusals: who asks, the body, the
 * `Idempotency-Key`, then what the action says.
 * @param called tells what the action is called with, as soon as it is known: a refusal may have to be read by it
 * @throws whatever refuses; nothing has been sent then
 */
export async function answerEndpoint(
  route: Route,
  request: Request,
  response: Response,
  called: (call: EndpointCall) => void,
): Promise<void> {
  const ctx = contextOf(request);
  identify(route, request, ctx);
  const { params = {}, query = {} } = request.$params ?? {};
  const body = WITH_BODY.includes(route.method) ? await readBody(request, route.endpoint.body) : {};
  const input: EndpointCall = { path: params, query, body };
  called(input);
  noteIdempotencyKey(route, request, ctx, params);
  if (route.answer === 'ndjson') {
    await exportLedger(ctx, input, request, response);
    return;
  }
  if (route.answer === 'statement') {
    await answerStatement(ctx, input, request, response);
    return;
  }
  const answer = await callOnAnyNode(ctx, route.endpoint.name, input, { reads: route.method === 'GET' });
  const { $statusCode, $responseHeaders } = ctx.meta;
  const status = $statusCode ?? route.endpoint.status;
  if (status === 200 && givesTag(route)) {
    answerState(request, response, answer, $responseHeaders);
    return;
  }
  answerJson(request, response, status, answer, { ...nextPage(request, answer), ...$responseHeaders });
}

function contextOf(request: Request): GatewayContext {
  if (request.$ctx === undefined) throw new Error('moleculer-web routes no request without a context');
  return request.$ctx;
}

/** Passes on who asks. @throws the token's refusal, where the route needs one */
function identify({ open }: Route, { $arrival }: Request, ctx: GatewayContext): void {
  if (open) return;
  const identity = $arrival?.identity ?? { refusal: new Error('a request came past the arrivals') };
  if ('refusal' in identity) throw identity.refusal;
  ctx.meta.caller = identity.caller;
}

/** Passes a write's key on to the service that honours it. @throws validation_failed for an ill-formed one */
function noteIdempotencyKey(
  { method, path, endpoint }: Route,
  request: Request,
  ctx: GatewayContext,
  parameters: Record<string, string>,
): void {
  if (method === 'GET') return;
  const key = idempotencyKey(request.headersDistinct['idempotency-key']);
  if (key === undefined) return;
  ctx.meta.idempotency = { key, method, path: API_BASE + resourcePath(path, parameters, endpoint.path) };
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
