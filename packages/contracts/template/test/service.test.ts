import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { exampleEvent } from '@association-service/contracts';
import { call } from '@association-service/contracts/moleculer';
import { readServiceSettings } from '@association-service/contracts/service';
import { startTestServers, untilHandled, type TestServers } from '@association-service/contracts/testing';
import { NAME, paidTotal } from '../src/contracts.ts';
import { onContributionPaid } from '../src/on-contribution-paid.ts';
import { startService, type RunningService } from '../src/service.ts';

describe(NAME, () => {
  let servers: TestServers;
  let service: RunningService;
  const stops: (() => Promise<void>)[] = [];

  before(async () => {
    servers = await startTestServers();
    stops.push(() => servers.stop());
    const DATABASE_URL = await servers.createDatabase();
    const env = { NATS_URL: servers.natsUrl, DATABASE_URL, METRICS_PORT: '0', LOG_LEVEL: 'warn' };
    service = await startService(readServiceSettings(NAME, env), (stop) => stops.push(stop));
  });
  after(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  const contribution = (subject: string, amount_minor: number) =>
    exampleEvent('contribution.paid', { id: randomUUID(), subject, data: { amount_minor } });
  const total = (association_id: string) => call(service.node.broker, paidTotal, { association_id });

  it('counts each contribution once, even if its event is delivered twice', async () => {
    const association_id = randomUUID();
    const first = contribution(association_id, 10_000);
    await servers.publish(first, contribution(association_id, 5_000), first);
    await untilHandled(service.subscriptions, onContributionPaid);
    assert.deepEqual(await total(association_id), { contributions: 2, amount_minor: 15_000, currency: 'XAF' });
  });

  it('has no total for an association without contributions', async () => {
    assert.deepEqual(await total(randomUUID()), { contributions: 0, amount_minor: 0, currency: null });
  });

  it('reports its health and its metrics', async () => {
    const health = await fetch(new URL('/health', service.metricsUrl));
    assert.deepEqual(await health.json(), { status: 'ready', services: { [NAME]: 'up' } });
    const metrics = await (await fetch(service.metricsUrl)).text();
    assert.match(metrics, /messaging_consumer_pending_messages\{messaging_consumer_group_name="newcomer-.*"\} 0/);
  });
});
