import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { takeDue } from '../../../services/contribution/payments/payment.store.ts';
import { until, World } from '../../harness/contribution.ts';
import type { Person, Running } from '../../harness/contribution.ts';

const DUE = 10_000;

/** A meeting to which nothing is in flight is closed and planned in one transaction, under the lock of its row. */
describe('contribution: settling at once', () => {
  let world: World;
  let service: Running;
  /** Somebody else at the database, on one connection. */
  let other: pg.Pool;

  before(async () => {
    world = await World.create();
    service = await world.start();
    other = new pg.Pool({ connectionString: world.database.migrationUrl, max: 1 });
  });

  beforeEach(() => {
    world.today = '2027-06-01';
  });

  after(async () => {
    await other.end();
    await service.stop();
    await world.destroy();
  });

  const wallet = (person: Person) => world.treasury.balance(`wallet:${person.wallet_id}`);
  const statusOf = async (person: Person, meeting: Meeting) => (await service.getMeeting(person, meeting)).body.status;
  const isAnyoneWaiting = async () => {
    const [row] = await world.rows<{ waiting: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock') AS waiting`,
    );
    return row?.waiting === true;
  };

  /** A cycle of two, in which what is missing is left owed. */
  async function cycleOfTwo() {
    const group = world.tontine([1, 1], 1, DUE, { shortfall: 'pay_collected' });
    await service.startCycle(group.president.user_id, group.association_id, { starts_on: '2026-03-10' });
    const meetings = await service.meetings(group.president.user_id, group.association_id);
    return { ...group, first: meetings[0]!, payer: group.people[1]! };
  }

  /** What the other one has taken and not committed when the settlement asks for the meeting. */
  function contributionOf({ member_id, user_id, wallet_id }: Person, meeting_id: string) {
    const now = new Date();
    const paid_by = { paid_by_member_id: member_id, payer_user_id: user_id };
    return { id: world.newId(), meeting_id, member_id, ...paid_by, wallet_id, amount_minor: BigInt(DUE), now };
  }

  it('leaves no trace when it dies before it commits: the meeting was never closed', async () => {
    const { people, president, first } = await cycleOfTwo();
    for (const person of people) await service.contribute(person, first, DUE);
    const dying = await world.start({}, 'contribution.settling_begun');
    expect((await dying.settle(president, first)).status).to.equal(500);
    await dying.stop();
    expect(await statusOf(president, first)).to.equal('open');
    expect(await world.rows('SELECT FROM settlements WHERE meeting_id = $1', [first.id])).to.deep.equal([]);
    expect((await service.settle(president, first)).status).to.equal(200);
    expect(people.map(wallet)).to.deep.equal([1_010_000, 990_000]);
  });

  it('stops for a contribution that is being taken: it waits until that is stored, then for its outcome', async () => {
    const { president, first, payer } = await cycleOfTwo();
    await other.query('BEGIN');
    const { outstanding_minor } = await takeDue(other, contributionOf(payer, first.id));
    expect(outstanding_minor).to.equal(0n);
    const settling = service.settle(president, first);
    await until('the settlement waits for the meeting', isAnyoneWaiting);
    await other.query('COMMIT');
    // It is in flight: the meeting is closed first, and opened again as nobody decides it.
    await until('the meeting is settling', async () => (await statusOf(president, first)) === 'settling');
    expect((await settling).code).to.equal('contributions_in_flight');
    expect(await statusOf(president, first)).to.equal('open');
  });

  it('settles without a contribution that was given up while it waited', async () => {
    const { president, first, payer } = await cycleOfTwo();
    await other.query('BEGIN');
    await takeDue(other, contributionOf(payer, first.id));
    const settling = service.settle(president, first);
    await until('the settlement waits for the meeting', isAnyoneWaiting);
    await other.query('ROLLBACK');
    expect((await settling).body).to.deep.include({ status: 'settled', collected_amount: 0 });
  });

  it('turns away a contribution that comes once the meeting is taken, and settles without it', async () => {
    const { people, president, first, payer } = await cycleOfTwo();
    await service.contribute(president, first, DUE);
    // Nobody can store a plan just now, so the settlement holds the meeting's row until this ends.
    await other.query('BEGIN; LOCK TABLE settlements IN SHARE MODE');
    const settling = service.settle(president, first);
    await until('the settlement has taken the meeting', isAnyoneWaiting);
    const paying = service.contribute(payer, first, DUE);
    expect(await Promise.race([paying, sleep(50)])).to.equal(undefined);
    await other.query('COMMIT');
    expect((await paying).code).to.equal('meeting_not_open');
    expect((await settling).body).to.deep.include({ status: 'settled', collected_amount: DUE });
    expect(people.map(wallet)).to.deep.equal([1_000_000, 1_000_000]);
  });

  it('waits for a payment of arrears that it would set off', async () => {
    const { people, president, first, payer } = await cycleOfTwo();
    await service.contribute(president, first, DUE);
    await service.settle(president, first);
    const [, second] = await service.meetings(president.user_id, first.association_id);
    for (const person of people) await service.contribute(person, second!, DUE);
    world.treasury.lateness_ms = 60;
    world.treasury.mishaps.push('late');
    const paying = service.contribute(payer, first, DUE / 2);
    await until('it is in flight', async () => {
      const rows = await world.rows('SELECT FROM arrears WHERE meeting_id = $1 AND taken_minor > paid_minor', [
        first.id,
      ]);
      return rows.length > 0;
    });
    const { payouts } = (await service.settle(president, second!)).body;
    expect((await paying).status).to.equal(201);
    expect(payouts.map(({ amount }) => amount)).to.deep.equal([DUE / 2, 2 * DUE - DUE / 2]);
  });

  it('gives every saver what was paid for him when payments race the last round', async () => {
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
      expect(people.map(wallet)).to.deep.equal(people.map(() => 1_000_000));
      for (const reply of replies) expect(reply.code).to.be.oneOf([undefined, 'meeting_not_open']);
    }
  });
});
