import type { Deployment } from './cluster.ts';
import { HttpClient } from './http.ts';
import type { Json } from './http.ts';

/** A member of a group under test, with all that he needs to act. */
export interface TestMember {
  user: string;
  http: HttpClient;
  member_id: string;
  wallet_id: string;
}

export interface TestGroup {
  id: string;
  path: string;
  members: TestMember[];
}

export interface GroupOptions {
  size: number;
  /** Put into each wallet, in the currency's major unit. */
  funding?: number;
  association?: Json;
  /** Roles of the first members, the founder's first. */
  roles?: ('president' | 'treasurer' | 'secretary' | 'member')[];
  pins?: boolean;
}

/** Where groups are founded: a cluster, or whatever answers as one. */
export type GroupHost = Pick<Deployment, 'origin' | 'token'>;

let groups = 0;

/** Founds a public association over HTTP with funded members, PINs and officers. */
export async function foundGroup(cluster: GroupHost, options: GroupOptions): Promise<TestGroup> {
  groups += 1;
  const run = `g${String(process.pid)}-${String(groups)}`;
  const people = Array.from({ length: options.size }, (_, index) => {
    const user = `${run}-${String(index)}`;
    return { user, http: new HttpClient(cluster.origin, cluster.token(user, { name: `Member ${String(index)}` })) };
  });
  const [founder] = people;
  if (founder === undefined) throw new Error('A group needs a founder');
  const association = await founder.http.created('/associations', {
    ...{ name: run, type: 'tontine', currency: 'XAF', contribution_amount: 1000, contribution_frequency: 'monthly' },
    ...{ is_public: true, ...options.association },
  });
  const id = association.id as string;
  const path = `/associations/${id}`;
  const members: TestMember[] = [];
  for (const [index, { user, http }] of people.entries()) {
    if (index > 0) await http.created(`${path}/join`, {});
    members.push({ user, http, ...(await identify(http, path, user)) });
  }
  const group = { id, path, members };
  if (options.pins !== false) await Promise.all(members.map((member) => member.http.setPin()));
  if (options.funding !== undefined) await fund(cluster, members, options.funding);
  for (const [index, role] of (options.roles ?? []).entries()) {
    if (index > 0 && role !== 'member') await appoint(group, index, role);
  }
  return group;
}

async function identify(
  http: HttpClient,
  path: string,
  user: string,
): Promise<{ member_id: string; wallet_id: string }> {
  const { data } = await http.ok(`${path}/members?limit=200`);
  const own = (data as Json[]).find((member) => member.user_id === user);
  return { member_id: own?.id as string, wallet_id: own?.payout_wallet_id as string };
}

async function fund(cluster: GroupHost, members: TestMember[], amount: number): Promise<void> {
  const bank = new HttpClient(cluster.origin, cluster.token('the-bank', { scope: 'wallets:fund' }));
  await Promise.all(
    members.map(({ wallet_id }) => bank.created(`/wallets/${wallet_id}/deposits`, { amount, reference: 'opening' })),
  );
}

/** The founder proposes; officers appointed before approve until it is done. */
async function appoint(group: TestGroup, index: number, role: string): Promise<void> {
  const [president, ...others] = group.members;
  const payload = { member_id: group.members[index]?.member_id, role };
  const body = { type: 'role_change', title: `Appoint ${role}`, payload };
  const { approval } = await president!.http.created(`${group.path}/governance/proposals`, body);
  let decided = approval as Json;
  for (const officer of others.slice(0, index - 1)) {
    if (decided.status !== 'pending') break;
    decided = await officer.http.okPost(`${group.path}/governance/approve`, {
      approval_id: decided.id,
      pin: await officer.http.sealedPin(),
    });
  }
  if (decided.status !== 'approved') throw new Error(`Appointing ${role} is ${String(decided.status)}`);
}
