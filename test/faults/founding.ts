import type { Json } from '../harness/http.ts';
import { eventually } from '../harness/eventually.ts';
import { createClient, type Send, type Wanted } from './client.ts';
import type { Plan, PlannedAssociation } from './plan.ts';
import { createRandom } from '../harness/random.ts';
import type { Mail } from './outside.ts';
import type { Site } from './site.ts';
import { note, type Effect, type Group, type Person, type World } from './world.ts';

const METHODS: Record<string, string> = { '/me/pin': 'PUT', '/me/notifications': 'PATCH' };
/** Longer than the services take to send a mail, also on a busy machine. */
const CODE_MAX_MS = 20_000;
const PIN = '2468';
/** Some contributions in each currency; later ones may be refused for lack of money. */
const FUNDING = 4_000;
/** A token outlives the run on clocks that are an hour ahead. */
const TOKEN_LIFE_S = 24 * 60 * 60;
const OFFICERS = ['president', 'treasurer', 'secretary'];

export interface FoundingOptions {
  plan: Plan;
  site: Pick<Site, 'origins' | 'token' | 'outside'>;
  /** Different in each run on a site. */
  run: string;
  record: (send: Send) => Send;
}

/** Makes the people of a plan and their associations, before any fault. */
export async function foundWorld({ plan, site, run, record }: FoundingOptions): Promise<World> {
  const exp = Math.floor(Date.now() / 1_000) + TOKEN_LIFE_S;
  const violations: string[] = [];
  const complain = (what: string) => void violations.push(what);
  const people = Array.from({ length: plan.people }, (_, index): Person => {
    const user = `${run}-${String(index)}`;
    const token = site.token(user, { exp, scope: 'wallets:fund', name: `Person ${String(index)}` });
    const random = createRandom(plan.seed * 31 + index);
    const client = createClient({ user, token, origins: site.origins, random, record, complain });
    return { client, pin: PIN, used: [], wallets: new Map(), errands: [], isLeaving: false };
  });
  const world: World = { people, groups: [], written: [], violations, answers: new Map() };
  const currencies = [...new Set(plan.associations.map(({ currency }) => currency))];
  await Promise.all(
    people.map(async (person) => {
      await equip(world, person, currencies);
      await giveAddress(world, person, site.outside.mails);
    }),
  );
  world.groups = await Promise.all(plan.associations.map((each) => found(world, each)));
  return world;
}

/** Sends a write that must succeed. */
async function done(
  world: World,
  person: Person,
  effect: Effect,
  path: string,
  wanted: Wanted,
  id?: string,
): Promise<Json> {
  const method = METHODS[path] ?? 'POST';
  const outcome = await person.client.request(method, path, wanted);
  const body = note(world, person, effect, outcome, id);
  if (body === undefined) throw new Error(`${path} gave ${String(outcome.status)}: ${outcome.text ?? ''}`);
  return body;
}

async function equip(world: World, person: Person, currencies: readonly string[]): Promise<void> {
  await done(world, person, 'other', '/me/pin', { pin: person.pin });
  for (const currency of currencies) {
    const wallet = await done(world, person, 'other', '/wallets', { body: { currency } });
    const id = wallet.id as string;
    person.wallets.set(currency, id);
    await done(world, person, 'funding', `/wallets/${id}/deposits`, {
      body: { amount: FUNDING, reference: 'opening' },
    });
  }
}

/** Sets and confirms an e-mail address of the person. */
async function giveAddress(world: World, person: Person, mails: readonly Mail[]): Promise<void> {
  const email = `${person.client.user}@example.com`;
  await done(world, person, 'other', '/me/notifications', { body: { email } });
  const code = await eventually(() => {
    const sent = mails.findLast(({ to, text }) => to === email && /^\d{6}$/m.test(text.replaceAll('\r', '')));
    const [found] = /^\d{6}$/m.exec(sent?.text.replaceAll('\r', '') ?? '') ?? [];
    if (found === undefined) throw new Error(`No code was sent to ${email}`);
    return found;
  }, CODE_MAX_MS);
  await done(world, person, 'other', '/me/notifications/confirm', { body: { channel: 'email', code } });
}

async function found(world: World, planned: PlannedAssociation): Promise<Group> {
  const { type, currency, contribution_amount, rules } = planned;
  const people = planned.people.map((index) => world.people[index]!);
  const [founder] = people as [Person, ...Person[]];
  const body = {
    name: 'Group',
    type,
    currency,
    contribution_amount,
    contribution_frequency: 'monthly',
    is_public: true,
    rules,
  };
  const { id } = await done(world, founder, 'association', '/associations', { body });
  const path = `/associations/${String(id)}`;
  const members: Group['members'] = [];
  for (const person of people) {
    if (person !== founder) await done(world, person, 'join', `${path}/join`, { body: {} });
    const { body: member } = await person.client.request('GET', `${path}/members/me`);
    members.push({ person, member_id: member?.id as string });
  }
  for (const [index, role] of OFFICERS.entries()) if (index > 0) await appoint(world, path, members, index, role);
  return {
    id: id as string,
    path,
    type,
    currency,
    contribution_amount,
    members,
    meetings: [],
    closed: new Set(),
    approvals: [],
    decided: new Set(),
    invitations: [],
  };
}

/** The founder proposes the role, and the officers appointed before approve it if the rules require that. */
async function appoint(
  world: World,
  path: string,
  members: Group['members'],
  index: number,
  role: string,
): Promise<void> {
  const [{ person: founder }, ...others] = members as [Group['members'][0], ...Group['members']];
  const payload = { member_id: members[index]!.member_id, role };
  const body = { type: 'role_change', title: `A ${role}`, payload };
  const { approval } = await done(world, founder, 'proposal', `${path}/governance/proposals`, { body });
  const { id, status } = approval as { id: string; status: string };
  if (status !== 'pending') return;
  const { person } = others[0]!;
  await done(world, person, 'vote', `${path}/governance/approve`, { body: { approval_id: id }, pin: person.pin }, id);
}
