import { expect } from 'chai';
import type pg from 'pg';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { gatherStatements } from '../../../services/contribution/persistence/gathered.ts';
import type { GatheredStatements } from '../../../services/contribution/persistence/gathered.ts';
import { openBatchPool } from '../../../lib/db/pools.ts';
import { World } from '../../harness/contribution.ts';
import type { Person, Running } from '../../harness/contribution.ts';

/** Far shorter than anybody waits who waits alone. */
const LOCK_TIMEOUT_MS = 100;

describe('contribution: gathered statements', () => {
  let world: World;
  let service: Running;
  let batches: pg.Pool;
  let gathered: GatheredStatements;

  before(async () => {
    world = await World.create();
    service = await world.start();
    batches = openBatchPool(world.database.migrationUrl, 2, { lock_timeout_ms: LOCK_TIMEOUT_MS });
    gathered = gatherStatements(batches, world.pool, world.clock);
  });
  after(async () => {
    await batches.end();
    await service.stop();
    await world.destroy();
  });

  async function roundOfTwo() {
    const { association_id, president, people } = world.tontine([1, 1]);
    await service.startCycle(president.user_id, association_id);
    const [meeting] = (await service.meetings(president.user_id, association_id)) as [Meeting];
    return { president, people, meeting };
  }

  const take = ({ member_id, user_id, wallet_id }: Person, meeting: Meeting, amount_minor: bigint) =>
    gathered.takeDue({
      ...{ id: world.newId(), meeting_id: meeting.id, member_id, paid_by_member_id: member_id },
      ...{ payer_user_id: user_id, wallet_id, amount_minor, now: world.clock() },
    });

  /** A session that holds what the statement locks, until it commits. */
  async function holding(lock: string, { id }: Meeting): Promise<pg.PoolClient> {
    const client = await world.pool.connect();
    await client.query('BEGIN');
    await client.query(lock, [id]);
    return client;
  }

  function watched<T>(pending: Promise<T>): { waiting: Promise<T>; hasEnded: () => boolean } {
    let ended = false;
    const waiting = pending.finally(() => (ended = true));
    return { waiting, hasEnded: () => ended };
  }

  it('take dues of several meetings at once, each by its own terms', async () => {
    const [one, two] = [await roundOfTwo(), await roundOfTwo()];
    const [first, second, third, again] = await Promise.all([
      take(one.president, one.meeting, 4_000n),
      take(two.president, two.meeting, 10_000n),
      take(two.people[1]!, two.meeting, 10_001n),
      take(one.president, one.meeting, 7_000n),
    ]);
    expect(first.outstanding_minor).to.equal(6_000n);
    expect(second.outstanding_minor).to.equal(0n);
    // More than a due, alone or with what is taken already.
    expect([third.outstanding_minor, again.outstanding_minor]).to.deep.equal([null, null]);
  });

  it('let nobody wait for a meeting of others that is locked just now', async () => {
    const [held, free] = [await roundOfTwo(), await roundOfTwo()];
    const client = await holding('SELECT FROM meetings WHERE id = $1 FOR UPDATE', held.meeting);
    const { waiting, hasEnded } = watched(take(held.president, held.meeting, 1_000n));
    expect((await take(free.president, free.meeting, 1_000n)).outstanding_minor).to.equal(9_000n);
    expect((await take(free.people[1]!, free.meeting, 1_000n)).outstanding_minor).to.equal(9_000n);
    expect(hasEnded()).to.equal(false);
    await client.query(`UPDATE meetings SET status = 'cancelled' WHERE id = $1`, [held.meeting.id]);
    await client.query('COMMIT');
    client.release();
    // It is judged by what the other has made of it.
    expect(await waiting).to.deep.include({ meeting_status: 'cancelled', outstanding_minor: null });
  });

  it('let nobody wait for long for a due of others that is locked just now', async () => {
    const [held, free] = [await roundOfTwo(), await roundOfTwo()];
    await take(held.president, held.meeting, 1_000n);
    const client = await holding('SELECT FROM dues WHERE meeting_id = $1 FOR UPDATE', held.meeting);
    const { waiting, hasEnded } = watched(take(held.president, held.meeting, 1_000n));
    // One goes into the same batch, the other into the next one.
    const neighbour = take(free.president, free.meeting, 1_000n);
    expect((await take(free.people[1]!, free.meeting, 1_000n)).outstanding_minor).to.equal(9_000n);
    expect((await neighbour).outstanding_minor).to.equal(9_000n);
    expect(hasEnded()).to.equal(false);
    await client.query('COMMIT');
    client.release();
    expect((await waiting).outstanding_minor).to.equal(8_000n);
  });
});
