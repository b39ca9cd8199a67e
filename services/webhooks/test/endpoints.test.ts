import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { problemExtras } from '@association-service/contracts';
import { readServiceSettings, startService } from '@association-service/contracts/service';
import { request } from '@association-service/contracts/testing';
import { Webhook } from 'standardwebhooks';
import { NAME, ofAll, ofAssociation } from '../src/contracts.ts';
import { webhooks } from '../src/service.ts';
import type { Receiver } from './support/receiver.ts';
import { AWA, deliveriesOf, givenToEach, MANAGER, refusalOf, until, type World } from './support/service.ts';

const CLOSED_URL = 'http://127.0.0.1:9/hook';

describe('endpoints', () => {
  let world: World;
  let receiver: Receiver;
  let association_id: string;
  givenToEach((given) => ({ world, receiver, association_id } = given));

  const body = { url: CLOSED_URL };
  const path = () => ({ association_id });
  const one = (webhook_id: string) => ({ association_id, webhook_id });
  const read = async (webhook_id: string) =>
    (await request(world.running, ofAssociation.get, AWA, { path: one(webhook_id) })).body;
  const list = async (query: object = {}) =>
    (await request(world.running, ofAssociation.list, AWA, { path: path(), query: { limit: 50, ...query } })).body;

  it('are created with a secret that no other answer shows', async () => {
    const created = await request(world.running, ofAssociation.create, AWA, { path: path(), body });
    assert.equal(created.status, 201);
    assert.match(
      created.headers['Location'] ?? '',
      new RegExp(`/associations/${association_id}/webhooks/${created.body.id}$`),
    );
    const { secret, ...shown } = created.body;
    assert.equal(Buffer.from(secret.replace('whsec_', ''), 'base64').length, 32);
    assert.deepEqual(shown.types, ['*']);
    assert.deepEqual(await read(shown.id), shown);
    assert.deepEqual((await list()).data, [shown]);
  });

  it('are for the president and secretaries only, also to read', async () => {
    const { body: created } = await world.create(association_id, CLOSED_URL);
    const { body: sent } = await request(world.running, ofAssociation.ping, AWA, { path: one(created.id) });
    for (const user_id of ['cheikh', 'diallo']) {
      const calls = [
        request(world.running, ofAssociation.create, { user_id }, { path: path(), body }),
        request(world.running, ofAssociation.list, { user_id }, { path: path(), query: { limit: 50 } }),
        request(world.running, ofAssociation.get, { user_id }, { path: one(created.id) }),
        request(world.running, ofAssociation.change, { user_id }, { path: one(created.id), body: { types: ['*'] } }),
        request(world.running, ofAssociation.remove, { user_id }, { path: one(created.id) }),
        request(world.running, ofAssociation.rotateSecret, { user_id }, { path: one(created.id) }),
        request(
          world.running,
          ofAssociation.listDeliveries,
          { user_id },
          { path: one(created.id), query: { limit: 50 } },
        ),
        request(world.running, ofAssociation.ping, { user_id }, { path: one(created.id) }),
        request(
          world.running,
          ofAssociation.replay,
          { user_id },
          { path: one(created.id), body: { from: '2026-01-01T00:00:00Z' } },
        ),
        request(
          world.running,
          ofAssociation.retry,
          { user_id },
          { path: { ...one(created.id), delivery_id: sent.id } },
        ),
      ];
      const refusals = await Promise.all(calls.map(refusalOf));
      assert.deepEqual(refusals, Array(calls.length).fill('role_not_allowed'));
      const ofUnknown = request(
        world.running,
        ofAssociation.retry,
        { user_id },
        { path: { ...one(created.id), delivery_id: randomUUID() } },
      );
      assert.equal(await refusalOf(ofUnknown), 'not_found');
    }
    const stranger = request(world.running, ofAssociation.get, { user_id: 'stranger' }, { path: one(created.id) });
    assert.equal(await refusalOf(stranger), 'not_found');
    const secretary = await request(world.running, ofAssociation.get, { user_id: 'binta' }, { path: one(created.id) });
    assert.equal(secretary.body.id, created.id);
  });

  it('stay when their creator has the role no longer, who cannot reach them then', async () => {
    const { body: created } = await world.create(association_id, receiver.url);
    world.associations.get(association_id)?.members.shift();
    assert.equal(await refusalOf(read(created.id)), 'not_found');
    const event = await world.publish(association_id);
    await until(() => receiver.received.some(({ headers }) => headers['webhook-id'] === event.id));
  });

  it('of one association are unknown in another, and to the scope', async () => {
    const { body: created } = await world.create(association_id, CLOSED_URL);
    const other = { association_id: world.found(), webhook_id: created.id };
    assert.equal(await refusalOf(request(world.running, ofAssociation.get, AWA, { path: other })), 'not_found');
    const all = request(world.running, ofAll.get, MANAGER, { path: { webhook_id: created.id } });
    assert.equal(await refusalOf(all), 'not_found');
  });

  it('for all associations need the scope', async () => {
    assert.equal(await refusalOf(request(world.running, ofAll.create, AWA, { body })), 'insufficient_scope');
    const { body: created, headers } = await request(world.running, ofAll.create, MANAGER, { body });
    assert.match(headers['Location'] ?? '', new RegExp(`/webhooks/${created.id}$`));
    assert.equal(created.association_id, null);
    await request(world.running, ofAll.remove, MANAGER, { path: { webhook_id: created.id } });
  });

  it('are not changed in a closed association, and are shown', async () => {
    const { body: created } = await world.create(association_id, CLOSED_URL);
    const { body: ping } = await request(world.running, ofAssociation.ping, AWA, { path: one(created.id) });
    Object.assign(world.associations.get(association_id) ?? {}, { terms: { status: 'closed' } });
    assert.equal(await refusalOf(world.create(association_id, CLOSED_URL)), 'association_closed');
    const at = { path: one(created.id) };
    const { change, remove, rotateSecret, retry, replay, get } = ofAssociation;
    const writes: (() => Promise<unknown>)[] = [
      () => request(world.running, change, AWA, { ...at, body: { description: 'x' } }),
      () => request(world.running, remove, AWA, at),
      () => request(world.running, rotateSecret, AWA, at),
      () => request(world.running, retry, AWA, { path: { ...at.path, delivery_id: ping.id } }),
      () => request(world.running, replay, AWA, { ...at, body: { from: '2026-01-01T00:00:00Z' } }),
      () => request(world.running, ofAssociation.ping, AWA, at),
    ];
    for (const write of writes) assert.equal(await refusalOf(write()), 'association_closed');
    assert.equal((await request(world.running, get, AWA, at)).body.description, null);
    const gone = request(world.running, remove, AWA, { path: one(randomUUID()) });
    assert.equal(await refusalOf(gone), 'not_found');
  });

  it('are at most 20, however many are created at once', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, () => world.create(association_id, CLOSED_URL)),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    assert.equal(refused.length, 10);
    for (const { reason } of refused) assert.equal(await refusalOf(Promise.reject(reason as Error)), 'webhook_limit');
    const { data } = await list();
    assert.equal(data.length, 20);
    await request(world.running, ofAssociation.remove, AWA, { path: one(data[0]?.id ?? '') });
    await world.create(association_id, CLOSED_URL);
  });

  it('are listed in pages, newest first', async () => {
    const ids = [];
    for (let each = 0; each < 5; each += 1) ids.unshift((await world.create(association_id, CLOSED_URL)).body.id);
    const first = await list({ limit: 3 });
    const second = await list({ limit: 3, cursor: first.next_cursor });
    assert.deepEqual(
      [...first.data, ...second.data].map(({ id }) => id),
      ids,
    );
    assert.equal(second.next_cursor, null);
    const elsewhere = { association_id: world.found() };
    const foreign = request(world.running, ofAssociation.list, AWA, {
      path: elsewhere,
      query: { limit: 3, cursor: first.next_cursor },
    });
    assert.equal(await refusalOf(foreign), 'validation_failed');
  });

  it('are changed under If-Match', async () => {
    const { body: created } = await world.create(association_id, CLOSED_URL, {
      types: ['member.joined', 'member.joined'],
    });
    assert.deepEqual(created.types, ['member.joined']);
    const change = (changes: object, more: object = {}) =>
      request(world.running, ofAssociation.change, AWA, { path: one(created.id), body: changes, ...more });
    const changed = await change({ url: receiver.url, types: ['*'], description: 'Books' });
    assert.deepEqual([changed.body.url, changed.body.types, changed.body.description], [receiver.url, ['*'], 'Books']);
    assert.equal((await change({ description: '' })).body.description, null);
    assert.equal(await refusalOf(change({ description: 'x' }, { if_match: '"other"' })), 'precondition_failed');
    await change({ description: 'x' }, { if_match: '*' });
  });

  it('get nothing while they are disabled, and what was pending is given up', async () => {
    const { body: created } = await world.create(association_id, CLOSED_URL);
    await world.publish(association_id);
    const deliveries = () => deliveriesOf(world, association_id, created.id);
    await until(async () => (await deliveries())[0]?.attempts.length === 1);
    const change = (status: string) =>
      request(world.running, ofAssociation.change, AWA, { path: one(created.id), body: { status } });
    const disabled = await change('disabled');
    assert.equal(disabled.body.disabled_reason, 'request');
    const [given_up] = await deliveries();
    assert.deepEqual([given_up?.status, given_up?.attempts.at(-1)?.error], ['failed', 'endpoint_disabled']);
    await world.publish(association_id);
    await world.handled();
    assert.equal((await deliveries()).length, 1);
    for (const call of [
      () => request(world.running, ofAssociation.ping, AWA, { path: one(created.id) }),
      () =>
        request(world.running, ofAssociation.replay, AWA, {
          path: one(created.id),
          body: { from: '2026-01-01T00:00:00Z' },
        }),
      () =>
        request(world.running, ofAssociation.retry, AWA, { path: { ...one(created.id), delivery_id: given_up?.id } }),
    ]) {
      assert.equal(await refusalOf(call()), 'webhook_disabled');
    }
    const enabled = await change('enabled');
    assert.deepEqual([enabled.body.disabled_reason, enabled.body.disabled_at], [null, null]);
    await world.publish(association_id);
    await until(async () => (await deliveries()).length === 2);
  });

  it('are gone once they are deleted, with their deliveries', async () => {
    const { body: created } = await world.create(association_id, CLOSED_URL);
    await world.publish(association_id);
    await until(async () => (await deliveriesOf(world, association_id, created.id)).length === 1);
    const removed = await request(world.running, ofAssociation.remove, AWA, { path: one(created.id) });
    assert.equal(removed.status, 204);
    assert.equal(await refusalOf(read(created.id)), 'not_found');
    assert.equal(await refusalOf(deliveriesOf(world, association_id, created.id)), 'not_found');
    assert.equal(
      await refusalOf(request(world.running, ofAssociation.remove, AWA, { path: one(created.id) })),
      'not_found',
    );
    assert.equal((await list()).data.length, 0);
  });

  it('have a URL that may be called', async () => {
    const refused = world.create(association_id, 'ftp://127.0.0.1/');
    await assert.rejects(refused, (error) => {
      const { errors } = problemExtras(error) as { errors: { pointer: string; code: string }[] };
      assert.deepEqual(
        errors.map(({ pointer, code }) => [pointer, code]),
        [['/url', 'malformed']],
      );
      return true;
    });
  });

  it('are pinged', async () => {
    const { body: created } = await world.create(association_id, receiver.url, { types: ['member.left'] });
    const { body: ping } = await request(world.running, ofAssociation.ping, AWA, { path: one(created.id) });
    assert.deepEqual([ping.type, ping.status], ['webhook.ping', 'pending']);
    await until(() => receiver.received.length === 1);
    const event = JSON.parse(receiver.received[0]?.body ?? '') as Record<string, unknown>;
    assert.deepEqual(
      [event['type'], event['subject'], event['data']],
      ['webhook.ping', association_id, { webhook_id: created.id }],
    );
    assert.equal(receiver.received[0]?.headers['webhook-id'], ping.event_id);
  });
});

