import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { exampleEvent, problemCode } from '@association-service/contracts';
import { readServiceSettings, startService, type RunningService } from '@association-service/contracts/service';
import { request, startTestMembership, startTestServers, untilHandled } from '@association-service/contracts/testing';
import { TEST_CALLER_KEY, type TestAssociations, type TestServers } from '@association-service/contracts/testing';
import { getPaidTotal, NAME } from '../src/contracts.ts';
import { onContributionPaid } from '../src/on-contribution-paid.ts';
import { service } from '../src/service.ts';

describe(NAME, () => {
  let servers: TestServers;
  let running: RunningService;
  const associations: TestAssociations = new Map();
  const stops: (() => Promise<void>)[] = [];

  before(async () => {
    servers = await startTestServers();
    stops.push(() => servers.stop());
    const membership = await startTestMembership(servers.natsUrl, associations);
    stops.push(() => membership.stop());
    const DATABASE_URL = await servers.createDatabase();
    const env = {
      NATS_URL: servers.natsUrl,
      DATABASE_URL,
      CALLER_KEY: TEST_CALLER_KEY,
      METRICS_PORT: '0',
      LOG_LEVEL: 'warn',
    };
    running = await startService(service, readServiceSettings(NAME, env), (stop) => stops.push(stop));
    await running.node.broker.waitForServices('membership');
  });
  after(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  /** Founds an association with one member, Awa. */
  function found(): string {
    const association_id = randomUUID();
    associations.set(association_id, { members: [{ user_id: 'awa' }] });
    return association_id;
  }
  const contribution = (subject: string, amount_minor: number) =>
    exampleEvent('contribution.paid', { id: randomUUID(), subject, data: { amount_minor } });
  const total = (association_id: string, user_id = 'awa') =>
    request(running, getPaidTotal, { user_id }, { path: { association_id } });

  it('counts each contribution once, even if its event is delivered twice', async () => {
    const association_id = found();
    const first = contribution(association_id, 10_000);
    await servers.publish(first, contribution(association_id, 5_000), first);
    await untilHandled(running.subscriptions, onContributionPaid);
    const { status, body } = await total(association_id);
    assert.equal(status, 200);
    assert.deepEqual(body, { contributions: 2, amount: 15_000, currency: 'XAF' });
  });

  it('has no total for an association without contributions', async () => {
    assert.deepEqual((await total(found())).body, { contributions: 0, amount: 0, currency: null });
  });

  it('shows the total to members only', async () => {
    const association_id = found();
    await assert.rejects(total(association_id, 'binta'), (error) => problemCode(error) === 'not_found');
  });

  it('reports its health and its metrics', async () => {
    const health = await fetch(new URL('/health', running.metricsUrl));
    assert.deepEqual(await health.json(), { status: 'ready', services: { [NAME]: 'up' } });
    const metrics = await (await fetch(running.metricsUrl)).text();
    assert.match(metrics, /messaging_consumer_pending_messages\{messaging_consumer_group_name="newcomer-.*"\} 0/);
    assert.match(metrics, /newcomer_contributions_counted_total 2/);
  });
});
