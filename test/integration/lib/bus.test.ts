import { expect } from 'chai';
import { nanos } from 'nats';
import { STREAM } from '../../../lib/contracts/events.ts';
import { openBus } from '../../../lib/events/bus.ts';
import { eventually } from '../../support/eventually.ts';
import { natsUrl } from '../../support/servers.ts';
import { openTcpProxy } from '../../support/tcp-proxy.ts';

const MONTH_NS = nanos(30 * 24 * 60 * 60_000);

describe('the connection to JetStream', () => {
  it('closes within moments though NATS has gone', async () => {
    const way = await openTcpProxy(natsUrl());
    const bus = await openBus(way.url, 'bus-test');
    way.cut();
    const began = performance.now();
    await bus.close();
    expect(performance.now() - began).to.be.lessThan(2_000);
    expect(bus.connection.isClosed()).to.equal(true);
  });

  it('is back within 10 s on another server when the one that it is on hangs', async () => {
    const ways = [await openTcpProxy(natsUrl()), await openTcpProxy(natsUrl())];
    const bus = await openBus(ways.map(({ url }) => url).join(','), 'bus-test');
    try {
      const began = performance.now();
      const used = ways.find(({ url }) => url.endsWith(bus.connection.getServer()));
      used?.freeze();
      await eventually(() => expect(bus.connection.getServer()).to.not.equal(new URL(used!.url).host));
      await eventually(async () => expect((await bus.manager.streams.info(STREAM)).config.name).to.equal(STREAM));
      // 7 s if the first of the others is found at once.
      expect(performance.now() - began).to.be.lessThan(10_000);
    } finally {
      await bus.close();
      for (const way of ways) way.cut();
    }
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
