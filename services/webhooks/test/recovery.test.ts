import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { openSqlDatabase } from '@association-service/contracts/subscriber';
import { request } from '@association-service/contracts/testing';
import { ofAssociation } from '../src/contracts.ts';
import { claimDue } from '../src/sending/claim.store.ts';
import { ALLOWANCE_MAX } from '../src/sending/in-flight.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { AWA, deliveriesOf, startWorld, until, type World } from './support/service.ts';

/** Ends the claims of processes that are dead, as time would. */
const endClaims = ({ db }: World) =>
  db.run('UPDATE deliveries SET claimed_until = now() WHERE claimed_until IS NOT NULL');

describe('a process that is killed', () => {
  for (const [step, requests] of [
    ['webhooks.event.stored', 1],
    ['webhooks.delivery.claimed', 1],
    ['webhooks.delivery.sent', 2],
    ['webhooks.delivery.recorded', 1],
  ] as const) {
    it(`at ${step} loses nothing: the event arrives ${requests === 1 ? 'once' : 'again with the same webhook-id'}`, async () => {
      const world = await startWorld();
      const receiver = await startReceiver();
      try {
        const association_id = world.found();
        const { body } = await world.create(association_id, receiver.url);
        await world.stopRunning();
        const script = new URL('support/dying-process.ts', import.meta.url);
        const child = fork(script, {
          env: { ...process.env, ...world.env, NODE_ID: randomUUID(), DIES_AT: step },
          stdio: 'ignore',
        });
        const event = await world.publish(association_id);
        const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
        assert.equal(signal, 'SIGKILL');
        await endClaims(world);
        const running = await world.startAnother();
        const another = { ...world, running };
        await until(async () => (await deliveriesOf(another, association_id, body.id))[0]?.status === 'delivered');
        assert.deepEqual(
          receiver.received.map(({ headers }) => headers['webhook-id']),
          Array(requests).fill(event.id),
        );
      } finally {
        await receiver.stop();
        await world.stop();
      }
    });
  }
});

describe('several processes', () => {
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

  it('share what is due, each delivery to one of them', async () => {
    const association_id = world.found();
    receiver.answer = () => undefined;
    const webhook_ids = [];
    for (let each = 0; each < 5; each += 1)
      webhook_ids.push((await world.create(association_id, receiver.url)).body.id);
    await world.stopRunning();
    const now = new Date();
    const event_ids = Array.from({ length: 20 }, () => randomUUID());
    await world.db.run(
      `INSERT INTO events SELECT id, $2, 'member.left', $3, $3, '{}' FROM unnest($1::uuid[]) AS e (id)`,
      [event_ids, association_id, now],
    );
    const count = await world.db.run(
      `INSERT INTO deliveries (id, webhook_id, event_id, status, next_attempt_at, created_at)
       SELECT gen_random_uuid(), webhook_id, event_id, 'pending', $3, $3
       FROM unnest($1::uuid[]) AS w (webhook_id), unnest($2::uuid[]) AS e (event_id)`,
      [webhook_ids, event_ids, now],
    );
    const other = await openSqlDatabase(world.databaseUrl, []);
    try {
      const asks = webhook_ids.map((webhook_id) => ({ webhook_id, count: 7 }));
      const claims = await Promise.all(
        Array.from({ length: 40 }, (_, index) => claimDue(index % 2 === 0 ? world.db : other, asks, now, randomUUID())),
      );
      const ids = claims.flat().map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
      assert.equal(ids.length, count);
    } finally {
      await other.close();
    }
  });

  it('send each event once', async () => {
    const running = await world.startAnother();
    await world.startAnother();
    const association_id = world.found();
    const own = await startReceiver();
    try {
      const { body } = await request(running, ofAssociation.create, AWA, {
        path: { association_id },
        body: { url: own.url },
      });
      const events = [];
      for (let each = 0; each < 200; each += 1) events.push((await world.publish(association_id)).id);
      const another = { ...world, running };
      const delivered = () => deliveriesOf(another, association_id, body.id, { status: 'delivered' });
      await until(async () => (await delivered()).length === events.length);
      assert.deepEqual(own.received.map(({ headers }) => headers['webhook-id']).toSorted(), events.toSorted());
      assert.ok(own.running.most <= 2 * ALLOWANCE_MAX, 'each process limits its requests to one endpoint');
    } finally {
      await own.stop();
    }
  });

  it('give back what they cannot finish before they stop', async () => {
    const second = await startWorld();
    const hanging = await startReceiver(() => undefined);
    try {
      const association_id = second.found();
      await second.create(association_id, hanging.url);
      await second.publish(association_id);
      await until(() => hanging.received.length === 1);
      await second.stopRunning();
      const rows = await second.db.rows('SELECT status, claim_id, claimed_until, attempts FROM deliveries');
      assert.deepEqual(rows, [{ status: 'pending', claim_id: null, claimed_until: null, attempts: [] }]);
    } finally {
      await hanging.stop();
      await second.stop();
    }
  });
});
