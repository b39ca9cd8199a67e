import { expect } from 'chai';
import { health, listCycles, listDues, listMeetings } from '../../../lib/contracts/contribution.ts';
import type { Due, Meeting } from '../../../lib/contracts/contribution.ts';
import { TODAY, useContribution, type Person } from '../../harness/contribution.ts';
import { outcomeOf } from '../../harness/refusal.ts';

describe('contribution: meetings', () => {
  const harness = useContribution();

  it('can be scheduled outside a cycle, and are due today unless a day is given', async () => {
    const group = harness.group([1, 1]);
    const { association_id, president } = group;
    const meeting = await harness.scheduleMeeting(group, { title: '  Kitty ' });
    const { status, location } = harness.headOf(meeting);
    const { id } = meeting;
    expect(status).to.equal(201);
    expect(location).to.match(new RegExp(`/associations/${association_id}/meetings/${id}$`));
    expect(meeting).to.deep.equal({
      id,
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
    expect(await harness.events(association_id)).to.deep.equal([
      { type: 'meeting.scheduled', data: { meeting_id: id, cycle_id: null, round: null, due_on: TODAY } },
    ]);
    expect(await harness.getMeeting(president, meeting)).to.deep.equal(meeting);
  });

  it('are listed by day and round, in pages, filtered by status and by cycle', async () => {
    const group = harness.group([1, 1, 1]);
    const { association_id, president } = group;
    const cycle = await harness.startCycle(group);
    const kitty = await harness.scheduleMeeting(group, { due_on: '2026-04-10' });
    const rounds = (meetings: Meeting[]) => meetings.map(({ round }) => round);
    const listed = await harness.pages<Meeting>(president.user_id, listMeetings, { association_id }, 2);
    // The kitty and the second round are due on the same day; the kitty comes first, because it is not a round.
    expect(rounds(listed)).to.deep.equal([1, null, 2, 3]);
    expect(rounds(await harness.meetings(group, { cycle_id: cycle.id }))).to.deep.equal([1, 2, 3]);
    await harness.settle(president, kitty);
    expect(rounds(await harness.meetings(group, { status: 'SETTLED' }))).to.deep.equal([null]);
    expect(await harness.meetings(group, { status: 'cancelled' })).to.deep.equal([]);
    expect(await harness.meetings(group, { cycle_id: 'no uuid' })).to.deep.equal([]);
  });

  it('list dues in pages: of the pinned members for a round, of the payers for a meeting outside a cycle', async () => {
    const group = await harness.cycle([1, 2, 1]);
    const { association_id, people, president, first } = group;
    const kitty = await harness.scheduleMeeting(group);
    for (const person of people.slice(0, 2)) await harness.contribute(person, kitty, 5);
    const duesOf = async ({ id: meeting_id }: Meeting) => {
      const dues = await harness.pages<Due>(president.user_id, listDues, { association_id, meeting_id }, 1);
      return dues.map((each) => [each.member_id, each.due, each.paid]);
    };
    const [a, b, c] = people.map((person) => person.member_id);
    expect(await duesOf(first)).to.deep.equal([
      [a, 10_000, 0],
      [b, 20_000, 0],
      [c, 10_000, 0],
    ]);
    expect(await duesOf(kitty)).to.deep.equal([
      [a, 0, 5],
      [b, 0, 5],
    ]);
  });

  it('list the dues of one member', async () => {
    const group = await harness.cycle([1, 2, 1]);
    const { association_id, people, president, first } = group;
    const kitty = await harness.scheduleMeeting(group);
    for (const person of people.slice(0, 2)) await harness.contribute(person, kitty, 5);
    const [, b, c] = people as [Person, Person, Person];
    const listed = (meeting: Meeting, query: object) =>
      harness.as(president.user_id, listDues, {
        path: { association_id, meeting_id: meeting.id },
        query: { limit: 1, ...query },
      });
    for (const meeting of [first, kitty]) {
      const data = (await harness.dues(president, meeting)).filter(({ member_id }) => member_id === b.member_id);
      expect(data).to.have.length(1);
      expect(await listed(meeting, { member_id: b.member_id })).to.deep.equal({ data, next_cursor: null });
      for (const member_id of [harness.newId(), 'nothing']) {
        expect(await listed(meeting, { member_id })).to.deep.equal({ data: [], next_cursor: null });
      }
    }
    expect((await listed(kitty, { member_id: c.member_id })).data).to.deep.equal([]);
    const elsewhere = { ...first, id: harness.newId() };
    expect(await outcomeOf(listed(elsewhere, { member_id: b.member_id }))).to.equal('not_found');
    const { next_cursor: cursor } = await listed(first, {});
    expect(await outcomeOf(listed(first, { cursor }))).to.equal('done');
    expect(await outcomeOf(listed(first, { cursor, member_id: b.member_id }))).to.equal('validation_failed');
  });

  it('cannot be listed with a cursor of another list', async () => {
    const { association_id, president } = await harness.cycle([1, 1, 1]);
    const path = { association_id };
    const page = await harness.as(president.user_id, listMeetings, { path, query: { limit: 1 } });
    const query = { limit: 1, cursor: page.next_cursor! };
    const filtered = harness.as(president.user_id, listMeetings, { path, query: { ...query, status: 'open' } });
    expect(await outcomeOf(filtered)).to.equal('validation_failed');
    expect(await outcomeOf(harness.as(president.user_id, listCycles, { path, query }))).to.equal('validation_failed');
  });

  it('the service is healthy while its database answers', async () => {
    expect(await harness.command(health, {})).to.deep.equal({ ok: true, delayed_events: false });
  });
});
