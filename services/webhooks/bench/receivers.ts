/**
 * Receivers of the load run, in a process of their own: `/ok/<n>` answers 204, `/error/<n>` 500, and `/hang/<n>` never. It prints its
 * port, and at its end, when it is told `stop`, the delays from event to arrival at `/ok`.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';

const delays_ms: number[] = [];
const counts: Record<string, number> = {};

const server = http.createServer({ keepAliveTimeout: 5_000 }, (request, response) => {
  const kind = (request.url ?? '').split('/')[1] ?? '';
  counts[kind] = (counts[kind] ?? 0) + 1;
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (kind === 'hang') return;
    if (kind === 'ok') {
      const { time } = JSON.parse(Buffer.concat(chunks).toString()) as { time: string };
      delays_ms.push(Date.now() - Date.parse(time));
    }
    response.writeHead(kind === 'ok' ? 204 : 500).end();
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('message', () => {
  process.send?.({ delays_ms, counts }, () => process.exit());
});
