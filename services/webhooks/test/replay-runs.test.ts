import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { runReplays } from '../src/replays/run-replays.ts';
import { startWorld, type World } from './support/service.ts';

/** How many events a page has. */
const PAGE = 500;

describe('a run of replays', () => {
  let world: World;
  let association_id: string;
  /** Two endpoints for events of the type `member.left`. */
  let webhook_ids: string[];
  before(async () => {
    world = await startWorld();
    association_id = world.found();
    const create = () => world.create(association_id, 'http://127.0.0.1:9/', { types: ['member.left'] });
    webhook_ids = [(await create()).body.id, (await create()).body.id].toSorted();
    // Its own job would make the deliveries too.
    await world.stopRunning();
  });
  after(() => world.stop());
  beforeEach(async () => {
    for (const table of ['deliveries', 'replays', 'events']) await world.db.run(`DELETE FROM ${table}`);
  });

  /** Stores events of a day, after those that were stored before. */
  let days = 0;
  async function addEvents(count: number, type: string): Promise<void> {
    days += 1;
    await world.db.run(
      `INSERT INTO events
       SELECT gen_random_uuid(), $1, $2, timestamptz '2026-01-01T00:00:00Z' + $4 * interval '1 day' + n * interval '1 ms', now(), '{}'
       FROM generate_series(1, $3) n`,
      [association_id, type, count, days],
    );
  }
  /** Begins a replay of all events to each endpoint, in the order of the ids. */
  async function begin(): Promise<void> {
    for (const webhook_id of webhook_ids) {
      await world.db.run(`INSERT INTO replays VALUES ($1, $1, '2026-01-01', '2027-01-01', NULL, NULL, now())`, [
        webhook_id,
      ]);
    }
  }
  const run = (reached: () => void = () => undefined, stopping = new AbortController().signal) =>
    runReplays(
      {
        db: world.db,
        clock: () => new Date(),
        newId: randomUUID,
        reached: () => Promise.resolve(reached()),
        wake: () => undefined,
      },
      stopping,
    );
  const counts = () =>
    Promise.all(
      webhook_ids.map(async (id) => (await world.db.rows('SELECT FROM deliveries WHERE webhook_id = $1', [id])).length),
    );
  const running = async () => (await world.db.rows('SELECT FROM replays WHERE done_at IS NULL')).length;

  it('reads a page of events at once, also if the wanted ones are rare', async () => {
    await addEvents(1, 'member.left');
    await addEvents(2 * PAGE, 'member.joined');
    await addEvents(1, 'member.left');
    await begin();
    let pages = 0;
    await run(() => (pages += 1));
    assert.deepEqual(await counts(), [2, 2]);
    assert.equal(await running(), 0);
    assert.equal(pages, 3 * webhook_ids.length);
  });

  it('goes on with the others after one has failed, and fails at its end', async () => {
    await addEvents(PAGE + 1, 'member.left');
    await begin();
    const [failing] = webhook_ids;
    await world.db.run(`ALTER TABLE deliveries ADD CONSTRAINT fails CHECK (webhook_id <> '${failing ?? ''}')`);
    try {
      await assert.rejects(run(), new RegExp(failing ?? ''));
      assert.deepEqual(await counts(), [0, PAGE + 1]);
    } finally {
      await world.db.run('ALTER TABLE deliveries DROP CONSTRAINT fails');
    }
    await run();
    assert.deepEqual(await counts(), [PAGE + 1, PAGE + 1]);
  });

  it('ends after a page when the service stops, and the next run goes on there', async () => {
    await addEvents(PAGE + 1, 'member.left');
    await begin();
    const stopping = new AbortController();
    await run(() => stopping.abort(), stopping.signal);
    assert.deepEqual(await counts(), [PAGE, 0]);
    await run();
    assert.deepEqual(await counts(), [PAGE + 1, PAGE + 1]);
  });
});
