/**
 * Lives through a year of twelve groups in a minute, with the test clock: `node examples/year.ts`. In each group twelve members
 * pay 10 000 a month, and one of them has the turn. Each month one member pays too late and is fined.
 */
import { Person, type Json } from './demo/person.ts';
import { idOf } from './demo/group.ts';
import { startServer } from './demo/server.ts';

const COUNT = 12;
const DUE = 10_000;
const FINE = 500;
const FUNDING = 2_000_000;
const START = '2030-01-15';

interface Group {
  path: string;
  president: Person;
  members: Map<Person, string>;
  rounds: string[];
}

/** `count` days after the round of this month, at noon. */
const dayOf = (month: number, count = 0) => new Date(Date.UTC(2030, month, 15 + count, 12)).toISOString();

const server = await startServer({ CLOCK: 'test', RATE_LIMIT: 'off' });
try {
  const bank = await Person.withToken(server, 'The bank', 'bank', '0000', 'wallets:fund clock:advance');
  const names = Array.from({ length: COUNT }, (_, index) => `member-${String(index)}`);
  const people = await Promise.all(names.map((name) => Person.withToken(server, name, name, '2468')));
  for (const person of people) {
    await person.setPin();
    person.wallet_id = idOf(await person.post('/wallets', { currency: 'XAF' }));
    await bank.post(`/wallets/${person.wallet_id}/deposits`, { amount: FUNDING, reference: 'opening' });
  }
  // One after another: if 132 people join at once, the first cycles wait until all have joined.
  const groups: Group[] = [];
  for (const president of people) groups.push(await found(president, people));
  for (let month = 0; month < COUNT; month += 1) {
    await bank.post('//clock', { advance_to: dayOf(month) });
    const late = people[month]!;
    await Promise.all(groups.map((group) => meet(group, month, late)));
    await bank.post('//clock', { advance_to: dayOf(month, 3) });
    await Promise.all(groups.map((group) => settleLate(group, month, late)));
  }
  const balances = await Promise.all(people.map((person) => person.balance()));
  for (const group of groups) await check(group);
  const fines = FUNDING - COUNT * FINE;
  if (balances.some((balance) => balance !== fines)) throw new Error(`The wallets have ${balances.join(', ')}`);
  console.log(
    `${String(COUNT)} groups, ${String(COUNT)} rounds each: every member has ${String(fines)}, all cycles are done.`,
  );
} finally {
  await server.stop();
}

/** Founds a group of all people, and starts its cycle. */
async function found(president: Person, everyone: Person[]): Promise<Group> {
  const fines = [{ code: 'late', trigger: 'late_payment', amount: FINE, grace_days: 2 }];
  const association = await president.post('/associations', {
    name: `The group of ${president.name}`,
    type: 'tontine',
    currency: 'XAF',
    contribution_amount: DUE,
    contribution_frequency: 'monthly',
    time_zone: 'Africa/Douala',
    is_public: true,
    rules: { fines },
  });
  const path = `/associations/${idOf(association)}`;
  const others = everyone.filter((person) => person !== president);
  const ids = await Promise.all(others.map(async (person) => idOf(await person.post(`${path}/join`))));
  const own = (association.membership as Json).member_id as string;
  const members = new Map([president, ...others].map((person, index) => [person, [own, ...ids][index]!]));
  await president.post(`${path}/cycles`, { starts_on: START, order: 'draw' });
  const rounds = (await president.get(`${path}/meetings?limit=200`)).data as Json[];
  return { path, president, members, rounds: rounds.map((round) => `${path}/meetings/${idOf(round)}`) };
}

function pay(person: Person, place: string, amount: number): Promise<Json> {
  return person.postWithPin(place, { wallet_id: person.wallet_id, amount });
}

/** All members but one pay on the day. */
async function meet({ members, rounds }: Group, month: number, late: Person): Promise<void> {
  for (const person of members.keys()) if (person !== late) await pay(person, `${rounds[month]!}/contribute`, DUE);
}

/** The late member pays the due and the fine, and the round settles. */
async function settleLate({ path, president, members, rounds }: Group, month: number, late: Person): Promise<void> {
  await pay(late, `${rounds[month]!}/contribute`, DUE);
  const { data } = await late.get(`${path}/fines?status=due&member_id=${members.get(late)!}`);
  for (const fine of data as Json[]) await pay(late, `${path}/fines/${idOf(fine)}/pay`, FINE);
  await president.post(`${rounds[month]!}/settle`);
}

async function check({ path, president }: Group): Promise<void> {
  const [cycle] = (await president.get(`${path}/cycles`)).data as Json[];
  const { treasury } = await president.get(`${path}/balances`);
  if (cycle?.status !== 'completed' || treasury !== COUNT * FINE) throw new Error(`${path} is not as it should be`);
}
