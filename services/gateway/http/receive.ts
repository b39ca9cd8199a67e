import type { Socket } from 'node:net';
import ApiGateway from 'moleculer-web';
import type { CallMeta } from '../../../lib/service/implement.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { allowedMethods } from './aliases.ts';
import type { GatewayService } from './aliases.ts';
import { answerJson } from './answers.ts';
import type { Arrivals } from './arrivals.ts';
import { preflightHeaders } from './cors.ts';
import type { Cors } from './cors.ts';
import { pathOf } from './exchange.ts';
import type { Request, Response } from './exchange.ts';

/** moleculer-web's own way with a request: routing it. Its types do not tell of its methods. */
type HttpHandler = (this: GatewayService, request: Request, response: Response) => Promise<void>;
const { httpHandler } = ApiGateway.methods as unknown as { httpHandler: HttpHandler };

/** The answers being given, by their connections: several where a client does not wait for one before it asks again. */
const answering = new WeakMap<Socket, Set<Response>>();

/** Whether part of an answer is on its way over this connection. */
export function isAnswering(socket: Socket): boolean {
  return [...(answering.get(socket) ?? [])].some((response) => response.headersSent);
}

/** The access log, the metrics, this file and a streamed body all follow an answer to its end; Node warns beyond 10. */
const FOLLOWERS_MAX = 20;

function noteAnswer({ socket }: Request, response: Response): void {
  response.setMaxListeners(FOLLOWERS_MAX);
  const answers = answering.get(socket) ?? new Set();
  answering.set(socket, answers.add(response));
  response.once('close', () => answers.delete(response));
}

/** Scheme and authority of a request target in absolute form (RFC 9112, section 3.2.2). */
const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;

/** The target in origin form: each server must take both, and there is one host here. */
function originForm(target = '/'): string {
  if (!ABSOLUTE_FORM.test(target)) return target;
  const rest = target.replace(ABSOLUTE_FORM, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * What Node's server would refuse itself (RFC 9112, section 3.2; RFC 9110, section 10.1.1). The connection ends, as a
 * body may follow.
 * @throws malformed_request, expectation_failed
 */
function checkHead({ httpVersion, headersDistinct, $expectsMore = false }: Request, response: Response): void {
  const hosts = headersDistinct.host?.length ?? 0;
  const isMalformed = httpVersion === '1.1' ? hosts !== 1 : hosts > 1;
  if (!isMalformed && !$expectsMore) return;
  response.setHeader('Connection', 'close');
  throw problem(isMalformed ? 'malformed_request' : 'expectation_failed');
}

/** Takes every request in: measured, known by its ids, counted; then it is routed. Preflights are answered here. */
export async function receive(
  service: GatewayService,
  { arriving, crossing }: { arriving: Arrivals; crossing: Cors },
  request: Request,
  response: Response,
): Promise<void> {
  request.$service = service;
  service.metrics.follow(request, response);
  service.accessLog.follow(request, response);
  noteAnswer(request, response);
  request.url = originForm(request.url);
  crossing.allow(request, response);
  const isPreflight = crossing.isPreflight(request);
  try {
    // The browser asks, not the user, and has no token yet: what follows is counted.
    await arriving.admit(request, response, !isPreflight);
    checkHead(request, response);
  } catch (error) {
    service.errorHandler(request, response, error);
    return;
  }
  if (isPreflight) {
    answerJson(request, response, 204, undefined, preflightHeaders(allowedMethods(service, pathOf(request))));
    return;
  }
  await httpHandler.call(service, request, response);
}

/** What moleculer-web begins a request's calls with. */
export function callOptions(options: { requestID?: string; meta?: CallMeta }, { $arrival }: Request): void {
  if ($arrival === undefined) return;
  options.requestID = $arrival.request_id;
  options.meta = { ...$arrival.trace };
}
