import { expect } from 'chai';
import { health, listCycles, listDues, listMeetings, scheduleMeeting } from '../../../lib/contracts/contribution.ts';
import type { Due, Meeting } from '../../../lib/contracts/contribution.ts';
import { TODAY, useContribution } from '../../harness/contribution.ts';
import type { Running, World } from '../../harness/contribution.ts';

describe('contribution: meetings', () => {
  let world: World;
  let service: Running;
  useContribution((made) => ({ world, service } = made));

  it('schedules a meeting outside a cycle, today unless a day is given', async () => {
    const { association_id, president } = world.tontine([1, 1]);
    const path = { association_id };
    const reply = await service.call(scheduleMeeting, president.user_id, { path, body: { title: '  Kitty ' } });
    expect(reply.status).to.equal(201);
    expect(reply.location).to.match(new RegExp(`/associations/${association_id}/meetings/${reply.body.id}$`));
    expect(reply.body).to.deep.equal({
      id: reply.body.id,
      association_id,
      cycle_id: null,
      round: null,
      title: 'Kitty',
      due_on: TODAY,
      status: 'open',
      expected_amount: 0,
      collected_amount: 0,
      beneficiaries: [],
      settled_at: null,
    });
    expect((await world.events(association_id)).map((event) => [event.type, event.data])).to.deep.equal([
      ['meeting.scheduled', { meeting_id: reply.body.id, cycle_id: null, round: null, due_on: TODAY }],
    ]);
    expect((await service.getMeeting(president, reply.body)).body).to.deep.equal(reply.body);
  });

  it('schedules one meeting however often the same key asks for it', async () => {
    const { association_id, president } = world.tontine([1, 1]);
    const ask = (title: string) =>
      service.call(scheduleMeeting, president.user_id, { path: { association_id }, body: { title } }, 'kitty');
    const first = await ask('Kitty');
    await service.settle(president, first.body);
    expect((await ask('Kitty')).body).to.deep.equal(first.body);
    expect((await ask('Other')).code).to.equal('idempotency_key_reused');
    expect(await service.meetings(president.user_id, association_id)).to.have.length(1);
  });

  it('lists meetings by day and round, page by page, by status and by cycle', async () => {
    const { association_id, president } = world.tontine([1, 1, 1]);
    const cycle = (await service.startCycle(president.user_id, association_id)).body;
    const kitty = await service.scheduleMeeting(president, association_id, { due_on: '2026-04-10' });
    const listed = await service.pages<Meeting>(listMeetings, president, { association_id }, 3);
    // The kitty is on the second round's day; it is no round, so it comes first.
    expect(listed.map(({ round }) => round)).to.deep.equal([1, null, 2, 3]);
    const list = (query: object) => service.meetings(president.user_id, association_id, query);
    expect((await list({ cycle_id: cycle.id })).map((meeting) => meeting.round)).to.deep.equal([1, 2, 3]);
    await service.settle(president, kitty);
    expect((await list({ status: 'SETTLED' })).map((meeting) => meeting.id)).to.deep.equal([kitty.id]);
    expect(await list({ status: 'cancelled' })).to.deep.equal([]);
    expect(await list({ cycle_id: 'no uuid' })).to.deep.equal([]);
  });

  it('lists dues page by page: the pinned members of a round, or who has paid outside a cycle', async () => {
    const { association_id, people, president } = world.tontine([1, 2, 1]);
    await service.startCycle(president.user_id, association_id);
    const [round] = await service.meetings(president.user_id, association_id);
    const kitty = await service.scheduleMeeting(president, association_id);
    for (const person of people.slice(0, 2)) await service.contribute(person, kitty, 5);
    const duesOf = async (meeting_id: string) => {
      const dues = await service.pages<Due>(listDues, president, { association_id, meeting_id }, 1);
      return dues.map((each) => [each.member_id, each.due, each.paid]);
    };
    const [first, second, third] = people.map((person) => person.member_id) as [string, string, string];
    expect(await duesOf(round!.id)).to.deep.equal([
      [first, 10_000, 0],
      [second, 20_000, 0],
      [third, 10_000, 0],
    ]);
    expect(await duesOf(kitty.id)).to.deep.equal([
      [first, 0, 5],
      [second, 0, 5],
    ]);
  });

  it('refuses a cursor of another list', async () => {
    const { association_id, president } = world.tontine([1, 1, 1]);
    await service.startCycle(president.user_id, association_id);
    const path = { association_id };
    const page = await service.call(listMeetings, president.user_id, { path, query: { limit: 1 } });
    const query = { limit: 1, cursor: page.body.next_cursor };
    for (const foreign of [
      service.call(listMeetings, president.user_id, { path, query: { ...query, status: 'open' } }),
      service.call(listCycles, president.user_id, { path, query }),
    ]) {
      expect((await foreign).code).to.equal('validation_failed');
    }
  });

  it('is healthy while its database answers', async () => {
    expect(await service.broker.call(health.name)).to.deep.equal({ ok: true, delayed_events: false });
  });
});
