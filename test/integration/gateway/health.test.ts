import { expect } from 'chai';
import { implementCommand } from '../../../lib/service/implement.ts';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import type { GatewayBench } from '../../harness/gateway.ts';
import { StubbedGateway } from '../../harness/stubbed-gateway.ts';

describe('gateway: health', () => {
  let gateway: StubbedGateway;
  let bench: GatewayBench;

  before(async () => {
    gateway = await StubbedGateway.start();
    ({ bench } = gateway);
  });
  after(() => bench.stop());
  afterEach(() => {
    gateway.reset();
  });

  it('is live by itself', async () => {
    const reply = await bench.send('GET //health/live', { token: false });
    expect([reply.status, reply.body]).to.deep.equal([200, { status: 'live' }]);
  });

  it('is ready once every service is', async () => {
    const away = await bench.send('GET //health/ready', { token: false });
    expect([away.status, away.body.code]).to.deep.equal([503, 'service_unavailable']);
    expect(away.body.services).to.deep.equal({
      membership: 'up',
      treasury: 'up',
      contribution: 'down',
      governance: 'down',
      nats: 'up',
    });
    for (const [name, contract] of Object.entries({ contribution, governance })) {
      const health = implementCommand(contract.health, () => Promise.resolve({ ok: true }));
      bench.broker.createService({ name, actions: { health } });
    }
    await bench.broker.waitForServices(['contribution', 'governance']);
    await new Promise((resolve) => setTimeout(resolve, 600));
    const reply = await bench.send('GET //health/ready', { token: false });
    expect([reply.status, reply.body.status]).to.deep.equal([200, 'ready']);
  });
});