describe('secrets', () => {
  let world: World;
  let receiver: Receiver;
  let association_id: string;
  givenToEach((given) => ({ world, receiver, association_id } = given));

  it('are the same in the answer to a repeated request, and readable in no table', async () => {
    const create = () =>
      request(world.running, ofAssociation.create, AWA, {
        path: { association_id },
        body: { url: CLOSED_URL },
        idempotency_key: 'create-1',
      });
    const [first, repeat] = [await create(), await create()];
    assert.equal(repeat.headers['Idempotency-Replayed'], 'true');
    assert.deepEqual(repeat.body, first.body);
    const rotate = () =>
      request(world.running, ofAssociation.rotateSecret, AWA, {
        path: { association_id, webhook_id: first.body.id },
        idempotency_key: 'rotate-1',
      });
    const [rotated, repeated] = [await rotate(), await rotate()];
    assert.deepEqual(repeated.body, rotated.body);
    assert.notEqual(rotated.body.secret, first.body.secret);
    const tables = await world.db.rows<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
    );
    for (const { name } of tables) {
      const rows = await world.db.rows<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      for (const { row } of rows) {
        for (const secret of [first.body.secret, rotated.body.secret]) {
          assert.equal(row.includes(secret.replace('whsec_', '').slice(0, 20)), false, name);
        }
      }
    }
    const kept = await world.db.rows(`SELECT FROM idempotency_keys WHERE answer IS NOT NULL`);
    assert.equal(kept.length, 2);
  });

  it('that were replaced sign too for 24 hours', async () => {
    const { body: created } = await world.create(association_id, receiver.url);
    const path = { association_id, webhook_id: created.id };
    const rotate = async () => (await request(world.running, ofAssociation.rotateSecret, AWA, { path })).body;
    const second = await rotate();
    world.clock.advanced_ms += 60 * 60_000;
    const third = await rotate();
    const signers = async () => {
      receiver.received.length = 0;
      await request(world.running, ofAssociation.ping, AWA, { path });
      await until(() => receiver.received.length === 1);
      const { body = '', headers } = receiver.received[0] ?? {};
      const verifies = (secret: string) => {
        try {
          return Boolean(new Webhook(secret).verify(body, headers as Record<string, string>));
        } catch {
          return false;
        }
      };
      return [created, second, third].map(({ secret }) => verifies(secret));
    };
    assert.deepEqual(await signers(), [true, true, true]);
    world.clock.advanced_ms += 23.5 * 60 * 60_000;
    assert.deepEqual(await signers(), [false, true, true]);
    world.clock.advanced_ms += 60 * 60_000;
    assert.deepEqual(await signers(), [false, false, true]);
  });

  it('are replaced at most five times in 24 hours', async () => {
    const { body: created } = await world.create(association_id, receiver.url);
    const path = { association_id, webhook_id: created.id };
    const rotate = () => request(world.running, ofAssociation.rotateSecret, AWA, { path });
    for (let times = 0; times < 5; times += 1) await rotate();
    assert.equal(await refusalOf(rotate()), 'webhook_secret_limit');
    world.clock.advanced_ms += 24 * 60 * 60_000 + 1;
    await rotate();
  });

  it('cannot be opened with another key, so that the service does not start with one', async () => {
    const stops: (() => Promise<void>)[] = [];
    const start = (env: object) =>
      startService(webhooks, readServiceSettings(NAME, { ...world.env, NODE_ID: randomUUID(), ...env }), (stop) =>
        stops.push(stop),
      );
    try {
      await assert.rejects(
        start({ WEBHOOK_SECRET_KEY: 'x'.repeat(40) }),
        /WEBHOOK_SECRET_KEY is not the key of this database/,
      );
      // With both, the stored secrets are encrypted again, so that the earlier key is needed no longer.
      const key = 'x'.repeat(40);
      const stored = () => world.db.rows<{ sealed_secret: string }>('SELECT sealed_secret FROM webhooks ORDER BY id');
      const before_rows = await stored();
      await start({ WEBHOOK_SECRET_KEY: `${key},${world.env['WEBHOOK_SECRET_KEY'] ?? ''}` });
      await start({ WEBHOOK_SECRET_KEY: key });
      const after_rows = await stored();
      assert.equal(after_rows.length, before_rows.length);
      for (const [index, { sealed_secret }] of after_rows.entries()) {
        assert.notEqual(sealed_secret, before_rows[index]?.sealed_secret);
      }
    } finally {
      for (const stop of stops.toReversed()) await stop();
    }
  });

  it('and private addresses are no settings for production', async () => {
    const stops: (() => Promise<void>)[] = [];
    const start = (env: object) =>
      startService(webhooks, readServiceSettings(NAME, { ...world.env, NODE_ENV: 'production', ...env }), (stop) =>
        stops.push(stop),
      );
    try {
      await assert.rejects(start({}), /WEBHOOK_PRIVATE_ADDRESSES=allow is not for NODE_ENV=production/);
    } finally {
      for (const stop of stops.toReversed()) await stop();
    }
  });
});
