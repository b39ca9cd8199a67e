import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { nanos } from 'nats';
import { STREAM } from '../../../lib/contracts/events.ts';
import { openBus } from '../../../lib/events/bus.ts';
import { natsUrl } from '../../support/servers.ts';

const MONTH_NS = nanos(30 * 24 * 60 * 60_000);

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

  it('leaves the stream as operators have set it', async () => {
    const operators = await openBus(natsUrl(), 'bus-test-operators');
    const { streams } = operators.manager;
    const { max_age } = (await streams.info(STREAM)).config;
    try {
      await streams.update(STREAM, { max_age: MONTH_NS });
      await (await openBus(natsUrl(), 'bus-test')).close();
      expect((await streams.info(STREAM)).config.max_age).to.equal(MONTH_NS);
    } finally {
      await streams.update(STREAM, { max_age });
      await operators.close();
    }
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
