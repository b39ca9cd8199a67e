import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { openBus } from '../../../lib/events/bus.ts';
import { natsUrl } from '../../support/servers.ts';

describe('the connection to JetStream', () => {
  it('closes within moments though NATS has gone', async () => {
    const { url, cut } = await wayTo(natsUrl());
    const bus = await openBus(url, 'bus-test');
    cut();
    const began = performance.now();
    await bus.close();
    expect(performance.now() - began).to.be.lessThan(2_000);
    expect(bus.connection.isClosed()).to.equal(true);
  });
});

/** A way to a server that can be cut: from then on it is away. */
async function wayTo(server_url: string): Promise<{ url: string; cut: () => void }> {
  const target = new URL(server_url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined).pipe(to);
      from.on('close', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const way = new URL(server_url);
  [way.hostname, way.port] = ['127.0.0.1', String((server.address() as AddressInfo).port)];
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: way.href, cut };
}
