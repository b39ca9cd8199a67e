import { createServer, type Server } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { portError } from '../../../lib/node/ports.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import { answerClientErrors } from './client-errors.ts';
import type { Receiver } from './receive.ts';
import type { Request, Response } from './request.ts';
import type { GatewayService } from './router.ts';

/** Longer than load balancers keep an idle connection (60 s at most of them), so that they are the ones to close it. */
const KEEP_ALIVE_MS = 65_000;

/** No honest request of 64 KiB takes longer to arrive. */
const REQUEST_MAX_MS = 30_000;

/** As long as a node's stop waits for what is in flight; only a client that does not read its answer takes longer. */
const DRAIN_MAX_MS = 7_000;

/** Time for a request that is on its way when the server stops listening; then its idle connections are closed. */
const IDLE_CHECK_MS = 100;

/**
 * Makes and starts the server, in place of moleculer-web: a start that fails has to say so in one line.
 * @throws StartupError in one line when the port cannot be had
 */
export async function startServer(
  service: GatewayService,
  { settings, newId }: Pick<Runtime, 'settings' | 'newId'>,
  receiver: Receiver,
): Promise<void> {
  const receive = (request: Request, response: Response) => void receiver.receive(service, request, response);
  // Node would refuse requests without `Host`, and with an `Expect` that it does not know, without a body.
  const options = { requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_MAX_MS };
  const server = createServer(options, receive).on('checkExpectation', (request: Request, response: Response) => {
    request.$expectsMore = true;
    receive(request, response);
  });
  service.server = server;
  answerClientErrors(server, receiver, newId, service);
  await listen(server, settings.port, settings.host);
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: unknown) => {
      reject(portError(error, host, port) ?? (error as Error));
    };
    server.once('error', refuse).listen({ port, host, exclusive: true }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

/**
 * Stops in the order that loses no request. It says at once that it is not ready, and answers for another `drainDelayS` while
 * load balancers take it out; each answer ends its connection (see answer.ts). Then it accepts no more connections, and
 * resolves when the answers in flight have been sent, or when that takes too long.
 */
export async function drain(service: GatewayService, drainDelayS: number): Promise<void> {
  const { server } = service;
  // A start that failed has none.
  if (server?.listening !== true) return;
  service.isStopping = true;
  service.readiness = () => Promise.reject(problem('service_unavailable', { services: { gateway: 'down' } }));
  if (drainDelayS > 0) await delay(drainDelayS * 1_000);
  // The close() of an HTTP server also closes idle connections, which may have a request on its way: they come later.
  const closed = new Promise<void>((resolve) => TcpServer.prototype.close.call(server, () => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  await Promise.race([closed, delay(DRAIN_MAX_MS, undefined, { ref: false })]);
  clearInterval(idle);
  // The socket is closed: this ends the HTTP server's own timer, which looks for slow requests.
  server.close();
  server.closeAllConnections();
}
