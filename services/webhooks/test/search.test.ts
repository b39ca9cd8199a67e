import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { FIRST_ID } from '../src/positions.rules.ts';
import { findDue } from '../src/sending/claim.store.ts';
import { startWorld, type World } from './support/service.ts';

describe('a search for what is due', () => {
  let world: World;
  /** In the order of a search. */
  let webhook_ids: string[];
  before(async () => {
    world = await startWorld();
    const association_id = world.found();
    const created = [];
    for (let each = 0; each < 5; each += 1) created.push(await world.create(association_id, 'http://127.0.0.1:9/'));
    webhook_ids = created.map(({ body }) => body.id).toSorted();
    // It would send what is due.
    await world.stopRunning();
  });
  after(() => world.stop());
  beforeEach(async () => {
    for (const table of ['deliveries', 'events']) await world.db.run(`DELETE FROM ${table}`);
  });

  const NOW = new Date();
  const LATER = new Date(NOW.getTime() + 1_000);

  /** Adds deliveries to an endpoint. */
  const add = (index: number, next_attempt_at: Date, count = 1) =>
    world.db.run(
      `WITH added AS (
         INSERT INTO events SELECT gen_random_uuid(), NULL, 'member.left', now(), now(), '{}' FROM generate_series(1, $3) RETURNING id)
       INSERT INTO deliveries (id, webhook_id, event_id, status, next_attempt_at, created_at)
       SELECT gen_random_uuid(), $1, id, 'pending', $2, now() FROM added`,
      [webhook_ids[index] ?? randomUUID(), next_attempt_at, count],
    );
  const search = (after_id: string, limit: number) => findDue(world.db, after_id, NOW, limit);
  const found = async (after_id: string, limit: number) =>
    (await search(after_id, limit)).webhook_ids.map((id) => webhook_ids.indexOf(id));

  it('finds the endpoints to which something is due now', async () => {
    for (const [index, at] of [NOW, LATER, NOW, LATER].entries()) await add(index, at);
    assert.deepEqual((await found(FIRST_ID, 10)).toSorted(), [0, 2]);
  });

  it('finds nothing, and begins again, where nothing waits', async () => {
    assert.deepEqual(await search(FIRST_ID, 10), { webhook_ids: [], after_id: FIRST_ID });
  });

  it('looks at a limited number of endpoints, also at those with nothing due, and the next one goes on there', async () => {
    for (const [index, at] of [LATER, LATER, LATER, NOW, NOW].entries()) await add(index, at);
    const first = await search(FIRST_ID, 2);
    assert.deepEqual(first, { webhook_ids: [], after_id: webhook_ids[1] });
    const second = await search(first.after_id, 2);
    assert.deepEqual(second, { webhook_ids: [webhook_ids[3]], after_id: webhook_ids[3] });
    assert.deepEqual(await search(second.after_id, 2), { webhook_ids: [webhook_ids[4]], after_id: FIRST_ID });
  });

  it('looks at an endpoint once, however much is due to it', async () => {
    await add(0, NOW, 1_000);
    await add(1, NOW);
    assert.deepEqual((await found(FIRST_ID, 2)).toSorted(), [0, 1]);
  });
});
