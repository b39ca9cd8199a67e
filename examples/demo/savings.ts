import { readBalances, contribute, foundGroup, insist, payoutsOf, startCycle, type Five, type Group } from './group.ts';
import { chapter, money, say } from './narrator.ts';

/** The amount that each person saves in each round. It may be less than agreed. */
const SAVED = [
  [10_000, 7_500, 0],
  [10_000, 2_500, 6_000],
  [10_000, 5_000, 1_000],
] as const;

/** Runs a savings group over three rounds. The savings cannot be spent, and are returned exactly. */
export async function showSavings([amina, , , divine, emeka]: Five): Promise<Group> {
  chapter('Savings: each member gets back what they saved');
  const people = [amina, divine, emeka];
  const group = await foundGroup(people, 'School fees', { type: 'savings' });
  const before = await readBalances(people);
  const { meetings } = await startCycle(group, SAVED.length, { rounds: SAVED.length });
  for (const [index, amounts] of SAVED.entries()) {
    const meeting = meetings[index] ?? '';
    for (const [place, person] of people.entries()) {
      const amount = amounts[place] ?? 0;
      if (amount > 0) await contribute(person, meeting, amount);
    }
    const settlement = await amina.post(`${meeting}/settle`);
    const { treasury, available } = await amina.get(`${group.path}/balances`);
    const isLast = index === SAVED.length - 1;
    say(
      isLast
        ? `Round ${String(index + 1)}, the last; paid out: ${payoutsOf(group, settlement)}`
        : `Round ${String(index + 1)}: ${money(settlement.collected_amount)} collected; the treasury holds ${money(treasury)}, of which ${money(available)} may be spent`,
    );
  }
  const after = await readBalances(people);
  insist(after.join() === before.join(), `${before.join()} became ${after.join()}`);
  say(`All members have their savings back: ${after.join(', ')} XAF, as before`);
  return group;
}
