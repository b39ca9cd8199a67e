import { expect } from 'chai';
import type pg from 'pg';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { openDatabase, type Database } from '../../../lib/db/database.ts';
import { Outbox } from '../../../lib/events/outbox.ts';
import { contributionDatabase } from '../../../services/contribution/database.ts';
import { batchPayments, markAllPaid, takeDue } from '../../../services/contribution/payments/payment.store.ts';
import type { PaymentBatches, TakenDue } from '../../../services/contribution/payments/payment.store.ts';
import { useContribution, type Person } from '../../harness/contribution.ts';
import { atOnce, outcomeOf } from '../../harness/refusal.ts';

describe('contribution: the SQL statements that take dues and mark them paid', () => {
  let db: Database;
  let batches: PaymentBatches;
  after(() => db.close());
  const harness = useContribution();
  const { now } = harness.clock;
  before(async () => {
    db = await openDatabase(harness.database, contributionDatabase);
    batches = batchPayments(db.batches, db, now);
  });

  const contributionOf = ({ member_id, user_id, wallet_id }: Person, { id: meeting_id }: Meeting, minor: bigint) => ({
    id: harness.newId(),
    meeting_id,
    member_id,
    paid_by_member_id: member_id,
    payer_user_id: user_id,
    wallet_id,
    amount_minor: minor,
    created_at: now(),
  });
  const take = (person: Person, meeting: Meeting, minor: bigint) =>
    batches.takeDue(contributionOf(person, meeting, minor));

  async function markPaid(id: string, { id: meeting_id, association_id, due_on }: Meeting) {
    const events = new Outbox('contribution', now, harness.newId).rowsOf([
      { type: 'meeting.scheduled', association_id, data: { meeting_id, cycle_id: null, round: null, due_on } },
    ]);
    return (await markAllPaid(db, [{ id, events }], now()))[0];
  }

  const dueIn = async ({ id }: Meeting) => {
    const [row] = await harness.sql<{ taken: number; paid: number }>(
      'SELECT taken_minor::int AS taken, paid_minor::int AS paid FROM dues WHERE meeting_id = $1',
      id,
    );
    return row;
  };

  /** Takes 1 000 while another transaction, which ends after `meanwhile`, holds the lock, and returns the due taken. */
  async function takeWhileLocked(
    payer: Person,
    meeting: Meeting,
    lock: string,
    meanwhile: (client: pg.PoolClient) => Promise<unknown>,
  ): Promise<TakenDue> {
    let hasEnded = false;
    let taking: Promise<TakenDue>;
    await harness.inTransaction(async (client) => {
      await client.query(lock, [meeting.id]);
      taking = take(payer, meeting, 1_000n).finally(() => (hasEnded = true));
      await meanwhile(client);
      expect(hasEnded).to.equal(false);
    });
    return taking!;
  }

  it('mark a contribution as paid once, even if several calls are concurrent', async () => {
    const { association_id, president, first } = await harness.cycle([1, 1]);
    const contribution = contributionOf(president, first, 4_000n);
    await takeDue(db, contribution);
    // With another 6 000 in flight, no constraint would prevent the 4 000 from being counted twice.
    await takeDue(db, contributionOf(president, first, 6_000n));
    const before = (await harness.events(association_id)).length;
    const paid = await Promise.all(atOnce(4, () => markPaid(contribution.id, first)));
    const outstanding = paid.filter((row) => row !== undefined).map((row) => row.outstanding_minor);
    expect(outstanding).to.deep.equal([6_000n]);
    expect(await markPaid(contribution.id, first)).to.equal(undefined);
    expect(await dueIn(first)).to.deep.equal({ taken: 10_000, paid: 4_000 });
    expect(await harness.events(association_id)).to.have.length(before + 1);
  });

  it('cannot exceed a due, because the database refuses any statement that would', async () => {
    const { president, first } = await harness.cycle([1, 1]);
    await take(president, first, 10_000n);
    const update = harness.sql('UPDATE dues SET taken_minor = taken_minor + 1 WHERE meeting_id = $1', first.id);
    expect(await outcomeOf(update)).to.equal('dues_not_exceeded');
  });

  it('take dues of several meetings in one batch, each checked against its own due', async () => {
    const one = await harness.cycle([1, 1]);
    const two = await harness.cycle([1, 1]);
    const taken = await Promise.all([
      take(one.president, one.first, 4_000n),
      take(two.president, two.first, 10_000n),
      // These exceed the due: without another contribution, or together with the one above.
      take(two.member, two.first, 10_001n),
      take(one.president, one.first, 7_000n),
    ]);
    expect(taken.map((each) => each.outstanding_minor)).to.deep.equal([6_000n, 0n, null, null]);
  });

  it('do not let a payment wait for the locked meeting of another payment', async () => {
    const held = await harness.cycle([1, 1]);
    const free = await harness.cycle([1, 1]);
    const lock = 'SELECT FROM meetings WHERE id = $1 FOR UPDATE';
    const taken = await takeWhileLocked(held.president, held.first, lock, async (client) => {
      for (const person of free.people) {
        expect((await take(person, free.first, 1_000n)).outstanding_minor).to.equal(9_000n);
      }
      await client.query(`UPDATE meetings SET status = 'cancelled' WHERE id = $1`, [held.first.id]);
    });
    // The waiting payment is checked against what the other transaction has stored.
    expect(taken).to.deep.include({ meeting_status: 'cancelled', outstanding_minor: null });
    expect(await dueIn(held.first)).to.equal(undefined);
  });

  it('let a payment wait only briefly for the locked due of another payment', async () => {
    const held = await harness.cycle([1, 1]);
    const free = await harness.cycle([1, 1]);
    await take(held.president, held.first, 1_000n);
    const lock = 'SELECT FROM dues WHERE meeting_id = $1 FOR UPDATE';
    const taken = await takeWhileLocked(held.president, held.first, lock, async () => {
      // The first payment is in the batch of the locked due, the second in the next batch.
      const inSameBatch = take(free.president, free.first, 1_000n);
      expect((await take(free.member, free.first, 1_000n)).outstanding_minor).to.equal(9_000n);
      expect((await inSameBatch).outstanding_minor).to.equal(9_000n);
    });
    expect(taken.outstanding_minor).to.equal(8_000n);
  });
});
