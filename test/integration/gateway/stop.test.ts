import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { useGateway } from '../../harness/gateway.ts';

describe('gateway: stop', () => {
  const gateway = useGateway();

  it('finishes requests in flight, closes idle connections and accepts no new connections', async () => {
    const started = Promise.withResolvers<void>();
    const finished = Promise.withResolvers<object>();
    gateway.answer = () => {
      started.resolve();
      return finished.promise;
    };
    const agent = new Agent({ keepAlive: true });
    const [idle] = (await once(get(`${gateway.origin}/health/live`, { agent }), 'response')) as [IncomingMessage];
    await once(idle.resume(), 'end');
    const inFlight = gateway.send('GET /associations/my');
    await started.promise;
    const drained = gateway.service<{ drain: () => Promise<void> }>().drain();
    expect(await gateway.send('GET /associations/my').catch((error: unknown) => error)).to.be.an.instanceOf(Error);
    finished.resolve({});
    const { status, headers } = await inFlight;
    expect([status, headers.connection]).to.deep.equal([200, 'close']);
    await drained;
    agent.destroy();
  });
});
