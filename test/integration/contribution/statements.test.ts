import { expect } from 'chai';
import type pg from 'pg';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { openDatabase } from '../../../lib/db/database.ts';
import type { Database } from '../../../lib/db/database.ts';
import { Outbox } from '../../../lib/events/outbox.ts';
import { contributionDatabase } from '../../../services/contribution/database.ts';
import type { ContributionRow } from '../../../services/contribution/payments/contribution.table.ts';
import { batchPayments, markAllPaid, takeDue } from '../../../services/contribution/payments/payment.store.ts';
import type { PaymentBatches } from '../../../services/contribution/payments/payment.store.ts';
import { useContribution } from '../../harness/contribution.ts';
import type { Person, Running, World } from '../../harness/contribution.ts';

describe('contribution: the statements that take and mark as paid', () => {
  let world: World;
  let service: Running;
  let db: Database;
  let batches: PaymentBatches;
  after(() => db.close());
  useContribution((made) => ({ world, service } = made));
  before(async () => {
    db = await openDatabase(world.database, contributionDatabase);
    batches = batchPayments(db.batches, db, world.clock);
  });

  const asked = ({ member_id, user_id, wallet_id }: Person, { id: meeting_id }: Meeting, amount_minor: bigint) => ({
    ...{ id: world.newId(), meeting_id, member_id, paid_by_member_id: member_id },
    ...{ payer_user_id: user_id, wallet_id, amount_minor, created_at: world.clock() },
  });
  const take = (person: Person, meeting: Meeting, amount_minor: bigint) =>
    batches.takeDue(asked(person, meeting, amount_minor));

  async function markPaid(id: string, { id: meeting_id, association_id, due_on }: Meeting) {
    const events = new Outbox('contribution', world.clock, world.newId).columnsOf([
      { type: 'meeting.scheduled', association_id, data: { meeting_id, cycle_id: null, round: null, due_on } },
    ]);
    return (await markAllPaid(db, [{ id, events }], world.clock()))[0];
  }

  const dueIn = async ({ id }: Meeting) => {
    const [row] = await world.rows<{ taken: number; paid: number }>(
      'SELECT taken_minor::int AS taken, paid_minor::int AS paid FROM dues WHERE meeting_id = $1',
      [id],
    );
    return row;
  };

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

  it('mark a contribution as paid once, however many ask at once', async () => {
    const { association_id, president, first } = await world.cycle(service, [1, 1]);
    const contribution = asked(president, first, 4_000n);
    await takeDue(db, contribution);
    // With 6 000 still in flight, no constraint would keep these from counting 4 000 twice.
    await takeDue(db, asked(president, first, 6_000n));
    const before = (await world.events(association_id)).length;
    const paid = await Promise.all(Array.from({ length: 4 }, () => markPaid(contribution.id, first)));
    expect(paid.filter((row) => row !== undefined).map((row: ContributionRow) => row.outstanding_minor)).to.deep.equal([
      6_000n,
    ]);
    expect(await markPaid(contribution.id, first)).to.equal(undefined);
    expect(await dueIn(first)).to.deep.equal({ taken: 10_000, paid: 4_000 });
    expect(await world.events(association_id)).to.have.length(before + 1);
  });

  it('cannot exceed a due even by a statement that forgets to ask', async () => {
    const { president, first } = await world.cycle(service, [1, 1]);
    await take(president, first, 10_000n);
    const broken = await world
      .rows('UPDATE dues SET taken_minor = taken_minor + 1 WHERE meeting_id = $1', [first.id])
      .catch((error: unknown) => (error as { constraint?: string }).constraint);
    expect(broken).to.equal('dues_not_exceeded');
  });

  it('take dues of several meetings at once, each by its own terms', async () => {
    const [one, two] = [await world.cycle(service, [1, 1]), await world.cycle(service, [1, 1])];
    const taken = await Promise.all([
      take(one.president, one.first, 4_000n),
      take(two.president, two.first, 10_000n),
      // More than a due, alone or with what is taken already.
      take(two.people[1]!, two.first, 10_001n),
      take(one.president, one.first, 7_000n),
    ]);
    expect(taken.map((each) => each.outstanding_minor)).to.deep.equal([6_000n, 0n, null, null]);
  });

  it('let no payment wait for a meeting of others that is locked just now', async () => {
    const [held, free] = [await world.cycle(service, [1, 1]), await world.cycle(service, [1, 1])];
    const client = await holding('SELECT FROM meetings WHERE id = $1 FOR UPDATE', held.first);
    const { waiting, hasEnded } = watched(take(held.president, held.first, 1_000n));
    for (const person of free.people) {
      expect((await take(person, free.first, 1_000n)).outstanding_minor).to.equal(9_000n);
    }
    expect(hasEnded()).to.equal(false);
    await client.query(`UPDATE meetings SET status = 'cancelled' WHERE id = $1`, [held.first.id]);
    await client.query('COMMIT');
    client.release();
    // It is judged by what the other has made of it.
    expect(await waiting).to.deep.include({ meeting_status: 'cancelled', outstanding_minor: null });
    expect(await dueIn(held.first)).to.equal(undefined);
  });

  it('let no payment wait for long for a due of others that is locked just now', async () => {
    const [held, free] = [await world.cycle(service, [1, 1]), await world.cycle(service, [1, 1])];
    await take(held.president, held.first, 1_000n);
    const client = await holding('SELECT FROM dues WHERE meeting_id = $1 FOR UPDATE', held.first);
    const { waiting, hasEnded } = watched(take(held.president, held.first, 1_000n));
    // One goes into the same batch, the other into the next one.
    const neighbour = take(free.president, free.first, 1_000n);
    expect((await take(free.people[1]!, free.first, 1_000n)).outstanding_minor).to.equal(9_000n);
    expect((await neighbour).outstanding_minor).to.equal(9_000n);
    expect(hasEnded()).to.equal(false);
    await client.query('COMMIT');
    client.release();
    expect((await waiting).outstanding_minor).to.equal(8_000n);
  });
});
