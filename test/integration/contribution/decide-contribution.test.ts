import { expect } from 'chai';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { Outbox } from '../../../lib/events/outbox.ts';
import { CONTRIBUTION_MOVES } from '../../../services/contribution/payments/contribution-states.ts';
import { giveBack, markAllPaid } from '../../../services/contribution/payments/decide-contribution.ts';
import { takeDue } from '../../../services/contribution/payments/payment.store.ts';
import { World } from '../../harness/contribution.ts';
import type { Person, Running } from '../../harness/contribution.ts';

describe('contribution: the statements that take and decide', () => {
  let world: World;
  let service: Running;

  before(async () => {
    world = await World.create();
    service = await world.start();
  });

  after(async () => {
    await service.stop();
    await world.destroy();
  });

  async function cycleOfTwo() {
    const { association_id, president } = world.tontine([1, 1]);
    await service.startCycle(president.user_id, association_id);
    const [meeting] = (await service.meetings(president.user_id, association_id)) as [Meeting];
    return { president, meeting };
  }

  async function take({ member_id, user_id, wallet_id }: Person, meeting: Meeting, amount_minor: bigint) {
    const id = world.newId();
    const who = { member_id, paid_by_member_id: member_id, payer_user_id: user_id, wallet_id };
    await takeDue(world.pool, { id, meeting_id: meeting.id, ...who, amount_minor, now: world.clock() });
    return id;
  }

  async function decide(id: string, meeting: Meeting, how: 'pay' | 'fail'): Promise<unknown> {
    const events = new Outbox('contribution', world.clock, world.newId).columnsOf([
      {
        type: 'meeting.scheduled',
        association_id: meeting.association_id,
        data: { meeting_id: meeting.id, cycle_id: null, round: null, due_on: meeting.due_on },
      },
    ]);
    return how === 'pay'
      ? (await markAllPaid(world.pool, [{ id, events }], world.clock()))[0]
      : giveBack(world.pool, id, world.clock(), CONTRIBUTION_MOVES.fail, 'insufficient_funds', events);
  }

  const dueOf = async (meeting: Meeting) => {
    const [row] = await world.rows<{ taken: number; paid: number }>(
      'SELECT taken_minor::int AS taken, paid_minor::int AS paid FROM dues WHERE meeting_id = $1',
      [meeting.id],
    );
    return row;
  };

  it('decide a contribution once, whatever is asked of it afterwards', async () => {
    const { president, meeting } = await cycleOfTwo();
    const paid = await take(president, meeting, 4_000n);
    const failed = await take(president, meeting, 6_000n);
    expect(await decide(paid, meeting, 'pay')).to.deep.include({ status: 'paid', outstanding_minor: 6_000n });
    const events = (await world.events(meeting.association_id)).length;
    // With 6 000 still in flight, no constraint would keep these from counting 4 000 twice or giving it back.
    expect(await decide(paid, meeting, 'pay')).to.equal(undefined);
    expect(await decide(paid, meeting, 'fail')).to.equal(false);
    expect(await dueOf(meeting)).to.deep.equal({ taken: 10_000, paid: 4_000 });
    expect(await world.events(meeting.association_id)).to.have.length(events);
    expect(await decide(failed, meeting, 'fail')).to.equal(true);
    expect(await decide(failed, meeting, 'pay')).to.equal(undefined);
    expect(await decide(failed, meeting, 'fail')).to.equal(false);
    expect(await dueOf(meeting)).to.deep.equal({ taken: 4_000, paid: 4_000 });
  });

  it('let one of several decide that come at once', async () => {
    for (let run = 0; run < 5; run += 1) {
      const { president, meeting } = await cycleOfTwo();
      const id = await take(president, meeting, 5_000n);
      await take(president, meeting, 5_000n);
      const before = (await world.events(meeting.association_id)).length;
      const ways = ['pay', 'fail', 'pay', 'fail'] as const;
      const answers = await Promise.all(ways.map((how) => decide(id, meeting, how)));
      expect(answers.filter((answer) => answer !== undefined && answer !== false)).to.have.length(1);
      expect(await dueOf(meeting)).to.be.deep.oneOf([
        { taken: 10_000, paid: 5_000 },
        { taken: 5_000, paid: 0 },
      ]);
      expect(await world.events(meeting.association_id)).to.have.length(before + 1);
    }
  });

  it('wait for a settlement that is closing the meeting, and then take nothing', async () => {
    const { president, meeting } = await cycleOfTwo();
    const client = await world.pool.connect();
    await client.query('BEGIN');
    await client.query(`UPDATE meetings SET status = 'settling', attempt_id = $2 WHERE id = $1`, [
      meeting.id,
      world.newId(),
    ]);
    const paying = service.contribute(president, meeting, 10_000);
    // Long enough for it to come to the lock; were there none, it would have been paid by now.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await client.query('COMMIT');
    client.release();
    expect((await paying).code).to.equal('meeting_not_open');
    expect(await dueOf(meeting)).to.equal(undefined);
  });

  it('cannot exceed a due even by a statement that forgets to ask', async () => {
    const { president, meeting } = await cycleOfTwo();
    await take(president, meeting, 10_000n);
    let broken: unknown;
    await world
      .rows('UPDATE dues SET taken_minor = taken_minor + 1 WHERE meeting_id = $1', [meeting.id])
      .catch((error: unknown) => {
        broken = (error as { constraint?: string }).constraint;
      });
    expect(broken).to.equal('dues_not_exceeded');
  });
});
