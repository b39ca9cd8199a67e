import { callOnAnyNode } from '../../../lib/service/call.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import { API_BASE } from '../../../lib/contracts/api.ts';
import { answerSheet } from '../printed-sheets/answer-sheet.ts';
import { answerStatement } from '../statements/answer-statement.ts';
import { answerJson, answerState, answerStream } from './answer.ts';
import { kindOf, type CallsInFlight } from './calls-in-flight.ts';
import { deprecationHeaders } from './deprecation.rules.ts';
import { exportLedger } from './export-ledger.ts';
import type { LongAnswers } from './long-answers.ts';
import { idempotencyKey, ifMatch, resourcePath } from './head.rules.ts';
import { readBody } from './read-body.ts';
import { pathOf, type Ask, type EndpointCall, type GatewayContext, type Request, type Response } from './request.ts';
import type { CallerStatements } from '../tokens/state-caller.ts';
import { givesTag, isWrite, takesBody, takesIfMatch, type Route } from './route.rules.ts';

export interface Limits {
  calls: CallsInFlight;
  longAnswers: LongAnswers;
}

const NDJSON = { 'Content-Type': 'application/x-ndjson; charset=utf-8' };

/**
 * Answers one request by calling its action. Checks come in the order of refusals (docs/architecture.md): the caller,
 * the body, the headers of a write, then the checks of the action.
 * @throws a refusal or a fault. Only a stream may have sent something before that.
 */
export async function answerEndpoint(
  route: Route,
  { calls, longAnswers }: Limits,
  request: Request,
  response: Response,
  { stateCaller }: { stateCaller: CallerStatements },
): Promise<void> {
  const { $ctx: ctx } = request;
  if (ctx === undefined) throw new Error('moleculer-web routes no request without a context');
  response.setHeaders(new Map(Object.entries(deprecationHeaders(route.endpoint.deprecated))));
  const caller = callerOf(route, request);
  const { params = {}, query = {} } = request.$params ?? {};
  const body = takesBody(route) ? await readBody(request, route.endpoint) : {};
  const call = (request.$call = { path: params, query, body });
  passIdempotencyKey(route, request, ctx, call);
  passIfMatch(route, request, ctx);
  const kind = kindOf(route.method);
  const { requestTimeout: timeout_ms = 0 } = ctx.broker.options;
  const ask: Ask = (action, input) => {
    // Processes of 0.1.0 believe a plain caller.
    const meta = caller && { caller, statements: stateCaller(caller, action) };
    const options = { reads: kind === 'read', timeout_ms, ...(meta && { meta }) };
    return calls.count(kind, () => callOnAnyNode(ctx, action, input, options));
  };
  calls.check(kind);
  if (route.answer === 'json') {
    await answerValue(route, ctx, ask, call, request, response);
    return;
  }
  const make = {
    ndjson: () => answerStream(request, response, exportLedger(ask, call, request), NDJSON),
    statement: () => answerStatement(ask, call, request, response),
    sheet: () => answerSheet(ask, call, request, response),
  }[route.answer];
  await longAnswers.make(caller?.user_id ?? '', make);
}

async function answerValue(
  route: Route,
  ctx: GatewayContext,
  ask: Ask,
  call: EndpointCall,
  request: Request,
  response: Response,
): Promise<void> {
  const answer = await ask(route.endpoint.name, call);
  const { $statusCode } = ctx.meta;
  const headers = passedOn(ctx.meta.$responseHeaders);
  const status = $statusCode ?? route.endpoint.status;
  if (status <= 201 && givesTag(route)) {
    answerState(request, response, status, answer, headers);
    return;
  }
  answerJson(request, response, status, answer, { ...nextPage(request, answer), ...headers });
}

/** What services may set. Others, such as a content type, would let a further service run scripts on the origin of `/docs`. */
const PASSED_ON = ['Location', 'Idempotency-Replayed'];

function passedOn(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => PASSED_ON.includes(name)));
}

/**
 * Returns the caller; undefined if the route is open to everyone.
 * @throws the refusal of the token
 */
function callerOf({ endpoint }: Route, { $identity }: Request): Caller | undefined {
  if (endpoint.open === true) return undefined;
  const identity = $identity ?? { refusal: new Error('a request was routed before its caller was known') };
  if ('refusal' in identity) throw identity.refusal;
  return identity.caller;
}

/**
 * Passes the key of a write on to the service, which stores it.
 * @throws validation_failed for a malformed key
 */
function passIdempotencyKey(route: Route, request: Request, ctx: GatewayContext, call: EndpointCall): void {
  if (!isWrite(route)) return;
  const key = idempotencyKey(request.headersDistinct['idempotency-key']);
  if (key === undefined) return;
  const { method, path, endpoint } = route;
  ctx.meta.idempotency = { key, method, path: API_BASE + resourcePath(path, call.path, endpoint.path) };
}

/**
 * Passes the `If-Match` on to the service, which compares it with the state of the resource.
 * @throws validation_failed for a malformed header
 */
function passIfMatch(route: Route, { headers }: Request, { meta }: GatewayContext): void {
  const if_match = takesIfMatch(route) ? ifMatch(headers['if-match']) : undefined;
  if (if_match !== undefined) meta.if_match = if_match;
}

/** Returns the header `Link: <…>; rel="next"` (RFC 8288) if the answer is a page of a list and is not the last one. */
function nextPage(request: Request, answer: unknown): Record<string, string> {
  const { next_cursor } = (answer ?? {}) as { next_cursor?: unknown };
  const path = pathOf(request);
  if (typeof next_cursor !== 'string' || !path.startsWith(API_BASE)) return {};
  const search = new URLSearchParams(request.originalUrl?.slice(path.length + 1));
  search.set('cursor', next_cursor);
  return { Link: `<${path}?${search.toString()}>; rel="next"` };
}
