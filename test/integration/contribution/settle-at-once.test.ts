import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { openDatabase } from '../../../lib/db/database.ts';
import type { Database } from '../../../lib/db/database.ts';
import { contributionDatabase } from '../../../services/contribution/database.ts';
import { takeDue } from '../../../services/contribution/payments/payment.store.ts';
import type { TakenDue } from '../../../services/contribution/payments/payment.store.ts';
import { LATER, until, useContribution } from '../../harness/contribution.ts';
import type { Person, Running, World } from '../../harness/contribution.ts';

const DUE = 10_000;

/** A meeting to which nothing is in flight is closed and planned in one transaction, under the lock of its row. */
describe('contribution: settling at once', () => {
  let world: World;
  let service: Running;
  /** What another process of the service works with. */
  let other: Database;
  after(() => other.close());
  useContribution((made) => ({ world, service } = made), LATER);
  before(async () => (other = await openDatabase(world.database, contributionDatabase)));

  const isAnyoneWaiting = async () => {
    const [row] = await world.rows<{ waiting: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock') AS waiting`,
    );
    return row?.waiting === true;
  };

  /** A cycle of two, in which what is missing is left owed. */
  async function cycleOfTwo() {
    const cycle = await world.cycle(service, [1, 1], { shortfall: 'pay_collected' });
    return { ...cycle, payer: cycle.people[1]! };
  }

  /** Takes the payer's due in another process, which commits or gives up as it is told. */
  async function beginPaying({ member_id, user_id, wallet_id }: Person, meeting_id: string) {
    const paid_by = { paid_by_member_id: member_id, payer_user_id: user_id, created_at: new Date() };
    const contribution = { id: world.newId(), meeting_id, member_id, ...paid_by, wallet_id, amount_minor: BigInt(DUE) };
    const [taken, end] = [Promise.withResolvers<TakenDue>(), Promise.withResolvers<'commit' | 'give up'>()];
    const ended = other.transaction(async (tx) => {
      taken.resolve(await takeDue(tx, contribution));
      if ((await end.promise) === 'give up') throw new Error('given up');
    });
    expect((await taken.promise).outstanding_minor).to.equal(0n);
    return async (how: 'commit' | 'give up') => {
      end.resolve(how);
      await ended.catch(() => undefined);
    };
  }

  it('stops for a contribution that is being taken: it waits until that is stored, then for its outcome', async () => {
    const { president, first, payer } = await cycleOfTwo();
    const end = await beginPaying(payer, first.id);
    const settling = service.settle(president, first);
    await until('the settlement waits for the meeting', isAnyoneWaiting);
    await end('commit');
    // It is in flight: the meeting is closed first, and opened again as its outcome stays unknown.
    await until('the meeting is settling', async () => (await service.statusOf(president, first)) === 'settling');
    expect((await settling).code).to.equal('contributions_in_flight');
    expect(await service.statusOf(president, first)).to.equal('open');
  });

  it('settles without a contribution that was given up while it waited', async () => {
    const { president, first, payer } = await cycleOfTwo();
    const end = await beginPaying(payer, first.id);
    const settling = service.settle(president, first);
    await until('the settlement waits for the meeting', isAnyoneWaiting);
    await end('give up');
    expect((await settling).body).to.deep.include({ status: 'settled', collected_amount: 0 });
  });

  it('turns away a contribution that comes once the meeting is taken, and settles without it', async () => {
    const { people, president, first, payer } = await cycleOfTwo();
    await service.contribute(president, first, DUE);
    // No plan can be stored just now, so the settlement holds the meeting's row until this ends.
    const client = await world.pool.connect();
    await client.query('BEGIN; LOCK TABLE settlements IN SHARE MODE');
    const settling = service.settle(president, first);
    await until('the settlement has taken the meeting', isAnyoneWaiting);
    const paying = service.contribute(payer, first, DUE);
    expect(await Promise.race([paying, sleep(50)])).to.equal(undefined);
    await client.query('COMMIT');
    client.release();
    expect((await paying).code).to.equal('meeting_not_open');
    expect((await settling).body).to.deep.include({ status: 'settled', collected_amount: DUE });
    expect(people.map((person) => world.wallet(person))).to.deep.equal([1_000_000, 1_000_000]);
  });

  it('waits for a payment of arrears that it would set off', async () => {
    const { president, first, second, payer, pay } = await cycleOfTwo();
    await service.contribute(president, first, DUE);
    await service.settle(president, first);
    await pay(second);
    world.treasury.lateness_ms = 60;
    world.treasury.mishaps.push('late');
    const paying = service.contribute(payer, first, DUE / 2);
    await until('it is in flight', async () => {
      const rows = await world.rows('SELECT FROM arrears WHERE meeting_id = $1 AND taken_minor > paid_minor', [
        first.id,
      ]);
      return rows.length > 0;
    });
    const { payouts } = (await service.settle(president, second)).body;
    expect((await paying).status).to.equal(201);
    expect(payouts.map(({ amount }) => amount)).to.deep.equal([DUE / 2, 2 * DUE - DUE / 2]);
  });

  it('gives every saver what was paid for them when payments race the last round', async () => {
    for (let round = 0; round < 4; round += 1) {
      const association_id = world.membership.found({ type: 'savings', contribution_amount_minor: DUE });
      const people = Array.from({ length: 5 }, () => world.join(association_id));
      const president = people[0]!;
      await service.startSavings(president.user_id, association_id, { rounds: 1, starts_on: '2026-03-10' });
      const [only] = (await service.meetings(president.user_id, association_id)) as [Meeting];
      const [settled, ...replies] = await Promise.all([
        sleep(round).then(() => service.settle(president, only)),
        ...people.map((person) => service.contribute(person, only, DUE)),
      ]);
      const paid = replies.filter((reply) => reply.status === 201).length;
      expect(settled.body.collected_amount).to.equal(paid * DUE);
      expect(settled.body.payouts.map(({ amount }) => amount)).to.deep.equal(Array<number>(paid).fill(DUE));
      expect(people.map((person) => world.wallet(person))).to.deep.equal(people.map(() => 1_000_000));
      for (const reply of replies) expect(reply.code).to.be.oneOf([undefined, 'meeting_not_open']);
    }
  });
});
