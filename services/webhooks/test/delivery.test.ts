import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { request } from '@association-service/contracts/testing';
import { Webhook } from 'standardwebhooks';
import { ofAll, ofAssociation } from '../src/contracts.ts';
import { answerWith, type Receiver } from './support/receiver.ts';
import { AWA, deliveriesOf, givenToEach, MANAGER, until, type World } from './support/service.ts';

describe('deliveries', () => {
  let world: World;
  let receiver: Receiver;
  let association_id: string;
  givenToEach((given) => ({ world, receiver, association_id } = given));

  const ids = () => receiver.received.map(({ headers }) => headers['webhook-id']);
  const statusOf = async (webhook_id: string) => (await deliveriesOf(world, association_id, webhook_id))[0]?.status;

  it('send the event, signed', async () => {
    const { body } = await world.create(association_id, receiver.url);
    const event = await world.publish(association_id);
    await until(() => receiver.received.length === 1);
    const [got] = receiver.received;
    const verified = new Webhook(body.secret).verify(got?.body ?? '', got?.headers as Record<string, string>);
    assert.deepEqual(verified, event);
    assert.deepEqual(ids(), [event.id]);
    await until(async () => (await statusOf(body.id)) === 'delivered');
    const [delivery] = await deliveriesOf(world, association_id, body.id);
    assert.equal(delivery?.event_id, event.id);
    assert.equal(delivery?.type, event.type);
    assert.equal(delivery?.next_attempt_at, null);
    assert.deepEqual(
      delivery?.attempts.map(({ status_code, error }) => [status_code, error]),
      [[204, null]],
    );
  });

  it('send an event that arrives twice once', async () => {
    await world.create(association_id, receiver.url);
    const event = await world.publish(association_id);
    await world.servers.publish(event);
    await world.handled();
    const last = await world.publish(association_id);
    await until(() => ids().includes(last.id));
    assert.equal(ids().filter((id) => id === event.id).length, 1);
  });

  it('have the chosen types only, of their association only', async () => {
    await world.create(association_id, receiver.url, { types: ['member.joined'] });
    await world.publish(association_id, 'member.left');
    await world.publish(world.found(), 'member.joined');
    await world.publish(undefined, 'transfer.posted');
    const joined = await world.publish(association_id, 'member.joined');
    await until(() => ids().includes(joined.id));
    await world.handled();
    assert.deepEqual(ids(), [joined.id]);
  });

  it('of an endpoint for all associations have every event, also those without one', async () => {
    const { body } = await request(world.running, ofAll.create, MANAGER, { body: { url: receiver.url } });
    const one = await world.publish(association_id);
    const other = await world.publish(undefined, 'transfer.posted');
    await until(() => receiver.received.length === 2);
    assert.deepEqual(new Set(ids()), new Set([one.id, other.id]));
    await request(world.running, ofAll.remove, MANAGER, { path: { webhook_id: body.id } });
  });

  it('are sent again after 5 s and 5 min, with the same id and a new signature', async () => {
    receiver.answer = answerWith(500);
    const { body } = await world.create(association_id, receiver.url);
    const event = await world.publish(association_id);
    await until(async () => (await deliveriesOf(world, association_id, body.id))[0]?.attempts.length === 1);
    const waitedFor = async () => {
      const [delivery] = await deliveriesOf(world, association_id, body.id);
      const at = delivery?.attempts.at(-1)?.at ?? '';
      return (Date.parse(delivery?.next_attempt_at ?? '') - Date.parse(at)) / 1_000;
    };
    assert.ok((await waitedFor()) >= 5 && (await waitedFor()) < 10);
    world.clock.advanced_ms += 6_000;
    await until(async () => (await deliveriesOf(world, association_id, body.id))[0]?.attempts.length === 2);
    assert.ok((await waitedFor()) >= 300 && (await waitedFor()) < 340);
    receiver.answer = answerWith(204);
    world.clock.advanced_ms += 340_000;
    await until(async () => (await statusOf(body.id)) === 'delivered');
    assert.deepEqual(ids(), [event.id, event.id, event.id]);
    for (const { body: text, headers } of receiver.received) {
      new Webhook(body.secret).verify(text, headers as Record<string, string>);
    }
  });

  it('wait for as long as Retry-After says', async () => {
    receiver.answer = answerWith(503, { 'retry-after': '3600' });
    const { body } = await world.create(association_id, receiver.url);
    await world.publish(association_id);
    await until(async () => (await deliveriesOf(world, association_id, body.id))[0]?.attempts.length === 1);
    const [delivery] = await deliveriesOf(world, association_id, body.id);
    const wait_ms = Date.parse(delivery?.next_attempt_at ?? '') - Date.parse(delivery?.attempts[0]?.at ?? '');
    assert.ok(wait_ms >= 3_600_000 && wait_ms < 4_100_000);
  });

  it('fail after ten attempts, and are sent again when asked for', async () => {
    receiver.answer = answerWith(500);
    const { body } = await world.create(association_id, receiver.url);
    await world.publish(association_id);
    // Not days at once, as an endpoint that fails for five days is disabled.
    for (let attempts = 1; attempts <= 10; attempts += 1) {
      await until(async () => (await deliveriesOf(world, association_id, body.id))[0]?.attempts.length === attempts);
      const [delivery] = await deliveriesOf(world, association_id, body.id);
      const next = delivery?.next_attempt_at;
      if (attempts < 10) world.clock.advanced_ms += Date.parse(next ?? '') - Date.now() - world.clock.advanced_ms;
      else assert.deepEqual([delivery?.status, next], ['failed', null]);
    }
    assert.equal((await deliveriesOf(world, association_id, body.id, { status: 'pending' })).length, 0);
    const [failed] = await deliveriesOf(world, association_id, body.id, { status: 'failed' });
    receiver.answer = answerWith(200);
    const path = { association_id, webhook_id: body.id, delivery_id: failed?.id };
    const retried = await request(world.running, ofAssociation.retry, AWA, { path });
    assert.equal(retried.body.status, 'pending');
    await until(async () => (await statusOf(body.id)) === 'delivered');
  });

  it('end with a 410, which disables the endpoint and tells its owner', async () => {
    receiver.answer = answerWith(410);
    const { body } = await world.create(association_id, receiver.url);
    await world.publish(association_id);
    const path = { association_id, webhook_id: body.id };
    const read = async () => (await request(world.running, ofAssociation.get, AWA, { path })).body;
    await until(async () => (await read()).status === 'disabled');
    assert.equal((await read()).disabled_reason, 'gone');
    assert.equal(await statusOf(body.id), 'failed');
    const notices = await world.db.rows(
      'SELECT user_id, association_id, reason, url_host, told_at FROM owner_notices WHERE webhook_id = $1',
      [body.id],
    );
    assert.deepEqual(notices, [
      { user_id: 'awa', association_id, reason: 'gone', url_host: '127.0.0.1', told_at: null },
    ]);
    const before = receiver.received.length;
    await world.publish(association_id);
    await world.handled();
    assert.equal(receiver.received.length, before);
    assert.equal((await deliveriesOf(world, association_id, body.id)).length, 1);
  });

  it('that only fail for five days disable the endpoint; a success in between does not', async () => {
    receiver.answer = answerWith(500);
    const { body } = await world.create(association_id, receiver.url);
    const path = { association_id, webhook_id: body.id };
    const read = async () => (await request(world.running, ofAssociation.get, AWA, { path })).body;
    const attempt = async (status: number) => {
      receiver.answer = answerWith(status);
      const { body: ping } = await request(world.running, ofAssociation.ping, AWA, { path });
      const find = async () => (await deliveriesOf(world, association_id, body.id)).find(({ id }) => id === ping.id);
      await until(async () => ((await find())?.attempts.length ?? 0) > 0);
    };
    const days = (count: number) => (world.clock.advanced_ms += count * 24 * 60 * 60_000);
    await attempt(500);
    days(3);
    await attempt(200);
    days(3);
    await attempt(500);
    days(4.9);
    await attempt(500);
    assert.equal((await read()).status, 'enabled');
    days(0.2);
    await attempt(500);
    await until(async () => (await read()).status === 'disabled');
    assert.equal((await read()).disabled_reason, 'failing');
    const pending = await deliveriesOf(world, association_id, body.id, { status: 'pending' });
    assert.equal(pending.length, 0);
    const notices = await world.db.rows('SELECT reason FROM owner_notices WHERE webhook_id = $1', [body.id]);
    assert.deepEqual(notices, [{ reason: 'failing' }]);
  });
});
