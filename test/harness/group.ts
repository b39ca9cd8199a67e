import type { Deployment } from './cluster.ts';
import { HttpClient, type Json } from './http.ts';
import { done, propose, vote } from './requests.ts';
import type { TestMember } from './test-member.ts';

export interface TestGroup {
  id: string;
  path: string;
  members: TestMember[];
}

export interface GroupOptions {
  size: number;
  /** Amount that is deposited into each wallet, in the currency's major unit. */
  funding?: number;
  association?: Json;
  /** Roles of the first members, beginning with the founder. */
  roles?: ('president' | 'treasurer' | 'secretary' | 'member')[];
  pins?: boolean;
}

/** The services where groups are founded. */
export type GroupHost = Pick<Deployment, 'origin' | 'token'>;

let groups = 0;

/** Founds an association over HTTP, public unless the options say otherwise, with funded members, PINs and officers. */
export async function foundGroup(host: GroupHost, options: GroupOptions): Promise<TestGroup> {
  groups += 1;
  const name = `g${String(process.pid)}-${String(groups)}`;
  const people = Array.from({ length: options.size }, (_, index) => {
    const user = `${name}-${String(index)}`;
    return { user, http: new HttpClient(host.origin, host.token(user, { name: `Member ${String(index)}` })) };
  });
  const [founder] = people;
  if (founder === undefined) throw new Error('A group needs a founder');
  const association = await founder.http.created('/associations', {
    name,
    type: 'tontine',
    currency: 'XAF',
    contribution_amount: 1000,
    contribution_frequency: 'monthly',
    is_public: true,
    ...options.association,
  });
  const id = association.id as string;
  const path = `/associations/${id}`;
  const entrance = association.is_public === true ? `${path}/join` : await invitation(founder.http, path, options.size);
  for (const { http } of people.slice(1)) await http.created(entrance, {});
  const members = await Promise.all(
    people.map(async ({ user, http }): Promise<TestMember> => {
      if (options.pins !== false) await http.setPin();
      // Only the member can read their payout wallet.
      const { data } = await http.ok(`${path}/members?limit=200`);
      const own = (data as Json[]).find((row) => row.user_id === user);
      return { user, http, path, member_id: own?.id as string, wallet_id: own?.payout_wallet_id as string };
    }),
  );
  if (options.funding !== undefined) await fund(host, members, options.funding);
  for (const [index, role] of (options.roles ?? []).entries()) {
    if (index > 0 && role !== 'member') await appoint(members, index, role);
  }
  return { id, path, members };
}

/** Creates a client that may deposit into wallets. */
export function bankOf(host: GroupHost): HttpClient {
  return new HttpClient(host.origin, host.token('the-bank', { scope: 'wallets:fund' }));
}

/** Invites people. @returns the path with which they accept */
async function invitation(founder: HttpClient, path: string, max_uses: number): Promise<string> {
  const { code } = await founder.created(`${path}/invitations`, { max_uses });
  return `/invitations/${code as string}/accept`;
}

async function fund(host: GroupHost, members: TestMember[], amount: number): Promise<void> {
  const bank = bankOf(host);
  await Promise.all(
    members.map(({ wallet_id }) => bank.created(`/wallets/${wallet_id}/deposits`, { amount, reference: 'opening' })),
  );
}

/** Proposes the role as founder; officers appointed earlier approve until the proposal is decided. */
async function appoint(members: TestMember[], index: number, role: string): Promise<void> {
  const [president, ...others] = members;
  const { approval } = await done(propose(president!, 'role_change', { member_id: members[index]?.member_id, role }));
  let decided = approval as Json;
  for (const officer of others.slice(0, index - 1)) {
    if (decided.status !== 'pending') break;
    decided = await done(vote(officer, decided.id));
  }
  if (decided.status !== 'approved') throw new Error(`Appointing ${role} is ${String(decided.status)}`);
}
