import { Agent, get } from 'node:http';
import { expect } from 'chai';
import { implement } from '../../../lib/service/implement.ts';
import { StartupError } from '../../../lib/config/startup-error.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import { TestGateway } from '../../harness/gateway.ts';

describe('gateway: start and stop', () => {
  function slowMembership(started: () => void, finish: Promise<void>) {
    return {
      name: 'membership',
      actions: {
        my_associations: implement(membership.myAssociations, async () => {
          started();
          await finish;
          return { data: [], next_cursor: null };
        }),
      },
    };
  }

  it('says in one line that the port is in use', async () => {
    const first = await new TestGateway({ services: [] }).start();
    const second = new TestGateway({ services: [], port: first.port });
    const error = await second.start().catch((reason: unknown) => reason);
    expect(error).to.be.an.instanceOf(StartupError);
    expect((error as Error).message).to.match(new RegExp(`^Port ${String(first.port)} .*in use[^\n]*$`));
    await second.stop();
    await first.stop();
  });

  it('finishes what is in flight, closes what is idle, and takes no more', async () => {
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    let begun = (): void => undefined;
    const started = new Promise<void>((resolve) => (begun = resolve));
    const gateway = await new TestGateway({ services: [slowMembership(begun, finished)] }).start();
    const agent = new Agent({ keepAlive: true });
    await new Promise((resolve) => {
      get({ host: '127.0.0.1', port: gateway.port, path: '/health/live', agent }, (incoming) => {
        incoming.resume().on('end', resolve);
      });
    });
    const inFlight = gateway.send('GET /associations/my');
    await started;
    const drained = gateway.service<{ drain: () => Promise<void> }>().drain();
    expect(await gateway.send('GET /associations/my').catch((error: unknown) => error)).to.be.an.instanceOf(Error);
    finish();
    const reply = await inFlight;
    expect(reply.status).to.equal(200);
    expect(reply.headers.connection).to.equal('close');
    await drained;
    agent.destroy();
    await gateway.stop();
  });
});
