import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { placeOf } from '../src/secrets/message.ts';
import { secretBox } from '../src/secrets/secret-box.ts';
import { SECRET_BYTES, writeSecret } from '../src/secrets/signature.rules.ts';
import { OWNER_SUSPECT_MAX, SUSPECT_IN_FLIGHT_MAX } from '../src/sending/slots.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { deliveriesOf, startWorld, until, type World } from './support/service.ts';

/** More than failing endpoints may have slots. */
const HANGING = SUSPECT_IN_FLIGHT_MAX + 100;
const EVENTS = 50;

describe('endpoints that never answer', () => {
  let world: World;
  let hanging: Receiver;
  let working: Receiver;
  before(async () => {
    world = await startWorld();
    hanging = await startReceiver(() => undefined);
    working = await startReceiver();
  });
  after(async () => {
    await hanging.stop();
    await working.stop();
    await world.stop();
  });

  /**
   * Adds endpoints that hang, with something due.
   * @param options.users how many users have created them
   * @param options.events how many deliveries are due to each
   */
  async function addWaiting(options: { failing_since: Date | null; users: number; events: number }): Promise<void> {
    const box = secretBox([world.env['WEBHOOK_SECRET_KEY'] ?? '']);
    const ids = Array.from({ length: HANGING }, () => randomUUID());
    const sealed = ids.map((id) => box.seal(writeSecret(Buffer.alloc(SECRET_BYTES)), placeOf(id)));
    await world.db.run(
      `WITH added AS (
         INSERT INTO webhooks (id, association_id, url, types, status, failing_since, sealed_secret, secret_made_by,
           created_by_user_id, created_at)
         SELECT id, gen_random_uuid(), $3, '{*}', 'enabled', $4, sealed, id, 'hanging ' || n % $5::integer, now()
         FROM unnest($1::uuid[], $2::text[]) WITH ORDINALITY AS w (id, sealed, n)
       ), happened AS (
         INSERT INTO events SELECT gen_random_uuid(), NULL, 'member.left', now(), now(), '{}'
         FROM generate_series(1, $6::integer) RETURNING id
       )
       INSERT INTO deliveries (id, webhook_id, event_id, status, next_attempt_at, created_at)
       SELECT gen_random_uuid(), w.id, happened.id, 'pending', now(), now() FROM unnest($1::uuid[]) AS w (id), happened`,
      [ids, sealed, hanging.url, options.failing_since, options.users, options.events],
    );
  }

  /** Adds an endpoint that works, and checks that it gets its events while the others hang. */
  async function deliverBeside(): Promise<void> {
    const association_id = world.found();
    const { body } = await world.create(association_id, working.url);
    for (let each = 0; each < EVENTS; each += 1) await world.publish(association_id);
    const delivered = () => deliveriesOf(world, association_id, body.id, { status: 'delivered' });
    await until(async () => (await delivered()).length === EVENTS);
  }

  it('delay no other that has failed once, if one user has created all of them', async () => {
    await addWaiting({ failing_since: new Date(), users: 1, events: 5 });
    await until(() => hanging.running.now === OWNER_SUSPECT_MAX);
    const association_id = world.found();
    const { body } = await world.create(association_id, working.url);
    await world.db.run('UPDATE webhooks SET failing_since = now() WHERE id = $1', [body.id]);
    await world.publish(association_id);
    const delivered = () => deliveriesOf(world, association_id, body.id, { status: 'delivered' });
    await until(async () => (await delivered()).length === 1);
    assert.equal(hanging.running.most, OWNER_SUSPECT_MAX);
  });

  it('delay no other if their last attempt has failed, and get a part of the slots', async () => {
    await addWaiting({ failing_since: new Date(), users: HANGING, events: 1 });
    await until(() => hanging.running.now === SUSPECT_IN_FLIGHT_MAX);
    await deliverBeside();
    assert.equal(hanging.running.most, SUSPECT_IN_FLIGHT_MAX);
  });

  it('delay no other if they have worked until now', async () => {
    await addWaiting({ failing_since: null, users: HANGING, events: 2 });
    await until(() => hanging.running.most >= HANGING);
    await deliverBeside();
  });
});
