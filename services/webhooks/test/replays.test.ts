import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { problemCode, problemExtras } from '@association-service/contracts';
import { request } from '@association-service/contracts/testing';
import { ofAll, ofAssociation } from '../src/contracts.ts';
import { runReplays } from '../src/replays/run-replays.ts';
import type { Receiver } from './support/receiver.ts';
import { AWA, deliveriesOf, givenToEach, MANAGER, refusalOf, until, type World } from './support/service.ts';

/** More than one page of a replay. */
const MANY = 1_200;

describe('replays', () => {
  let world: World;
  let receiver: Receiver;
  let association_id: string;
  givenToEach((given) => ({ world, receiver, association_id } = given));

  /** Stores past events of a day each, the first on 1 January. */
  async function addEvents(count: number, type = 'member.left', of: string | null = association_id): Promise<string[]> {
    const ids = Array.from({ length: count }, () => randomUUID());
    await world.db.run(
      `INSERT INTO events SELECT id, $2, $3, timestamptz '2026-01-01T00:00:00Z' + (n - 1) * interval '1 day', now(), '{}'
       FROM unnest($1::uuid[]) WITH ORDINALITY AS e (id, n)`,
      [ids, of, type],
    );
    return ids;
  }
  const arrived = () => receiver.received.map(({ headers }) => headers['webhook-id']);
  const replay = (webhook_id: string, body: { from: string; to?: string }, more: object = {}) =>
    request(world.running, ofAssociation.replay, AWA, { path: { association_id, webhook_id }, body, ...more });

  it('send the events of a time range again, which the endpoint has chosen', async () => {
    const { body } = await world.create(association_id, receiver.url, { types: ['member.left'] });
    const ids = await addEvents(5);
    await addEvents(5, 'member.joined');
    await addEvents(5, 'member.left', world.found());
    await replay(body.id, { from: '2026-01-02T00:00:00Z', to: '2026-01-04T00:00:00Z' });
    await until(() => receiver.received.length >= 2);
    await until(async () => (await deliveriesOf(world, association_id, body.id, { status: 'delivered' })).length === 2);
    assert.deepEqual(new Set(arrived()), new Set(ids.slice(1, 3)));
    const [delivery] = await deliveriesOf(world, association_id, body.id);
    assert.notEqual(delivery?.replay_id, null);
  });

  it('send what was delivered before once more, with the same webhook-id', async () => {
    const { body } = await world.create(association_id, receiver.url);
    const event = await world.publish(association_id);
    await until(() => receiver.received.length === 1);
    world.clock.advanced_ms += 1_000;
    await replay(body.id, { from: '2026-01-01T00:00:00Z' });
    await until(() => receiver.received.length === 2);
    assert.deepEqual(arrived(), [event.id, event.id]);
    assert.equal((await deliveriesOf(world, association_id, body.id)).length, 2);
  });

  it('do not begin in the future, nor end before they begin', async () => {
    const { body } = await world.create(association_id, receiver.url);
    for (const [range, pointer] of [
      [{ from: '2999-01-01T00:00:00Z' }, '/from'],
      [{ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, '/to'],
    ] as const) {
      await assert.rejects(replay(body.id, range), (error) => {
        const { errors } = problemExtras(error) as { errors: { pointer: string }[] };
        return errors.length === 1 && errors[0]?.pointer === pointer;
      });
    }
    assert.deepEqual(await world.db.rows('SELECT FROM replays WHERE webhook_id = $1', [body.id]), []);
  });

  it('do not send pings again', async () => {
    const { body } = await world.create(association_id, receiver.url);
    await request(world.running, ofAssociation.ping, AWA, { path: { association_id, webhook_id: body.id } });
    await until(() => receiver.received.length === 1);
    const [id] = await addEvents(1);
    world.clock.advanced_ms += 1_000;
    await replay(body.id, { from: '2026-01-01T00:00:00Z' });
    await until(() => arrived().includes(id));
    assert.equal(receiver.received.length, 2);
  });

  it('of an endpoint for all associations send the events of all', async () => {
    const { body } = await request(world.running, ofAll.create, MANAGER, {
      body: { url: receiver.url, types: ['cycle.completed'] },
    });
    const ids = [...(await addEvents(2, 'cycle.completed')), ...(await addEvents(2, 'cycle.completed', null))];
    await request(world.running, ofAll.replay, MANAGER, {
      path: { webhook_id: body.id },
      body: { from: '2026-01-01T00:00:00Z' },
    });
    await until(() => receiver.received.length === 4);
    assert.deepEqual(arrived().toSorted(), ids.toSorted());
    await request(world.running, ofAll.remove, MANAGER, { path: { webhook_id: body.id } });
  });

  it('of many events are made page by page, each event once, whatever stops in between', async () => {
    const { body } = await world.create(association_id, receiver.url);
    const ids = await addEvents(MANY);
    let pages = 0;
    world.faults.set('webhooks.replay.page', () => {
      pages += 1;
      return pages === 1 ? Promise.reject(new Error('stopped')) : Promise.resolve();
    });
    try {
      await replay(body.id, { from: '2026-01-01T00:00:00Z', to: '2030-01-01T00:00:00Z' });
      const expected = ids.length;
      const count = async () => {
        const rows = await world.db.rows<{ id: string }>(
          'SELECT event_id AS id FROM deliveries WHERE webhook_id = $1',
          [body.id],
        );
        return rows.length;
      };
      // Events after now are none of them.
      const past = await world.db.rows('SELECT FROM events WHERE association_id = $1 AND occurred_at < now()', [
        association_id,
      ]);
      await until(async () => (await count()) >= past.length);
      await until(async () => (await world.db.rows('SELECT FROM replays WHERE done_at IS NULL')).length === 0);
      assert.ok(past.length < expected);
      assert.equal(await count(), past.length);
    } finally {
      world.faults.clear();
    }
  });

  it('run one at a time for an endpoint, and make no more deliveries while many wait', async () => {
    // Refused connections: everything waits.
    const { body } = await world.create(association_id, 'http://127.0.0.1:9/');
    const ids = await addEvents(MANY);
    await world.db.run(
      `UPDATE events SET occurred_at = date_trunc('milliseconds', timestamptz '2026-01-01T00:00:00Z' + random() * interval '1 day') WHERE id = ANY($1::uuid[])`,
      [ids],
    );
    const first = await replay(
      body.id,
      { from: '2026-01-01T00:00:00Z', to: '2026-01-03T00:00:00Z' },
      { idempotency_key: 'r' },
    );
    const again = await replay(
      body.id,
      { from: '2026-01-01T00:00:00Z', to: '2026-01-03T00:00:00Z' },
      { idempotency_key: 'r' },
    );
    assert.deepEqual(again.body, first.body);
    assert.equal(await refusalOf(replay(body.id, { from: '2026-01-01T00:00:00Z' })), 'webhook_replay_running');
    const pending = async () =>
      (await world.db.rows(`SELECT FROM deliveries WHERE webhook_id = $1 AND status = 'pending'`, [body.id])).length;
    await until(async () => (await pending()) === 1_000);
    const { db } = world;
    const deps = {
      db,
      clock: () => new Date(),
      newId: randomUUID,
      reached: () => Promise.resolve(),
      wake: () => undefined,
    };
    await runReplays(deps, new AbortController().signal);
    assert.equal(await pending(), 1_000);
    await request(world.running, ofAssociation.change, AWA, {
      path: { association_id, webhook_id: body.id },
      body: { status: 'disabled' },
    });
    await until(async () => (await world.db.rows('SELECT FROM replays WHERE done_at IS NULL')).length === 0);
    await until(async () => (await pending()) === 0);
  });

  describe('within 24 hours', () => {
    const LIMIT = 24;
    const HOURS_24_MS = 24 * 60 * 60_000;
    const create = async () => (await world.create(association_id, receiver.url)).body.id;
    /** Replays nothing. @returns the code of the refusal, or `begun` once it has ended */
    async function tryReplay(webhook_id: string, more: object = {}): Promise<string | undefined> {
      const answer = replay(webhook_id, { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' }, more);
      const code = await answer.then(
        () => 'begun',
        (error: unknown) => problemCode(error),
      );
      await until(async () => (await world.db.rows('SELECT FROM replays WHERE done_at IS NULL')).length === 0);
      return code;
    }
    async function useUp(webhook_id: string): Promise<void> {
      for (let times = 0; times < LIMIT; times += 1) assert.equal(await tryReplay(webhook_id), 'begun');
    }

    it('are at most 24 for an endpoint, also at the same time', async () => {
      const [webhook_id, other] = [await create(), await create()];
      for (let times = 0; times < LIMIT - 1; times += 1) assert.equal(await tryReplay(webhook_id), 'begun');
      const together = await Promise.all(Array.from({ length: 4 }, () => tryReplay(webhook_id)));
      assert.equal(together.filter((each) => each === 'begun').length, 1);
      assert.equal(await tryReplay(webhook_id), 'webhook_replay_limit');
      assert.equal(await tryReplay(other), 'begun');
      world.clock.advanced_ms += HOURS_24_MS;
      assert.equal(await tryReplay(webhook_id), 'begun');
    });

    it('are not begun by a refusal, and a repeat of a request is none', async () => {
      const webhook_id = await create();
      for (let times = 0; times < LIMIT; times += 1) {
        assert.equal(await tryReplay(webhook_id, { idempotency_key: 'same' }), 'begun');
      }
      for (let times = 1; times < LIMIT; times += 1) assert.equal(await tryReplay(webhook_id), 'begun');
      assert.equal(await tryReplay(webhook_id), 'webhook_replay_limit');
      assert.equal(await tryReplay(webhook_id, { idempotency_key: 'same' }), 'begun');
      assert.equal((await world.db.rows('SELECT FROM replays WHERE webhook_id = $1', [webhook_id])).length, LIMIT);
    });

    it('count those to deleted endpoints of the same association, so that a new one does not permit as many again', async () => {
      const first = await create();
      await useUp(first);
      await request(world.running, ofAssociation.remove, AWA, { path: { association_id, webhook_id: first } });
      assert.equal(await tryReplay(await create()), 'webhook_replay_limit');
      association_id = world.found();
      assert.equal(await tryReplay(await create()), 'begun');
    });
  });

  it('have a time range that is not empty', async () => {
    const { body } = await world.create(association_id, receiver.url);
    await assert.rejects(replay(body.id, { from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' }), (error) => {
      const { errors } = problemExtras(error) as { errors: { pointer: string }[] };
      assert.equal(errors[0]?.pointer, '/to');
      return true;
    });
  });
});
