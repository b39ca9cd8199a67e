import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { request } from '@association-service/contracts/testing';
import { ofAssociation } from '../src/contracts.ts';
import { REPLAYS_COUNT_FOR_MS, RETENTION_MS } from '../src/limits.rules.ts';
import { FAIL_MAX_ROWS } from '../src/sending/attempt.store.ts';
import { giveUpDisabled, purge } from '../src/upkeep/run-upkeep.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { AWA, deliveriesOf, startWorld, until, type World } from './support/service.ts';

describe('upkeep', () => {
  let world: World;
  let receiver: Receiver;
  /** The service does not stop. */
  const stopping = new AbortController().signal;
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
    await purge(world.db, new Date(Date.now() + RETENTION_MS - 60_000), stopping);
    assert.equal(await countOf('events', 'id', event.id), 1);
    await purge(world.db, new Date(Date.now() + RETENTION_MS + 60_000), stopping);
    assert.equal(await countOf('deliveries', 'event_id', event.id), 0);
    assert.equal(await countOf('events', 'id', event.id), 0);
    assert.equal(await countOf('webhooks', 'id', body.id), 1);
  });

  it('keeps an event while a delivery of it is pending', async () => {
    const association_id = world.found();
    await world.create(association_id, 'http://127.0.0.1:9/');
    const event = await world.publish(association_id);
    await until(async () => (await countOf('deliveries', 'event_id', event.id)) === 1);
    await purge(world.db, new Date(Date.now() + 2 * RETENTION_MS), stopping);
    assert.equal(await countOf('events', 'id', event.id), 1);
  });

  it('deletes all of a deleted endpoint at once, but its replays after a day, as they count until then', async () => {
    const association_id = world.found();
    const { body } = await world.create(association_id, 'http://127.0.0.1:9/');
    const path = { association_id, webhook_id: body.id };
    await world.publish(association_id);
    await until(async () => (await deliveriesOf(world, association_id, body.id)).length === 1);
    world.clock.advanced_ms += 1_000;
    await request(world.running, ofAssociation.replay, AWA, { path, body: { from: '2026-01-01T00:00:00Z' } });
    await until(async () => (await deliveriesOf(world, association_id, body.id)).length === 2);
    await request(world.running, ofAssociation.remove, AWA, { path });
    const kept = await world.db.first('SELECT url, sealed_secret FROM webhooks WHERE id = $1', [body.id]);
    assert.deepEqual(kept, { url: '', sealed_secret: '' });
    const left = () => Promise.all(['deliveries', 'replays'].map((table) => countOf(table, 'webhook_id', body.id)));
    await until(async () => {
      await purge(world.db, new Date(), stopping);
      return (await left())[0] === 0;
    });
    await purge(world.db, new Date(Date.now() + REPLAYS_COUNT_FOR_MS - 60_000), stopping);
    assert.deepEqual(await left(), [0, 1]);
    await purge(world.db, new Date(Date.now() + REPLAYS_COUNT_FOR_MS + 60_000), stopping);
    assert.deepEqual(await left(), [0, 0]);
    assert.equal(await countOf('webhooks', 'id', body.id), 0);
  });

  /** Adds a disabled endpoint for which much waits. @returns its association and id */
  async function addDisabled(count: number): Promise<{ association_id: string; webhook_id: string }> {
    const association_id = world.found();
    const { body } = await world.create(association_id, 'http://127.0.0.1:9/');
    await world.db.run(
      `UPDATE webhooks SET status = 'disabled', disabled_reason = 'request', disabled_at = now() WHERE id = $1`,
      [body.id],
    );
    await world.db.run(
      `WITH added AS (
         INSERT INTO events SELECT gen_random_uuid(), $2, 'member.left', now(), now(), '{}' FROM generate_series(1, $3) RETURNING id
       )
       INSERT INTO deliveries (id, webhook_id, event_id, status, next_attempt_at, created_at)
       SELECT gen_random_uuid(), $1, id, 'pending', now() + interval '1 day', now() FROM added`,
      [body.id, association_id, count],
    );
    return { association_id, webhook_id: body.id };
  }

  it('gives up what waits for disabled endpoints, however much that is', async () => {
    const { association_id, webhook_id } = await addDisabled(2_500);
    await giveUpDisabled(world.db, new Date(), stopping);
    assert.equal((await deliveriesOf(world, association_id, webhook_id, { status: 'pending' })).length, 0);
    const [given_up] = await deliveriesOf(world, association_id, webhook_id);
    assert.deepEqual(
      given_up?.attempts.map(({ error }) => error),
      ['endpoint_disabled'],
    );
  });

  it('ends after a batch when the service stops', async () => {
    const stop = new AbortController();
    let batches = 0;
    /** Each statement changes as many rows as a batch may have, and the service is told to stop. */
    const db = {
      run: () => {
        batches += 1;
        if (batches === 2) stop.abort();
        return Promise.resolve(batches < 10 ? FAIL_MAX_ROWS : 0);
      },
    };
    await giveUpDisabled(db, new Date(), stop.signal);
    assert.equal(batches, 2);
    await purge(db, new Date(), stop.signal);
    assert.equal(batches, 2);
  });

  it('shows metrics', async () => {
    const metrics = await (await fetch(world.running.metricsUrl)).text();
    assert.match(metrics, /webhook_attempts_total\{outcome="delivered"\} [1-9]/);
    assert.match(metrics, /webhook_delivery_delay_seconds_count [1-9]/);
    assert.match(metrics, /webhook_pending_deliveries [1-9]/);
    assert.match(metrics, /webhook_endpoints\{status="disabled"\} [1-9]/);
  });
});
