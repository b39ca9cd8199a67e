import { balances, contribute, found, insist, nameOf, payoutsOf, startCycle } from './group.ts';
import type { Five, Group } from './group.ts';
import { chapter, money, say } from './narrator.ts';
import type { Json, Person } from './person.ts';

interface Arrears {
  member_id: string;
  amount: number;
  owed_to: { member_id: string; amount: number }[];
}

/** A cycle that continues although a member misses a payment: they owe it to the member that had the turn. */
export async function arrears([amina, bih, chantal]: Five): Promise<Group> {
  chapter('Arrears: a payment is missing, and is paid later');
  const people = [amina, bih, chantal];
  const group = await found(people, 'Friday circle', { type: 'tontine', rules: { shortfall: 'pay_collected' } });
  say(`${amina.name}, ${bih.name} and ${chantal.name} agree: the turn is paid with what came in, the rest is owed`);
  const before = await balances(people);
  const { meetings } = await startCycle(group, people.length, { order: 'join' });
  const [first, second, third] = meetings as [string, string, string];

  for (const person of [amina, bih]) await contribute(person, first, 10_000);
  const preview = await bih.get(`${first}/settlement/preview`);
  say(`Round 1: ${chantal.name} has not paid. The preview shows everyone: ${arrearsOf(group, preview)}`);
  const settlement = await amina.post(`${first}/settle`, { preview_hash: preview.preview_hash });
  say(`${amina.name} settles exactly that: ${payoutsOf(group, settlement)}`);
  const late = await contribute(chantal, first, 4_000);
  say(
    `${chantal.name} pays ${money(4_000)} later, straight to ${amina.name}; she still owes ${money(late.outstanding)}`,
  );

  await round(group, 2, second);
  await round(group, 3, third);
  say(`It was ${chantal.name}'s turn: her last arrears went from her pot to ${amina.name}, who had waited for them`);
  const after = await balances(people);
  insist(after.join() === before.join(), `${before.join()} became ${after.join()}`);
  say(`In the end every balance is right: ${after.join(', ')} XAF, as before`);
  return group;
}

async function round(group: Group, number: number, meeting: string): Promise<void> {
  for (const person of group.people) await contribute(person, meeting, 10_000);
  const [president] = group.people as [Person];
  say(`Round ${String(number)}: all pay; ${payoutsOf(group, await president.post(`${meeting}/settle`))}`);
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
