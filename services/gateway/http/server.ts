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

/**
 * Longer than most load balancers keep an idle connection (60 s), so that the load balancer closes it, not the server.
 */
const KEEP_ALIVE_MS = 65_000;

/** A request of 64 KiB arrives within this time even over a slow connection. */
const REQUEST_MAX_MS = 30_000;

/**
 * A connection on which neither side sends anything for this long is closed, so that clients which do not read their answers
 * cannot fill the memory with them. Longer than any answer takes (12 s).
 */
const SILENCE_MAX_MS = 30_000;

/**
 * A node's stop waits for requests in flight as long as this. Only a client that does not read its answer takes longer.
 */
const DRAIN_MAX_MS = 7_000;

/** Time for requests that were on their way when the server stopped listening. Then idle connections are closed. */
const IDLE_CHECK_MS = 100;

/**
 * Creates and starts the server. moleculer-web would not report a start that fails in one line.
 * @throws StartupError, in one line, if the port is in use
 */
export async function startServer(
  service: GatewayService,
  { settings, newId }: Pick<Runtime, 'settings' | 'newId'>,
  receiver: Receiver,
): Promise<void> {
  const receive = (request: Request, response: Response) => void receiver.receive(service, request, response);
  // By default Node refuses requests without `Host`, and with an unknown `Expect`, without a problem document.
  const options = { requireHostHeader: false, keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_MAX_MS };
  const server = createServer(options, receive).on('checkExpectation', (request: Request, response: Response) => {
    request.$expectsMore = true;
    receive(request, response);
  });
  server.timeout = SILENCE_MAX_MS;
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
 * Stops the server without losing requests. The gateway first reports that it is not ready and keeps answering for
 * `drainDelayS` seconds while load balancers remove it; each answer closes its connection (see answer.ts). Then it
 * accepts no more connections. Resolves when the answers in flight have been sent, or after DRAIN_MAX_MS.
 */
export async function drain(service: GatewayService, drainDelayS: number): Promise<void> {
  const { server } = service;
  // There is no listening server if the start failed.
  if (server?.listening !== true) return;
  service.isStopping = true;
  service.readiness = () => Promise.reject(problem('service_unavailable', { services: { gateway: 'down' } }));
  if (drainDelayS > 0) await delay(drainDelayS * 1_000);
  // The close() of an HTTP server also closes idle connections, which may have a request on its way. They are closed
  // later.
  const closed = new Promise<void>((resolve) => TcpServer.prototype.close.call(server, () => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  await Promise.race([closed, delay(DRAIN_MAX_MS, undefined, { ref: false })]);
  clearInterval(idle);
  // The socket is already closed. This call ends the timer with which the HTTP server looks for slow requests.
  server.close();
  server.closeAllConnections();
}
