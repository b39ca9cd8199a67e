import {
  appoint,
  approve,
  readBalances,
  contribute,
  foundGroup,
  idOf,
  insist,
  outcomeOf,
  payoutsOf,
  prepare,
  startCycle,
} from './group.ts';
import type { Five, Group } from './group.ts';
import { chapter, money, say } from './narrator.ts';
import type { Json, Person } from './person.ts';

/** Founds a tontine, runs a whole cycle, collects money for its treasury, and pays a member a grant from it. */
export async function showTontine(five: Five, bank: Person): Promise<Group> {
  chapter('A tontine: all members pay each round, and each gets the pot once');
  const group = await foundGroup(five, 'Njangi of the five', { type: 'tontine' });
  const [, ...others] = five;
  say(`The others join by invitation: ${others.map((person) => person.name).join(', ')}`);
  await prepare(five, bank);
  await appoint(group);
  await runCycle(group);
  await fillTreasury(group, five);
  await help(group, five);
  return group;
}

async function runCycle(group: Group): Promise<void> {
  const { people } = group;
  const [, treasurer] = people as [Person, Person];
  const before = await readBalances(people);
  const { meetings } = await startCycle(group, people.length, { order: 'join' });
  say(`A cycle of ${String(meetings.length)} rounds starts`);
  for (const [index, meeting] of meetings.entries()) {
    await Promise.all(people.map((person) => contribute(person, meeting, 10_000)));
    const settlement = await treasurer.post(`${meeting}/settle`);
    say(`Round ${String(index + 1)}: all members pay; paid out: ${payoutsOf(group, settlement)}`);
  }
  const after = await readBalances(people);
  insist(after.join() === before.join(), `${before.join()} became ${after.join()}`);
  say(`The cycle nets to zero: all members have ${after.join(', ')} XAF, as before`);
}

async function fillTreasury(group: Group, [president, treasurer, secretary, giver]: Five): Promise<void> {
  const kitty = await president.post(`${group.path}/meetings`, { title: 'Kitty' });
  const meeting = `${group.path}/meetings/${idOf(kitty)}`;
  for (const person of group.people) await contribute(person, meeting, 2_000);
  await treasurer.post(`${meeting}/settle`);
  say('All members pay 2000 XAF into the treasury, outside the cycle');
  const cash = await secretary.postWithPin(`${group.path}/cash-contribution`, {
    member_id: group.memberIds.get(giver),
    amount: 15_000,
    reason: 'Proceeds of the bake sale',
  });
  const approval = await approve(group, treasurer, cash.approval_id);
  say(
    `${secretary.name} records 15000 XAF in cash from ${giver.name}; ${treasurer.name} approves: ${outcomeOf(approval)}`,
  );
}

async function help(group: Group, [president, treasurer, secretary, , helped]: Five): Promise<void> {
  const distribution = await president.post(`${group.path}/distributions`, {
    beneficiary_member_id: group.memberIds.get(helped),
    amount: 12_000,
    reason: 'Hospital bill',
  });
  for (const officer of [treasurer, secretary]) await approve(group, officer, distribution.approval_id);
  const paid = await president.get(`${group.path}/distributions/${idOf(distribution)}`);
  const legs = (paid.payouts as Json[]).map((leg) => `${String(leg.amount)} by ${String(leg.method)}`);
  say(`Two officers approve ${money(12_000)} for ${helped.name}: ${String(paid.status)}, ${legs.join(' and ')}`);
}
