import { expect } from 'chai';
import { nanos } from 'nats';
import { STREAM } from '../../../lib/contracts/events.ts';
import { ensureStream, openBus, type StreamSettings } from '../../../lib/events/stream.ts';
import { startNats } from '../../harness/nats.ts';
import { startRefusalOf } from '../../harness/refusal.ts';
import { natsUrl } from '../../harness/servers.ts';
import { openTcpProxy } from '../../harness/tcp-proxy.ts';

/** Longer than a connection attempt waits. */
const FROZEN_MS = 4_000;

/** In about one of 15, the stream cannot be stored when it is made again. */
const DELETIONS = 150;

const MONTH_NS = nanos(30 * 24 * 60 * 60_000);

describe('the connection to JetStream', () => {
  it('closes even if NATS is unavailable', async () => {
    const way = await openTcpProxy(natsUrl());
    const bus = await openBus(way.url, 'bus-test');
    way.cut();
    await bus.close();
    expect(bus.connection.isClosed()).to.equal(true);
  });

  it('is opened by all services that start concurrently on a new server', async () => {
    const names = Array.from({ length: 16 }, (_, number) => `bus-test-${String(number)}`);
    for (let turn = 0; turn < 30; turn += 1) {
      const nats = await startNats('');
      const url = `nats://127.0.0.1:${String(nats.port)}`;
      const opened = await Promise.allSettled(names.map((name) => openBus(url, name)));
      for (const each of opened) if (each.status === 'fulfilled') await each.value.close();
      await nats.stop();
      expect(opened.filter(({ status }) => status === 'rejected')).to.deep.equal([]);
    }
  });

  it('is opened although the server answers later than a connection attempt waits', async () => {
    const nats = await startNats('');
    nats.freeze();
    const opening = openBus(`nats://127.0.0.1:${String(nats.port)}`, 'bus-test');
    setTimeout(nats.thaw, FROZEN_MS);
    await (await opening).close();
    await nats.stop();
  });

  it('is opened while an operator deletes the stream', async () => {
    const nats = await startNats('');
    const url = `nats://127.0.0.1:${String(nats.port)}`;
    const operator = await openBus(url, 'bus-test-operator');
    for (let turn = 0; turn < DELETIONS; turn += 1) {
      const [bus] = await Promise.all([openBus(url, 'bus-test'), operator.manager.streams.delete(STREAM)]);
      await ensureStream(operator);
      await bus.close();
    }
    await operator.close();
    await nats.stop();
  });

  it('keeps the stream settings of operators', async () => {
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

  it('applies the stream settings that are given, and keeps the others', async () => {
    const nats = await startNats('');
    const url = `nats://127.0.0.1:${String(nats.port)}`;
    const open = async (stream: StreamSettings) => {
      const bus = await openBus(url, 'bus-test', stream);
      const { config } = await bus.manager.streams.info(STREAM);
      await bus.close();
      return [config.num_replicas, config.max_age, config.max_bytes];
    };
    try {
      expect(await open({ maxAgeMs: 3_600_000 })).to.deep.equal([1, nanos(3_600_000), -1]);
      expect(await open({ maxBytes: 20_000_000 })).to.deep.equal([1, nanos(3_600_000), 20_000_000]);
      expect(await open({ maxAgeMs: 0, maxBytes: -1 })).to.deep.equal([1, 0, -1]);
      expect(await startRefusalOf(open({ replicas: 3 }))).to.match(/^NATS refuses EVENTS_REPLICAS/);
    } finally {
      await nats.stop();
    }
  });
});
