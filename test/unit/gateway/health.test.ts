import { expect } from 'chai';
import type { ServiceBroker } from 'moleculer';
import { problemCode, problemExtras } from '../../../lib/errors/problem.ts';
import { readinessCheck } from '../../../services/gateway/http/health.ts';
import type { KeySetState } from '../../../services/gateway/tokens/key-set.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const fine = () => Promise.resolve({ ok: true });

/** Creates a broker that has only what the check uses. */
function brokerThat(call: (action: string) => Promise<unknown>, connected = true): ServiceBroker {
  const registry = { getActionEndpoints: () => ({ endpoints: [{ id: 'node', isAvailable: true }] }) };
  return { call, registry, transit: { connected } } as unknown as ServiceBroker;
}

/** Returns the status, or the code of the refusal, and the parts that are not up. */
async function answerOf(broker: ServiceBroker, token_keys?: KeySetState): Promise<unknown> {
  const keySet = token_keys === undefined ? undefined : { state: () => token_keys };
  const { status, services } = await readinessCheck(broker, () => NOW, keySet)().catch((error: unknown) => ({
    status: problemCode(error),
    services: problemExtras(error).services as object,
  }));
  return [status, Object.fromEntries(Object.entries(services).filter(([, state]) => state !== 'up'))];
}

describe('readiness', () => {
  const treasuryAway = (action: string) =>
    action === 'treasury.health' ? Promise.reject(new Error('unavailable')) : Promise.resolve({ ok: true });
  const treasuryDelayed = (action: string) =>
    Promise.resolve({ ok: true, delayed_events: action === 'treasury.health' });
  for (const [what, broker, token_keys, answer] of [
    ['while every service answers and NATS is connected', brokerThat(fine), undefined, ['ready', {}]],
    [
      'while a service is unavailable',
      brokerThat(treasuryAway),
      undefined,
      ['service_unavailable', { treasury: 'down' }],
    ],
    [
      'while the events of a service are not published',
      brokerThat(treasuryDelayed),
      undefined,
      ['degraded', { treasury: 'degraded' }],
    ],
    [
      'while NATS is disconnected, even if the services of this process answer',
      brokerThat(fine, false),
      undefined,
      ['service_unavailable', { nats: 'down' }],
    ],
    ['while the token key set is up', brokerThat(fine), 'up', ['ready', {}]],
    [
      'while the token key set cannot be refreshed',
      brokerThat(fine),
      'degraded',
      ['degraded', { token_keys: 'degraded' }],
    ],
    ['while there is no token key set', brokerThat(fine), 'down', ['service_unavailable', { token_keys: 'down' }]],
  ] as const) {
    it(`is ${answer[0]} ${what}`, async () => {
      expect(await answerOf(broker, token_keys)).to.deep.equal(answer);
    });
  }

  it('calls the services at most once in half a second, regardless of the number of checks', async () => {
    let asked = 0;
    let later_ms = 0;
    const check = readinessCheck(
      brokerThat(() => {
        asked += 1;
        return fine();
      }),
      () => new Date(NOW.getTime() + later_ms),
    );
    await Promise.all([check(), check(), check()]);
    later_ms = 499;
    await check();
    expect(asked).to.equal(4);
    later_ms = 500;
    await check();
    expect(asked).to.equal(8);
  });
});
