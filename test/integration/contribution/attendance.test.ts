import { expect } from 'chai';
import { getAttendance, recordAttendance, type AttendanceEntry } from '../../../lib/contracts/contribution.ts';
import { useContribution, type Group, type MeetingIds, type Person } from '../../harness/contribution.ts';
import { complaintOf, outcomeOf } from '../../harness/refusal.ts';

describe('contribution: attendance', () => {
  const harness = useContribution();

  const pathOf = ({ association_id, id }: MeetingIds) => ({ association_id, meeting_id: id });
  const record = (by: Person, meeting: MeetingIds, entries: AttendanceEntry[], key?: string) =>
    harness.as(by.user_id, recordAttendance, { path: pathOf(meeting), body: { entries } }, { key });
  const read = ({ president }: Group, meeting: MeetingIds) =>
    harness.as(president.user_id, getAttendance, { path: pathOf(meeting) });

  it('is recorded for the named members, each entry instead of the earlier one, with an event', async () => {
    const group = await harness.cycle([1, 1, 1]);
    const { president, people, first, association_id } = group;
    const [a, b, c] = people.map(({ member_id }) => member_id) as [string, string, string];
    await record(president, first, [
      { member_id: a, status: 'present' },
      { member_id: b, status: 'absent' },
    ]);
    const corrected: AttendanceEntry[] = [
      { member_id: b, status: 'late' },
      { member_id: c, status: 'represented', represented_by_member_id: a },
    ];
    const answer = await record(president, first, corrected);
    const shown = answer.entries.map(({ member_id, status, represented_by_member_id: by }) => [member_id, status, by]);
    const expected = [
      [a, 'present', null],
      [b, 'late', null],
      [c, 'represented', a],
    ];
    expect(shown).to.deep.equal(expected.toSorted(([x], [y]) => (x! < y! ? -1 : 1)));
    expect(answer.entries[0]).to.include({ recorded_by_member_id: president.member_id });
    expect(await read(group, first)).to.deep.equal(answer);
    const events = await harness.events(association_id, 'attendance.recorded');
    expect(events.at(-1)).to.deep.equal({
      type: 'attendance.recorded',
      data: { meeting_id: first.id, entries: corrected, recorded_by_member_id: president.member_id },
    });
  });

  it('is recorded by president and secretary, and read by every member', async () => {
    const group = await harness.cycle([1, 1]);
    const { association_id, first, member } = group;
    const treasurer = harness.join(association_id, { role: 'treasurer' });
    const secretary = harness.join(association_id, { role: 'secretary' });
    const entries: AttendanceEntry[] = [{ member_id: member.member_id, status: 'present' }];
    expect(await outcomeOf(record(member, first, entries))).to.equal('role_not_allowed');
    expect(await outcomeOf(record(treasurer, first, entries))).to.equal('role_not_allowed');
    expect(await outcomeOf(record(secretary, first, entries))).to.equal('done');
    const read = harness.as(member.user_id, getAttendance, { path: pathOf(first) });
    expect((await read).entries).to.have.length(1);
    const outsider = { ...member, user_id: 'nobody-here' };
    expect(await outcomeOf(record(outsider, first, entries))).to.equal('not_found');
  });

  it('names only members of the association, each once, and representatives who are active', async () => {
    const group = await harness.cycle([1, 1]);
    const { president, first, member } = group;
    const gone = harness.join(group.association_id, { status: 'left' });
    const stranger = (await harness.cycle([1, 1])).member;
    const of = (...entries: AttendanceEntry[]) => record(president, first, entries);
    const { member_id } = member;
    const ofStranger = of({ member_id, status: 'present' }, { member_id: stranger.member_id, status: 'present' });
    expect(await complaintOf(ofStranger)).to.deep.equal(['not_found', '/entries/1/member_id']);
    expect(await outcomeOf(of({ member_id: gone.member_id, status: 'absent' }))).to.equal('done');
    const byGone = of({ member_id, status: 'represented', represented_by_member_id: gone.member_id });
    expect(await complaintOf(byGone)).to.deep.equal(['not_found', '/entries/0/represented_by_member_id']);
    const twice = of({ member_id, status: 'present' }, { member_id, status: 'late' });
    expect(await complaintOf(twice)).to.deep.equal(['validation_failed', '/entries/1/member_id']);
    const by = president.member_id;
    const present = of({ member_id, status: 'present', represented_by_member_id: by });
    expect(await complaintOf(present)).to.deep.equal(['validation_failed', '/entries/0/represented_by_member_id']);
    const self = of({ member_id, status: 'represented', represented_by_member_id: member_id });
    expect(await complaintOf(self)).to.deep.equal(['validation_failed', '/entries/0/represented_by_member_id']);
    expect((await read(group, first)).entries.map((entry) => entry.member_id)).to.deep.equal([gone.member_id]);
  });

  it('can be corrected until seven days after the settlement', async () => {
    const { president, first, member, pay } = await harness.cycle([1, 1]);
    await pay(first);
    await harness.settle(president, first);
    const entries: AttendanceEntry[] = [{ member_id: member.member_id, status: 'present' }];
    harness.clock.day = '2026-03-17';
    expect(await outcomeOf(record(president, first, entries))).to.equal('done');
    harness.clock.day = '2026-03-18';
    expect(await outcomeOf(record(president, first, entries))).to.equal('attendance_closed');
  });

  it('is judged in the time zone of the association', async () => {
    const group = harness.group([1, 1], { time_zone: 'Pacific/Kiritimati', type: 'solidarity' });
    const { president, people } = group;
    const meeting = await harness.scheduleMeeting(group);
    await harness.settle(president, meeting);
    const entries: AttendanceEntry[] = [{ member_id: people[1]!.member_id, status: 'present' }];
    // The harness stops the clock at a time of the day; there it is already the next day from 10:00 UTC on.
    const settled_at = (await harness.getSettlement(president, meeting)).settled_at!;
    const local = new Date(Date.parse(settled_at) + 14 * 3_600_000).toISOString().slice(0, 10);
    const closes_ms = Date.parse(local) + 8 * 86_400_000 - 14 * 3_600_000;
    harness.clock.stopped_at = new Date(closes_ms - 1);
    expect(await outcomeOf(record(president, meeting, entries))).to.equal('done');
    harness.clock.stopped_at = new Date(closes_ms);
    expect(await outcomeOf(record(president, meeting, entries))).to.equal('attendance_closed');
  });

  it('cannot be recorded for a cancelled meeting', async () => {
    const { president, meeting, member } = await harness.groupWithMeeting();
    await harness.cancel(president, meeting);
    const entries: AttendanceEntry[] = [{ member_id: member.member_id, status: 'present' }];
    expect(await outcomeOf(record(president, meeting, entries))).to.equal('attendance_closed');
  });
});
