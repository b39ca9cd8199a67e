/** Servers that receive webhooks. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** What a receiver got. */
export interface Received {
  url: string;
  headers: http.IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** How many requests are being answered, and how many were at most. */
  running: { now: number; most: number };
  /** Replaces the answer of the requests that follow. */
  answer: (request: Received, response: http.ServerResponse) => void | Promise<void>;
  stop(): Promise<void>;
}

export const answerWith =
  (status: number, headers: http.OutgoingHttpHeaders = {}): Receiver['answer'] =>
  (_request, response) =>
    void response.writeHead(status, headers).end();

/** Starts a receiver that answers 204. */
export async function startReceiver(answer: Receiver['answer'] = answerWith(204)): Promise<Receiver> {
  const server = http.createServer((request, response) => void receive(request, response));
  async function receive(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { running } = receiver;
    running.now += 1;
    running.most = Math.max(running.most, running.now);
    response.on('close', () => (running.now -= 1));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const got = { url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
    receiver.received.push(got);
    await receiver.answer(got, response);
  }
  const port = await listen(server);
  const receiver: Receiver = {
    url: `http://127.0.0.1:${String(port)}/hook`,
    received: [],
    running: { now: 0, most: 0 },
    answer,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

/** Starts a server on a free port. @returns the port */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
