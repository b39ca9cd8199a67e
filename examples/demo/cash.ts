import { approve, contribute, insist, outcomeOf, payoutsOf, type Five, type Group } from './group.ts';
import { chapter, money, say } from './narrator.ts';

/** Lets two members pay a round in cash. A second officer must approve each record, and cash is paid out as cash. */
export async function showCash(group: Group, meeting: string, five: Five): Promise<void> {
  chapter('Cash: two members pay in cash, so the pot holds cash and wallet money');
  const [president, treasurer, secretary, divine, emeka] = five;
  for (const person of [president, treasurer, secretary]) await contribute(person, meeting, 10_000);
  for (const person of [divine, emeka]) {
    const deposit = await secretary.postWithPin(`${group.path}/cash-contribution`, {
      member_id: group.memberIds.get(person),
      amount: 10_000,
      reason: 'Handed over at the meeting',
      meeting_id: meeting.split('/').at(-1),
    });
    const approval = await approve(group, treasurer, deposit.approval_id);
    say(
      `${secretary.name} records ${money(10_000)} in cash from ${person.name}; ${treasurer.name} approves: ${outcomeOf(approval)}`,
    );
  }
  const settlement = await treasurer.post(`${meeting}/settle`);
  insist(settlement.collected_amount === 50_000, `${String(settlement.collected_amount)} XAF were collected`);
  say(`The round settles; paid out: ${payoutsOf(group, settlement)}`);
}
