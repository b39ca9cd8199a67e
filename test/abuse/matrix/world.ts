import jwt from 'jsonwebtoken';
import type { Deployment } from '../../harness/cluster.ts';
import { foundGroup, type GroupOptions, type TestGroup } from '../../harness/group.ts';
import { HttpClient } from '../../harness/http.ts';
import { done, leave, propose, vote } from '../../harness/requests.ts';
import type { TestMember } from '../../harness/test-member.ts';
import { FINE_RULES, makeObjects, type World as Objects } from '../../e2e/conformance/world.ts';
import { COLUMNS, WITHOUT_TOKEN } from './expected.ts';

/** A user who sends every request. */
export interface Caller {
  name: string;
  /** Their column of the table, or the reason for which their token is refused. */
  column: string;
  http: HttpClient;
  hasPin: boolean;
  /** A wallet of their own; any other one for users who have none. */
  wallet_id: string;
}

/** Two associations that have one of each object, and the users who try to reach them. */
export interface World {
  /** Private, with members of every kind. */
  own: Objects;
  /** Public, and full. */
  other: Objects;
  callers: Caller[];
  /** Seals the PIN of every user. */
  seal: () => Promise<string>;
}

const OTHER_ROLES: NonNullable<GroupOptions['roles']> = ['president', 'treasurer', 'secretary'];
const OWN_ROLES: NonNullable<GroupOptions['roles']> = [
  ...OTHER_ROLES,
  'member',
  'treasurer',
  'treasurer',
  'treasurer',
  'member',
];
/** In the order of OWN_ROLES; some of them lose their role, their membership or their PIN. */
const OWN_NAMES = ['president', 'treasurer', 'secretary', 'member', 'no_pin', 'demoted', 'expelled', 'left'];

/** Creates both associations through the API. */
export async function makeWorld(cluster: Deployment): Promise<World> {
  const [own, other] = await Promise.all([ownAssociation(cluster), otherAssociation(cluster)]);
  const { president } = own.objects;
  const client = (user: string, claims = {}) => new HttpClient(cluster.origin, cluster.token(user, claims));
  const wallet_id = president.wallet_id;
  const without = { hasPin: false, wallet_id };
  const forged = jwt.sign({}, 'another secret that is long enough', { subject: president.user, expiresIn: 60 });
  const tokens: Record<keyof typeof WITHOUT_TOKEN, HttpClient> = {
    anonymous: new HttpClient(cluster.origin, ''),
    forged: new HttpClient(cluster.origin, forged),
    expired: client(president.user, { exp: 1 }),
  };
  const lookalikes =
    'wallets wallets:funds WALLETS:FUND wallets:* pins:reset2 pins,reset webhooks webhooks:managed WEBHOOKS:MANAGE *';
  return {
    own: own.objects,
    other,
    callers: [
      ...Object.entries(tokens).map(([name, http]) => ({ name, column: name, http, ...without })),
      { name: 'outsider', column: 'stranger', http: client('matrix-outsider'), ...without },
      { name: 'narrow', column: 'stranger', http: client('matrix-narrow', { scope: lookalikes }), ...without },
      ...other.group.members.map((member, index) => {
        const name = `${OTHER_ROLES[index] ?? 'member'} of another`;
        return { name, column: 'stranger', http: member.http, hasPin: true, wallet_id: member.wallet_id };
      }),
      ...own.people.map(({ http, wallet_id }, index) => {
        const name = OWN_NAMES[index]!;
        return { name, column: name, http, hasPin: name !== 'no_pin', wallet_id };
      }),
      { name: 'bank', column: 'bank', http: client('matrix-bank', { scope: 'wallets:fund' }), ...without },
      { name: 'desk', column: 'desk', http: client('matrix-desk', { scope: 'pins:reset' }), ...without },
      { name: 'app', column: 'app', http: client('matrix-app', { scope: 'webhooks:manage' }), ...without },
    ],
    seal: await president.http.pinSealer(),
  };
}

/** Returns the columns that no caller has. */
export function missingColumns({ callers }: World): string[] {
  return COLUMNS.filter((column) => !callers.some((caller) => caller.column === column));
}

async function ownAssociation(cluster: Deployment): Promise<{ objects: Objects; people: TestMember[] }> {
  const group = await foundGroup(cluster, {
    size: OWN_NAMES.length,
    funding: 100_000,
    roles: OWN_ROLES,
    association: { is_public: false, rules: FINE_RULES },
  });
  const [president, treasurer, secretary, , noPin, demoted, expelled, left] = group.members as [
    ...[TestMember, TestMember, TestMember, TestMember],
    ...[TestMember, TestMember, TestMember, TestMember],
  ];
  await decide('role_change', { member_id: demoted.member_id, role: 'member' });
  await decide('expulsion', { member_id: expelled.member_id });
  await done(leave(left));
  const active: TestGroup = { ...group, members: group.members.slice(0, -2) };
  const objects = await makeObjects(cluster, active);
  const desk = new HttpClient(cluster.origin, cluster.token('the-desk', { scope: 'pins:reset' }));
  await done({ by: desk, method: 'DELETE', path: `/users/${noPin.user}/pin` });
  objects.ids.member_id = president.member_id;
  return { objects, people: group.members };

  /** Proposes the change as president, and lets the others approve it until it is decided. */
  async function decide(type: string, payload: Record<string, unknown>): Promise<void> {
    const { approval } = await done(propose(president, type, payload));
    let { id, status } = approval as { id: string; status: unknown };
    for (const officer of [treasurer, secretary]) {
      if (status === 'pending') ({ id, status } = (await done(vote(officer, id))) as { id: string; status: unknown });
    }
    if (status !== 'approved') throw new Error(`The ${type} is ${String(status)}`);
  }
}

async function otherAssociation(cluster: Deployment): Promise<Objects> {
  const group = await foundGroup(cluster, {
    size: 4,
    funding: 100_000,
    roles: OTHER_ROLES,
    association: { max_members: 4, rules: FINE_RULES },
  });
  const objects = await makeObjects(cluster, group);
  objects.ids.member_id = objects.president.member_id;
  // An invitation is for every user who has its code.
  delete objects.ids.code;
  return objects;
}
