import { expect } from 'chai';
import { changeMeeting, getMeeting } from '../../../lib/contracts/contribution.ts';
import type { Meeting } from '../../../lib/contracts/contribution.ts';
import { TODAY, useContribution } from '../../harness/contribution.ts';
import type { Person, Running, World } from '../../harness/contribution.ts';

describe('contribution: changing a meeting', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made));

  const change = (person: Person, meeting: Meeting, body: object, key?: string) => {
    const path = { association_id: meeting.association_id, meeting_id: meeting.id };
    return service.call(changeMeeting, person.user_id, { path, body }, key);
  };

  /** A running cycle with so many rounds, a month apart from TODAY on. */
  async function cycleOf(rounds: number) {
    const cycle = await world.cycle(service, Array<number>(rounds).fill(1));
    const daysNow = async () =>
      (await service.meetings(cycle.president.user_id, cycle.association_id))
        .toSorted((a, b) => (a.round ?? 0) - (b.round ?? 0))
        .map((meeting) => meeting.due_on);
    return { ...cycle, daysNow };
  }

  const rescheduled = async (association_id: string) =>
    (await world.events(association_id)).filter((event) => event.type === 'meeting.rescheduled');

  it('moves and names one outside a cycle, to any day', async () => {
    const { association_id, president } = world.tontine([1, 1]);
    const meeting = await service.scheduleMeeting(president, association_id, { title: 'Kitty' });
    const moved = await change(president, meeting, { due_on: '2001-01-01' });
    expect(moved.status).to.equal(200);
    expect(moved.body).to.deep.equal({ ...meeting, due_on: '2001-01-01' });
    const named = await change(president, meeting, { title: ' Kitty of March ' });
    expect(named.body).to.deep.equal({ ...moved.body, title: 'Kitty of March' });
    expect((await service.getMeeting(president, meeting)).body).to.deep.equal(named.body);
    expect((await rescheduled(association_id)).map((event) => event.data)).to.deep.equal([
      { meeting_id: meeting.id, due_on: '2001-01-01', title: 'Kitty' },
      { meeting_id: meeting.id, due_on: '2001-01-01', title: 'Kitty of March' },
    ]);
  });

  it('takes a change of nothing, and makes no event', async () => {
    const { association_id, president } = world.tontine([1, 1]);
    const meeting = await service.scheduleMeeting(president, association_id, { title: 'Kitty' });
    for (const body of [{}, { due_on: meeting.due_on }, { title: 'Kitty', due_on: meeting.due_on }]) {
      const reply = await change(president, meeting, body);
      expect(reply.status).to.equal(200);
      expect(reply.body).to.deep.equal(meeting);
    }
    expect(await rescheduled(association_id)).to.deep.equal([]);
  });

  it('keeps rounds in order: between their neighbours, on the same day at most', async () => {
    const { president, meetings, daysNow } = await cycleOf(3);
    const [first, second, third] = meetings as [Meeting, Meeting, Meeting];
    expect(await daysNow()).to.deep.equal(['2026-03-10', '2026-04-10', '2026-05-10']);
    const wrong: [Meeting, string][] = [
      [first, '2026-04-11'],
      [second, '2026-03-09'],
      [second, '2026-05-11'],
      [third, '2026-04-09'],
    ];
    for (const [meeting, due_on] of wrong) {
      const reply = await change(president, meeting, { due_on, title: 'Elsewhen' });
      expect(reply, `${String(meeting.round)} on ${due_on}`).to.deep.include({
        status: 422,
        code: 'validation_failed',
      });
      const [complaint] = reply.extras.errors as object[];
      expect(complaint).to.deep.include({ pointer: '/due_on', code: 'round_order' });
    }
    expect(await daysNow()).to.deep.equal(['2026-03-10', '2026-04-10', '2026-05-10']);
    expect((await service.getMeeting(president, first)).body.title).to.equal(null);
    const right: [Meeting, string][] = [
      [second, '2026-03-10'],
      [second, '2026-05-10'],
      [first, '1999-12-31'],
      [third, '2099-12-31'],
      [third, '2026-05-10'],
    ];
    for (const [meeting, due_on] of right) expect((await change(president, meeting, { due_on })).status).to.equal(200);
    expect(await daysNow()).to.deep.equal(['1999-12-31', '2026-05-10', '2026-05-10']);
  });

  it('says between which days a round can lie', async () => {
    const { president, meetings } = await cycleOf(3);
    const details = [];
    for (const [index, due_on] of ['2026-06-01', '2026-06-01', '2026-01-01'].entries()) {
      const { extras } = await change(president, meetings[index]!, { due_on });
      details.push((extras.errors as { detail: string }[])[0]?.detail.split('can be ')[1]);
    }
    expect(details).to.deep.equal([
      'not after 2026-04-10.',
      'not before 2026-03-10 and not after 2026-05-10.',
      'not before 2026-04-10.',
    ]);
  });

  it('changes open meetings only, however little', async () => {
    const { association_id, people, president, meetings } = await cycleOf(2);
    const [first, second] = meetings as [Meeting, Meeting];
    for (const person of people) await service.contribute(person, first, 10_000);
    expect((await service.settle(president, first)).status).to.equal(200);
    for (const body of [{ due_on: '2026-03-11' }, { title: 'Late' }, {}, { due_on: '2031-01-01' }]) {
      expect(await change(president, first, body)).to.deep.include({ status: 409, code: 'meeting_not_open' });
    }
    // A settled neighbour holds its place still.
    expect((await change(president, second, { due_on: '2026-03-09' })).code).to.equal('validation_failed');
    expect((await change(president, second, { due_on: '2026-03-10' })).status).to.equal(200);
    expect(await rescheduled(association_id)).to.have.length(1);
    await world.rows(`UPDATE meetings SET status = 'settling', attempt_id = $2 WHERE id = $1`, [
      second.id,
      world.newId(),
    ]);
    expect((await change(president, second, { title: 'Now' })).code).to.equal('meeting_not_open');
  });

  it('lets a round settle on the day to which it was moved', async () => {
    const { people, president, meetings } = await cycleOf(2);
    const [first] = meetings as [Meeting];
    await service.contribute(people[0]!, first, 10_000);
    await change(president, first, { due_on: '2026-03-20' });
    expect((await service.settle(president, first)).code).to.equal('meeting_not_due');
    await change(president, first, { due_on: TODAY });
    expect((await service.settle(president, first)).code).to.equal('meeting_underfunded');
  });

  it('never lets neighbours cross who move at once', async () => {
    const { association_id, president, meetings, daysNow } = await cycleOf(2);
    const [first, second] = meetings as [Meeting, Meeting];
    for (let attempt = 0; attempt < 15; attempt += 1) {
      // Each alone would be fine: both at once would put the second before the first.
      const replies = await Promise.all([
        change(president, first, { due_on: '2026-04-10' }),
        change(president, second, { due_on: '2026-03-10' }),
      ]);
      expect(replies.map((reply) => reply.status).sort()).to.deep.equal([200, 422]);
      const [one, two] = await daysNow();
      expect([one, two]).to.deep.equal([one, two].toSorted());
      await change(president, first, { due_on: '2026-03-10' });
      await change(president, second, { due_on: '2026-04-10' });
    }
    expect(await rescheduled(association_id)).to.have.length(30);
  });

  it('stays in order, without a fault, while all rounds move and people pay', async () => {
    const { people, president, meetings, daysNow } = await cycleOf(8);
    const days = Array.from({ length: 28 }, (_, index) => `2026-0${String(3 + (index % 6))}-${String(10 + index)}`);
    const moves = meetings.flatMap((meeting, index) =>
      days.slice(index, index + 8).map((due_on) => change(president, meeting, { due_on })),
    );
    const payments = people.map((person, index) => service.contribute(person, meetings[index]!, 10_000));
    const [moved, paid] = await Promise.all([Promise.all(moves), Promise.all(payments)]);
    expect(new Set(moved.map((reply) => reply.status))).to.deep.equal(new Set([200, 422]));
    expect(paid.map((reply) => reply.status)).to.deep.equal(people.map(() => 201));
    const now = await daysNow();
    expect(now).to.deep.equal(now.toSorted());
  });

  it('answers a repeat with the same key as the first time, also when the meeting has moved on since', async () => {
    const { association_id, president } = world.tontine([1, 1]);
    const meeting = await service.scheduleMeeting(president, association_id);
    const first = await change(president, meeting, { due_on: '2026-05-01' }, 'move');
    await change(president, meeting, { due_on: '2026-06-01' });
    await service.settle(president, meeting);
    const repeat = await change(president, meeting, { due_on: '2026-05-01' }, 'move');
    expect(repeat.status).to.equal(200);
    expect(repeat.body).to.deep.equal(first.body);
    const path = { association_id, meeting_id: meeting.id };
    expect((await service.call(getMeeting, president.user_id, { path })).body.due_on).to.equal('2026-06-01');
    expect((await change(president, meeting, { due_on: '2026-05-02' }, 'move')).code).to.equal(
      'idempotency_key_reused',
    );
    expect(await rescheduled(association_id)).to.have.length(2);
  });
});
