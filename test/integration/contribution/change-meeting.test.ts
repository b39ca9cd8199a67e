import { expect } from 'chai';
import { changeMeeting, type Meeting } from '../../../lib/contracts/contribution.ts';
import { TODAY, useContribution, type Person } from '../../harness/contribution.ts';
import { atOnce, outcomeOf, outcomesOf, refusalOf } from '../../harness/refusal.ts';
import { tagOf, type CallOptions } from '../../harness/service-harness.ts';

describe('contribution: changing a meeting', () => {
  const harness = useContribution();

  const change = (
    { user_id }: Person,
    { association_id, id: meeting_id }: Meeting,
    body: object,
    if_match?: CallOptions['if_match'],
  ) => harness.as(user_id, changeMeeting, { path: { association_id, meeting_id }, body }, { if_match });

  /** Starts a cycle of monthly rounds, the first of them due TODAY. */
  async function cycleOf(rounds: number) {
    const cycle = await harness.cycle(Array<number>(rounds).fill(1));
    const daysNow = async () =>
      (await harness.meetings(cycle))
        .toSorted((a, b) => (a.round ?? 0) - (b.round ?? 0))
        .map((meeting) => meeting.due_on);
    return { ...cycle, daysNow };
  }

  const rescheduled = (association_id: string) => harness.events(association_id, 'meeting.rescheduled');

  it('moves a meeting outside a cycle to any day, and renames it; a change without effect publishes no event', async () => {
    const group = harness.group([1, 1]);
    const { association_id, president } = group;
    const meeting = await harness.scheduleMeeting(group, { title: 'Kitty' });
    for (const body of [{}, { due_on: meeting.due_on }, { title: 'Kitty', due_on: meeting.due_on }]) {
      expect(await change(president, meeting, body)).to.deep.equal(meeting);
    }
    expect(await rescheduled(association_id)).to.deep.equal([]);
    const moved = await change(president, meeting, { due_on: '2001-01-01' });
    expect(moved).to.deep.equal({ ...meeting, due_on: '2001-01-01' });
    const named = await change(president, meeting, { title: ' Kitty of March ' });
    expect(named).to.deep.equal({ ...moved, title: 'Kitty of March' });
    expect(await harness.getMeeting(president, meeting)).to.deep.equal(named);
    expect((await rescheduled(association_id)).map((event) => event.data)).to.deep.equal([
      { meeting_id: meeting.id, due_on: '2001-01-01', title: 'Kitty' },
      { meeting_id: meeting.id, due_on: '2001-01-01', title: 'Kitty of March' },
    ]);
  });

  it('keeps a round between its neighbours, on the same day at most, and reports the allowed days', async () => {
    const { president, meetings, daysNow } = await cycleOf(3);
    const [first, second, third] = meetings as [Meeting, Meeting, Meeting];
    const days = ['2026-03-10', '2026-04-10', '2026-05-10'];
    expect(await daysNow()).to.deep.equal(days);
    const wrong: [Meeting, due_on: string, allowed: string][] = [
      [first, '2026-04-11', 'not after 2026-04-10.'],
      [second, '2026-03-09', 'not before 2026-03-10 and not after 2026-05-10.'],
      [second, '2026-05-11', 'not before 2026-03-10 and not after 2026-05-10.'],
      [third, '2026-04-09', 'not before 2026-04-10.'],
    ];
    for (const [meeting, due_on, allowed] of wrong) {
      const { code, extras } = await refusalOf(change(president, meeting, { due_on, title: 'Elsewhen' }));
      expect(code, due_on).to.equal('validation_failed');
      const [error] = extras['errors'] as { pointer: string; code: string; detail: string }[];
      expect(error).to.deep.include({ pointer: '/due_on', code: 'round_order' });
      expect(error!.detail.split('must be ')[1]).to.equal(allowed);
    }
    expect(await daysNow()).to.deep.equal(days);
    expect((await harness.getMeeting(president, first)).title).to.equal(null);
    const right: [Meeting, string][] = [
      [second, '2026-03-10'],
      [second, '2026-05-10'],
      [first, '1999-12-31'],
      [third, '2099-12-31'],
      [third, '2026-05-10'],
    ];
    for (const [meeting, due_on] of right) await change(president, meeting, { due_on });
    expect(await daysNow()).to.deep.equal(['1999-12-31', '2026-05-10', '2026-05-10']);
  });

  it('is refused for a settled meeting, even if it would have no effect', async () => {
    const { association_id, president, first, second, pay } = await cycleOf(2);
    await pay(first);
    await harness.settle(president, first);
    for (const body of [{ due_on: '2026-03-11' }, { title: 'Late' }, {}, { due_on: '2031-01-01' }]) {
      expect(await outcomeOf(change(president, first, body))).to.equal('meeting_not_open');
    }
    // The next round still cannot move to a day before the settled round.
    expect(await outcomeOf(change(president, second, { due_on: '2026-03-09' }))).to.equal('validation_failed');
    await change(president, second, { due_on: '2026-03-10' });
    expect(await rescheduled(association_id)).to.have.length(1);
  });

  it('happens with If-Match only if the meeting is as the caller has read it', async () => {
    const { president, member, meeting } = await harness.groupWithMeeting();
    const named = await change(president, meeting, { title: 'First' }, [tagOf(meeting)]);
    expect(await outcomeOf(change(president, meeting, { title: 'Second' }, [tagOf(meeting)]))).to.equal(
      'precondition_failed',
    );
    await change(president, meeting, { title: 'Third' }, '*');
    const read = await harness.getMeeting(president, meeting);
    expect(read).to.deep.equal({ ...named, title: 'Third' });
    await harness.contribute(member, meeting, 100);
    expect(await outcomeOf(change(president, meeting, { title: 'T' }, [tagOf(read)])), 'other amount').to.equal(
      'precondition_failed',
    );
    const { title } = await change(president, meeting, { title: 'Last' }, [
      tagOf(await harness.getMeeting(member, meeting)),
    ]);
    expect(title).to.equal('Last');
  });

  it('is refused for its If-Match after the role, and before the state of meeting and association', async () => {
    const { association_id, president, member, meeting } = await harness.groupWithMeeting();
    const stranger = harness.group([1]).president;
    const attempt = (by: Person, if_match: CallOptions['if_match'], body: object = { title: 'T' }) =>
      outcomeOf(change(by, meeting, body, if_match));
    expect(await attempt(stranger, ['"other"'])).to.equal('not_found');
    expect(await attempt(member, ['"other"'])).to.equal('role_not_allowed');
    await harness.cancel(president, meeting);
    const tag = tagOf(await harness.getMeeting(president, meeting));
    expect(await attempt(president, ['"other"'])).to.equal('precondition_failed');
    expect(await attempt(president, [tag])).to.equal('meeting_not_open');
    harness.membership.association(association_id).terms.status = 'closed';
    expect(await attempt(president, ['"other"'])).to.equal('precondition_failed');
    for (const if_match of [[tag], '*', undefined] as const) {
      expect(await attempt(president, if_match)).to.equal('association_closed');
    }
    expect(await attempt(member, ['"other"'])).to.equal('role_not_allowed');
  });

  it('is done by one of several requests that have read the same meeting', async () => {
    const { president, first } = await cycleOf(3);
    for (let round = 0; round < 5; round += 1) {
      const tag = tagOf(await harness.getMeeting(president, first));
      const outcomes = await outcomesOf(
        atOnce(6, (n) => change(president, first, { title: `${String(round)}, ${String(n)}` }, [tag])),
      );
      expect(outcomes).to.deep.equal(['done', ...Array<string>(5).fill('precondition_failed')]);
    }
    expect(await rescheduled(first.association_id)).to.have.length(5);
  });

  it('lets a round settle from the day to which it was moved', async () => {
    const { people, president, first } = await cycleOf(2);
    await harness.contribute(people[0]!, first, 10_000);
    await change(president, first, { due_on: '2026-03-20' });
    expect(await outcomeOf(harness.settle(president, first))).to.equal('meeting_not_due');
    await change(president, first, { due_on: TODAY });
    expect(await outcomeOf(harness.settle(president, first))).to.equal('meeting_underfunded');
  });

  it('keeps neighbouring rounds in order when they are moved concurrently', async () => {
    const { association_id, president, first, second, daysNow } = await cycleOf(2);
    for (let attempt = 0; attempt < 15; attempt += 1) {
      // Each change is valid without the other; both would put the second round before the first.
      const outcomes = await outcomesOf([
        change(president, first, { due_on: '2026-04-10' }),
        change(president, second, { due_on: '2026-03-10' }),
      ]);
      expect(outcomes).to.deep.equal(['done', 'validation_failed']);
      const days = await daysNow();
      expect(days).to.deep.equal(days.toSorted());
      await change(president, first, { due_on: '2026-03-10' });
      await change(president, second, { due_on: '2026-04-10' });
    }
    expect(await rescheduled(association_id)).to.have.length(30);
  });

  it('keeps all rounds in order while they are moved concurrently and members pay', async () => {
    const { people, president, meetings, daysNow } = await cycleOf(8);
    const days = Array.from({ length: 28 }, (_, index) => `2026-0${String(3 + (index % 6))}-${String(10 + index)}`);
    const moves = meetings.flatMap((meeting, index) =>
      days.slice(index, index + 8).map((due_on) => change(president, meeting, { due_on })),
    );
    const payments = people.map((person, index) => harness.contribute(person, meetings[index]!, 10_000));
    const [moved, paid] = await Promise.all([outcomesOf(moves), Promise.all(payments)]);
    expect([...new Set(moved)]).to.deep.equal(['done', 'validation_failed']);
    expect(paid.map(({ status }) => status)).to.deep.equal(people.map(() => 'paid'));
    const now = await daysNow();
    expect(now).to.deep.equal(now.toSorted());
  });
});
