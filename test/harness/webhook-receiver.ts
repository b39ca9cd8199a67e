/** A server that receives webhooks in the process of the test. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { onFileEnd } from './file-end.ts';
import { keepSecrets } from './written-output.ts';

/** What the receiver got. */
export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  body: string;
}

export interface WebhookReceiver {
  /** Its path is secret, as those of many receivers are. */
  url: string;
  received: ReceivedWebhook[];
  /** Replaces the answer of the requests that follow; 204 at first. */
  answer: (response: ServerResponse) => void;
  stop(): Promise<void>;
}

export const answerWith =
  (status: number, headers: Record<string, string> = {}): WebhookReceiver['answer'] =>
  (response) =>
    void response.writeHead(status, headers).end();

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const path = `/hook/${randomUUID()}`;
  keepSecrets(path);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      receiver.received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      if (request.method === 'POST' && request.url === path) receiver.answer(response);
      else response.writeHead(404).end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}${path}`,
    received: [],
    answer: answerWith(204),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

let accepting: Promise<WebhookReceiver> | undefined;

/** Returns a receiver that accepts everything until the test file ends. */
export function acceptingReceiver(): Promise<WebhookReceiver> {
  return (accepting ??= startWebhookReceiver());
}

onFileEnd(async () => {
  await (await accepting)?.stop();
  accepting = undefined;
});
