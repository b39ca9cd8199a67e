import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { request } from '@association-service/contracts/testing';
import { ofAssociation } from '../src/contracts.ts';
import { answerWith, startReceiver, type Receiver } from './support/receiver.ts';
import { AWA, deliveriesOf, givenToEach, until, type World } from './support/service.ts';

describe('an answer that comes after', () => {
  let world: World;
  let receiver: Receiver;
  let association_id: string;
  givenToEach((given) => ({ world, receiver, association_id } = given));

  /** How many outcomes were recorded, or dropped. */
  let recorded: number;
  beforeEach(() => {
    recorded = 0;
    world.faults.set('webhooks.delivery.recorded', () => Promise.resolve(void (recorded += 1)));
  });
  afterEach(() => world.faults.clear());

  const path = (webhook_id: string) => ({ association_id, webhook_id });
  const change = (webhook_id: string, body: object) =>
    request(world.running, ofAssociation.change, AWA, { path: path(webhook_id), body });
  const read = async (webhook_id: string) =>
    (await request(world.running, ofAssociation.get, AWA, { path: path(webhook_id) })).body;
  const failingSince = async (webhook_id: string) => {
    const rows = await world.db.rows<{ failing_since: Date | null }>(
      'SELECT failing_since FROM webhooks WHERE id = $1',
      [webhook_id],
    );
    return rows[0]?.failing_since;
  };

  /** Sends an event to a new endpoint, whose receiver answers once the returned function is called. */
  async function sendHeld(): Promise<{ webhook_id: string; event_id: string; answer: (status: number) => void }> {
    const held = Promise.withResolvers<number>();
    receiver.answer = async (_request, response) => void response.writeHead(await held.promise).end();
    const { body } = await world.create(association_id, receiver.url);
    const { id } = await world.publish(association_id);
    await until(() => receiver.received.length === 1);
    receiver.answer = answerWith(204);
    return { webhook_id: body.id, event_id: id, answer: held.resolve };
  }

  it('a retry was asked for is dropped, and the retry does not wait for it', async () => {
    const { webhook_id, answer } = await sendHeld();
    const [delivery] = await deliveriesOf(world, association_id, webhook_id);
    await request(world.running, ofAssociation.retry, AWA, {
      path: { association_id, webhook_id, delivery_id: delivery?.id },
    });
    await until(() => recorded === 1);
    answer(500);
    await until(() => recorded === 2);
    const [after] = await deliveriesOf(world, association_id, webhook_id);
    assert.equal(after?.status, 'delivered');
    assert.deepEqual(
      after.attempts.map(({ status_code }) => status_code),
      [204],
    );
  });

  it('the URL was changed does not disable the endpoint, which gets the event at the new URL', async () => {
    const other = await startReceiver();
    try {
      const { webhook_id, event_id, answer } = await sendHeld();
      await change(webhook_id, { url: other.url });
      answer(410);
      await until(() => recorded >= 1);
      assert.equal((await read(webhook_id)).status, 'enabled');
      assert.equal(await failingSince(webhook_id), null);
      await until(() => other.received.length === 1);
      assert.equal(other.received[0]?.headers['webhook-id'], event_id);
      // Otherwise the next test would count it.
      await until(() => recorded === 2);
    } finally {
      await other.stop();
    }
  });

  it('the URL was changed says nothing of the new URL if it is a failure', async () => {
    const { webhook_id, answer } = await sendHeld();
    await change(webhook_id, { url: `${receiver.url}/new` });
    answer(500);
    await until(() => recorded === 1);
    assert.equal(await failingSince(webhook_id), null);
    const [delivery] = await deliveriesOf(world, association_id, webhook_id);
    assert.deepEqual([delivery?.status, delivery?.attempts[0]?.status_code], ['pending', 500]);
  });

  it('the endpoint was enabled again does not disable it', async () => {
    const { webhook_id, answer } = await sendHeld();
    await change(webhook_id, { status: 'disabled' });
    await change(webhook_id, { status: 'enabled' });
    answer(410);
    await until(() => recorded === 1);
    assert.equal((await read(webhook_id)).status, 'enabled');
    assert.equal(await failingSince(webhook_id), null);
    const rows = await world.db.rows('SELECT FROM owner_notices WHERE webhook_id = $1', [webhook_id]);
    assert.equal(rows.length, 0);
  });
});
