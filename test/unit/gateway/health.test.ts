import { expect } from 'chai';
import type { ServiceBroker } from 'moleculer';
import { problemCode } from '../../../lib/errors/problem.ts';
import { readinessCheck, readyAnswer } from '../../../services/gateway/http/health.ts';
import type { KeySetState } from '../../../services/gateway/tokens/key-set.ts';

/** A broker of which only what the check uses is there. */
function brokerThat(call: (action: string) => Promise<unknown>, connected = true): ServiceBroker {
  const registry = { getActionEndpoints: () => ({ endpoints: [{ id: 'node', isAvailable: true }] }) };
  return { call, registry, transit: { connected } } as unknown as ServiceBroker;
}

describe('readiness', () => {
  const fine = () => Promise.resolve({ ok: true });
  const now = new Date('2026-01-01T00:00:00Z');

  it('is up while every service answers and NATS is connected', async () => {
    const readiness = await readinessCheck(brokerThat(fine), () => now)();
    expect(Object.values(readiness)).to.deep.equal(['up', 'up', 'up', 'up', 'up']);
  });

  it('tells which service is down', async () => {
    const call = (action: string) => (action === 'treasury.health' ? Promise.reject(new Error('away')) : fine());
    expect(await readinessCheck(brokerThat(call), () => now)()).to.include({ treasury: 'down', membership: 'up' });
  });

  it('is degraded, and ready, while the events of a service are not published', async () => {
    const call = (action: string) => Promise.resolve({ ok: true, delayed_events: action === 'treasury.health' });
    const answer = await readyAnswer(readinessCheck(brokerThat(call), () => now));
    expect(answer.status).to.equal('degraded');
    expect(answer.services).to.include({ treasury: 'degraded', membership: 'up' });
  });

  it('is down while NATS is away, though the services of this process answer', async () => {
    expect(await readinessCheck(brokerThat(fine, false), () => now)()).to.include({ nats: 'down' });
  });

  it('is degraded while the key set of the tokens cannot be fetched, and down without one', async () => {
    const withKeys = (token_keys: KeySetState) =>
      readinessCheck(brokerThat(fine), () => now, { state: () => token_keys });
    expect(await readyAnswer(withKeys('up'))).to.include({ status: 'ready' });
    const degraded = await readyAnswer(withKeys('degraded'));
    expect([degraded.status, degraded.services.token_keys]).to.deep.equal(['degraded', 'degraded']);
    const refusal = await readyAnswer(withKeys('down')).catch(problemCode);
    expect(refusal).to.equal('service_unavailable');
  });

  it('asks the services at most once in half a second, however often it is asked', async () => {
    let asked = 0;
    let clock = now;
    const check = readinessCheck(
      brokerThat(() => {
        asked += 1;
        return fine();
      }),
      () => clock,
    );
    await Promise.all([check(), check(), check()]);
    expect(asked).to.equal(4);
    clock = new Date(now.getTime() + 499);
    await check();
    expect(asked).to.equal(4);
    clock = new Date(now.getTime() + 500);
    await check();
    expect(asked).to.equal(8);
  });
});
