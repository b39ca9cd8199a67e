import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { request } from '@association-service/contracts/testing';
import { ofAssociation } from '../src/contracts.ts';
import { tellOwners } from '../src/notices/tell-owners.ts';
import { RETENTION_MS } from '../src/upkeep/purge.store.ts';
import { giveUpDisabled, purge } from '../src/upkeep/run-upkeep.ts';
import { answerWith, startReceiver, type Receiver } from './support/receiver.ts';
import { AWA, deliveriesOf, startWorld, until, type World } from './support/service.ts';

describe('upkeep', () => {
  let world: World;
  let receiver: Receiver;
  before(async () => {
    world = await startWorld();
    receiver = await startReceiver();
  });
  after(async () => {
    await receiver.stop();
    await world.stop();
  });

  const countOf = async (table: string, column: string, id: string) =>
    (await world.db.rows(`SELECT FROM ${table} WHERE ${column} = $1`, [id])).length;

  it('deletes deliveries that have ended, and their events, after 30 days', async () => {
    const association_id = world.found();
    const { body } = await world.create(association_id, receiver.url);
    const event = await world.publish(association_id);
    await until(async () => (await deliveriesOf(world, association_id, body.id))[0]?.status === 'delivered');
    await purge(world.db, new Date(Date.now() + RETENTION_MS - 60_000));
    assert.equal(await countOf('events', 'id', event.id), 1);
    await purge(world.db, new Date(Date.now() + RETENTION_MS + 60_000));
    assert.equal(await countOf('deliveries', 'event_id', event.id), 0);
    assert.equal(await countOf('events', 'id', event.id), 0);
    assert.equal(await countOf('webhooks', 'id', body.id), 1);
  });

  it('keeps an event while a delivery of it is pending', async () => {
    const association_id = world.found();
    await world.create(association_id, 'http://127.0.0.1:9/');
    const event = await world.publish(association_id);
    await until(async () => (await countOf('deliveries', 'event_id', event.id)) === 1);
    await purge(world.db, new Date(Date.now() + 2 * RETENTION_MS));
    assert.equal(await countOf('events', 'id', event.id), 1);
  });

  it('deletes all of a deleted endpoint at once', async () => {
    const association_id = world.found();
    const { body } = await world.create(association_id, 'http://127.0.0.1:9/');
    const path = { association_id, webhook_id: body.id };
    await world.publish(association_id);
    await until(async () => (await deliveriesOf(world, association_id, body.id)).length === 1);
    world.clock.advanced_ms += 1_000;
    await request(world.running, ofAssociation.replay, AWA, { path, body: { from: '2026-01-01T00:00:00Z' } });
    await until(async () => (await deliveriesOf(world, association_id, body.id)).length === 2);
    await request(world.running, ofAssociation.remove, AWA, { path });
    await until(async () => {
      await purge(world.db, new Date());
      return (await countOf('webhooks', 'id', body.id)) === 0;
    });
    for (const table of ['deliveries', 'replays']) assert.equal(await countOf(table, 'webhook_id', body.id), 0);
  });

  it('gives up what waits for disabled endpoints, however much that is', async () => {
    const association_id = world.found();
    const { body } = await world.create(association_id, 'http://127.0.0.1:9/');
    await world.db.run(
      `UPDATE webhooks SET status = 'disabled', disabled_reason = 'request', disabled_at = now() WHERE id = $1`,
      [body.id],
    );
    await world.db.run(
      `WITH added AS (
         INSERT INTO events SELECT gen_random_uuid(), $2, 'member.left', now(), now(), '{}' FROM generate_series(1, 2500) RETURNING id
       )
       INSERT INTO deliveries (id, webhook_id, event_id, status, next_attempt_at, created_at)
       SELECT gen_random_uuid(), $1, id, 'pending', now() + interval '1 day', now() FROM added`,
      [body.id, association_id],
    );
    await giveUpDisabled(world.db, new Date());
    assert.equal((await deliveriesOf(world, association_id, body.id, { status: 'pending' })).length, 0);
    const [given_up] = await deliveriesOf(world, association_id, body.id);
    assert.deepEqual(
      given_up?.attempts.map(({ error }) => error),
      ['endpoint_disabled'],
    );
  });

  it('tells the owner of a disabled endpoint once there is someone who can', async () => {
    const association_id = world.found();
    receiver.answer = answerWith(410);
    const { body } = await world.create(association_id, receiver.url);
    await world.publish(association_id);
    await until(async () => (await countOf('owner_notices', 'webhook_id', body.id)) === 1);
    const told: object[] = [];
    const deps = (answer: () => Promise<object>) => ({
      db: world.db,
      clock: () => new Date(),
      reached: () => Promise.resolve(),
      broker: {
        call: (action: string, input: unknown) => {
          told.push({ action, ...(input as object) });
          return answer();
        },
      },
    });
    await assert.rejects(tellOwners(deps(() => Promise.reject(new Error('there is no such service')))));
    await tellOwners(deps(() => Promise.resolve({})));
    await tellOwners(deps(() => Promise.resolve({})));
    const [{ id }] = (await world.db.rows('SELECT id FROM owner_notices WHERE webhook_id = $1', [body.id])) as [
      { id: string },
    ];
    const notice = {
      action: 'reminders.tell',
      notice_id: id,
      user_id: 'awa',
      association_id,
      kind: 'webhook_disabled',
      url_host: '127.0.0.1',
    };
    assert.deepEqual(told, [notice, notice]);
  });

  it('shows metrics', async () => {
    const metrics = await (await fetch(world.running.metricsUrl)).text();
    assert.match(metrics, /webhook_attempts_total\{outcome="delivered"\} [1-9]/);
    assert.match(metrics, /webhook_delivery_delay_seconds_count [1-9]/);
    assert.match(metrics, /webhook_pending_deliveries [1-9]/);
    assert.match(metrics, /webhook_endpoints\{status="disabled"\} [1-9]/);
  });
});
