import type { Socket } from 'node:net';
import ApiGateway from 'moleculer-web';
import type { CallMeta } from '../../../lib/actions/implement.ts';
import type { GatewayService } from './aliases.ts';
import type { Arrivals } from './arrivals.ts';
import type { Request, Response } from './exchange.ts';

/** moleculer-web's own way with a request: routing it. */
type HttpHandler = (this: GatewayService, request: Request, response: Response) => Promise<void>;
const { httpHandler } = ApiGateway.methods as unknown as { httpHandler: HttpHandler };

/** The answers being given, by their connections: several where a client does not wait for one before it asks again. */
const answering = new WeakMap<Socket, Set<Response>>();

/** Whether part of an answer is on its way over this connection. */
export function isAnswering(socket: Socket): boolean {
  return [...(answering.get(socket) ?? [])].some((response) => response.headersSent);
}

function noteAnswer({ socket }: Request, response: Response): void {
  const answers = answering.get(socket) ?? new Set();
  answering.set(socket, answers.add(response));
  response.once('close', () => answers.delete(response));
}

/** Takes every request in: measured, known by its ids, counted; then it is routed. */
export async function receive(
  service: GatewayService,
  arriving: Arrivals,
  request: Request,
  response: Response,
): Promise<void> {
  request.$service = service;
  service.metrics.follow(request, response);
  noteAnswer(request, response);
  try {
    await arriving.admit(request, response);
  } catch (error) {
    service.errorHandler(request, response, error);
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
