import { readBalances, contribute, foundGroup, insist, nameOf, payoutsOf, startCycle } from './group.ts';
import type { Five, Group } from './group.ts';
import { chapter, money, say } from './narrator.ts';
import type { Json, Person } from './person.ts';

interface Arrears {
  member_id: string;
  amount: number;
  owed_to: { member_id: string; amount: number }[];
}

/** Runs a cycle that continues although a member misses a payment: they owe it to the member whose turn it was. */
export async function showArrears([amina, bih, chantal]: Five): Promise<Group> {
  chapter('Arrears: a payment is missing, and is paid later');
  const people = [amina, bih, chantal];
  const group = await foundGroup(people, 'Friday circle', { type: 'tontine', rules: { shortfall: 'pay_collected' } });
  say(`${amina.name}, ${bih.name} and ${chantal.name} agree: the pot is paid out as collected, and the rest is owed`);
  const before = await readBalances(people);
  const { meetings } = await startCycle(group, people.length, { order: 'join' });
  const [first, second, third] = meetings as [string, string, string];

  for (const person of [amina, bih]) await contribute(person, first, 10_000);
  const preview = await bih.get(`${first}/settlement/preview`);
  say(`Round 1: ${chantal.name} has not paid. The preview: ${arrearsOf(group, preview)}`);
  const settlement = await amina.post(`${first}/settle`, { preview_hash: preview.preview_hash });
  say(`${amina.name} settles as previewed: ${payoutsOf(group, settlement)}`);
  const late = await contribute(chantal, first, 4_000);
  say(
    `${chantal.name} pays ${money(4_000)} later, directly to ${amina.name}, and still owes ${money(late.outstanding)}`,
  );

  await payRound(group, 2, second);
  await payRound(group, 3, third);
  say(`It was ${chantal.name}'s turn: the remaining arrears were deducted from the pot and paid to ${amina.name}`);
  const after = await readBalances(people);
  insist(after.join() === before.join(), `${before.join()} became ${after.join()}`);
  say(`The balances at the end: ${after.join(', ')} XAF, as before`);
  return group;
}

async function payRound(group: Group, number: number, meeting: string): Promise<void> {
  for (const person of group.people) await contribute(person, meeting, 10_000);
  const [president] = group.people as [Person];
  say(
    `Round ${String(number)}: all members pay; paid out: ${payoutsOf(group, await president.post(`${meeting}/settle`))}`,
  );
}

function arrearsOf(group: Group, preview: Json): string {
  return (preview.arrears as Arrears[])
    .flatMap(({ member_id, owed_to }) =>
      owed_to.map(
        (claim) => `${nameOf(group, member_id)} will owe ${nameOf(group, claim.member_id)} ${money(claim.amount)}`,
      ),
    )
    .join(', ');
}
