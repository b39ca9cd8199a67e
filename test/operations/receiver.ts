/** A server for webhooks. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Receiver {
  /** It accepts what is sent to `/`, and says that `/gone` has gone. */
  origin: string;
  received: { headers: IncomingHttpHeaders; body: string }[];
  stop: () => Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Receiver['received'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(request.url === '/gone' ? 410 : 204).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    received,
    async stop() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
