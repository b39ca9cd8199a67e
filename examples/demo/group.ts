import { randomBytes } from 'node:crypto';
import { money, say } from './narrator.ts';
import { Person, type Json } from './person.ts';
import type { Server } from './server.ts';

const NAMES = ['Amina', 'Bih', 'Chantal', 'Divine', 'Emeka'] as const;

/** The amount that the bank deposits in each wallet at the start. */
export const FUNDING = 50_000;

/** What each member owes a month. */
const DUE = 10_000;

/** The people of the demo; each has one wallet for all their associations. */
export type Five = [amina: Person, bih: Person, chantal: Person, divine: Person, emeka: Person];

/** An association and its members in join order. The first one is the president. */
export interface Group {
  name: string;
  path: string;
  people: Person[];
  memberIds: Map<Person, string>;
}

/** Returns the id of an answer. */
export function idOf(answer: unknown): string {
  return (answer as { id: string }).id;
}

/**
 * Creates five people with tokens from `npm run token`, and a bank that may fund wallets.
 * @param scope what else the bank may do
 */
export async function makePeople(server: Server, scope = ''): Promise<{ five: Five; bank: Person }> {
  // Each run uses other users, so that the demo can be repeated on a server that keeps its data.
  const run = randomBytes(3).toString('hex');
  const five = await Promise.all(
    NAMES.map((name, index) => Person.withToken(server, name, `${name.toLowerCase()}-${run}`, `${String(index)}2468`)),
  );
  const bank = await Person.withToken(server, 'The bank', `bank-${run}`, '0000', `wallets:fund ${scope}`);
  return { five: five as Five, bank };
}

/** Founds an association in which each member owes the same amount each month. The first person is its president. */
export async function foundGroup(people: Person[], name: string, more: Json): Promise<Group> {
  const [president] = people as [Person];
  say(`${president.name} founds "${name}": ${String(people.length)} members, ${money(DUE)} a month`);
  const association = await president.post('/associations', {
    name,
    currency: 'XAF',
    contribution_amount: DUE,
    contribution_frequency: 'monthly',
    max_members: people.length,
    ...more,
  });
  const path = `/associations/${idOf(association)}`;
  const invitation = await president.post(`${path}/invitations`, { max_uses: people.length - 1 });
  for (const person of people.slice(1)) await person.post(`/invitations/${String(invitation.code)}/accept`);
  const members = (await president.get(`${path}/members`)).data as Json[];
  return { name, path, people, memberIds: new Map(people.map((person, index) => [person, idOf(members[index])])) };
}

/** Sets each person's PIN and funds the wallet that was opened when they joined. */
export async function prepare(people: Person[], bank: Person): Promise<void> {
  for (const person of people) {
    await person.setPin();
    const [wallet] = (await person.get('/wallets/my')).data as Json[];
    person.wallet_id = idOf(wallet);
    const deposit = { amount: FUNDING, reference: `opening-${person.wallet_id}` };
    await bank.post(`/wallets/${person.wallet_id}/deposits`, deposit);
  }
  say(`All members set a PIN; the bank deposits ${money(FUNDING)} into each wallet`);
}

/** Makes the second member treasurer, and the third secretary. */
export async function appoint(group: Group): Promise<void> {
  const [president, treasurer, secretary] = group.people as [Person, Person, Person];
  const propose = (title: string, person: Person, role: string) =>
    president.post(`${group.path}/governance/proposals`, {
      type: 'role_change',
      title,
      payload: { member_id: group.memberIds.get(person), role },
    });
  const first = await propose('A treasurer', treasurer, 'treasurer');
  say(`${president.name}, the only officer, makes ${treasurer.name} treasurer: ${outcomeOf(first.approval)}`);
  const second = await propose('A secretary', secretary, 'secretary');
  const approval = await approve(group, treasurer, idOf(second.approval));
  say(`${treasurer.name} approves ${secretary.name} as secretary: ${outcomeOf(approval)}`);
}

/** Approves a request as this officer. */
export function approve(group: Group, officer: Person, approval_id: unknown): Promise<Json> {
  return officer.postWithPin(`${group.path}/governance/approve`, { approval_id });
}

/** Returns the decision and the outcome of its execution. */
export function outcomeOf(approval: unknown): string {
  const { status, execution } = approval as { status: string; execution: { status: string } };
  return `${status}, ${execution.status}`;
}

/** Starts a cycle whose first day is so long ago that all monthly rounds are due today. */
export async function startCycle(
  group: Group,
  rounds: number,
  more: Json,
): Promise<{ cycle: Json; meetings: string[] }> {
  const [president] = group.people as [Person];
  const started = new Date();
  started.setUTCMonth(started.getUTCMonth() - rounds, 1);
  const cycle = await president.post(`${group.path}/cycles`, {
    starts_on: started.toISOString().slice(0, 10),
    ...more,
  });
  const { data } = await president.get(`${group.path}/meetings?cycle_id=${idOf(cycle)}`);
  return { cycle, meetings: (data as Json[]).map((meeting) => `${group.path}/meetings/${idOf(meeting)}`) };
}

/** Pays for a meeting from the person's wallet. */
export function contribute(person: Person, meeting: string, amount: number): Promise<Json> {
  return person.postWithPin(`${meeting}/contribute`, { wallet_id: person.wallet_id, amount });
}

export interface Payout {
  member_id: string;
  method: string;
  amount: number;
}

/** Returns the payouts as text. */
export function payoutsOf(group: Group, settlement: Json): string {
  return (settlement.payouts as Payout[])
    .map(({ member_id, method, amount }) => `${nameOf(group, member_id)} ${money(amount)} by ${method}`)
    .join(', ');
}

/** Returns the name of a member. */
export function nameOf(group: Group, member_id: string): string {
  return group.people.find((person) => group.memberIds.get(person) === member_id)?.name ?? 'a former member';
}

/** Reads the wallet balance of each person. */
export function readBalances(people: Person[]): Promise<number[]> {
  return Promise.all(people.map((person) => person.balance()));
}

/**
 * Checks that something is as expected.
 * @throws Error with the message `otherwise` if it is not
 */
export function insist(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
