import { expect } from 'chai';
import { printSheet, recordAttendance } from '../../../lib/contracts/contribution.ts';
import { useContribution, type MeetingIds, type Person } from '../../harness/contribution.ts';
import { sheetActs } from '../../harness/sheets.ts';

describe('contribution: what is printed for a meeting', () => {
  const harness = useContribution();
  const { line, submitted, decide } = sheetActs(harness);

  const pathOf = ({ association_id, id }: MeetingIds) => ({ association_id, meeting_id: id });
  const print = ({ user_id }: Person, meeting: MeetingIds) =>
    harness.as(user_id, printSheet, { path: pathOf(meeting), query: {} });
  /** Returns what the member has still to pay by the form: for the meeting, in arrears and in fines. */
  const owedBy = async (person: Person, meeting: MeetingIds) => {
    const { lines } = await print(person, meeting);
    const { outstanding, arrears, fines } = lines.find(({ member_id }) => member_id === person.member_id)!;
    return [outstanding, arrears, fines];
  };

  it('leaves out what the board decides on', async () => {
    const { member, first } = await harness.cycle([1, 1]);
    expect(await owedBy(member, first)).to.deep.equal([10_000, 0, 0]);
    await harness.takeCash(first, member, 4_000, harness.newId());
    expect(await owedBy(member, first)).to.deep.equal([6_000, 0, 0]);
  });

  it('counts a debt once, also when it has become arrears, until it is paid', async () => {
    const { president, member, first } = await harness.cycle([1, 1], { shortfall: 'pay_collected' });
    await harness.contribute(president, first, 10_000);
    await harness.contribute(member, first, 7_000);
    expect(await owedBy(member, first)).to.deep.equal([3_000, 0, 0]);
    await harness.settle(president, first);
    expect(await owedBy(member, first)).to.deep.equal([0, 3_000, 0]);
    await harness.contribute(member, first, 3_000);
    expect(await owedBy(member, first)).to.deep.equal([0, 0, 0]);
  });

  it('has the attendance of the meeting in its minutes, and the cash before', async () => {
    const { president, member, people, first } = await harness.cycle([1, 1, 1]);
    const third = people[2]!;
    const entries = [{ member_id: third.member_id, status: 'late' as const }];
    await harness.as(president.user_id, recordAttendance, { path: pathOf(first), body: { entries } });
    const attendance = [{ member_id: member.member_id, status: 'present' as const }];
    const sheet = await submitted(president, first, [line(member, 2_000)], { attendance });
    await decide(sheet);
    const { minutes } = await print(member, first);
    const statuses = new Map(minutes?.lines.map((each) => [each.member_id, each.attendance]));
    expect([president, member, third].map(({ member_id }) => statuses.get(member_id))).to.deep.equal([
      null,
      'present',
      'late',
    ]);
    expect(minutes).to.include({ cash_before: 0, expected_cash: 2_000, paid: 2_000 });
  });
});
