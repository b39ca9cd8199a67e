import { expect } from 'chai';
import type { Deployment } from '../../harness/cluster.ts';
import { foundGroup, type TestGroup } from '../../harness/group.ts';
import { HttpClient } from '../../harness/http.ts';
import { makeWebhooks } from '../conformance/webhooks.ts';

/** The objects that a case may refer to. */
export interface World {
  cluster: Deployment;
  /** A tontine of five with a running cycle of future rounds: president, treasurer, secretary, two members. */
  group: TestGroup;
  president: HttpClient;
  treasurer: HttpClient;
  secretary: HttpClient;
  member: HttpClient;
  outsider: HttpClient;
  /** Has no PIN. */
  pinless: HttpClient;
  bank: HttpClient;
  /** May manage the endpoints of all associations. */
  manager: HttpClient;
  meeting: string;
  secondMeeting: string;
  cycle: string;
  /** Recorded by the secretary for the first plain member. */
  cashApproval: string;
  euroWallet: string;
  pinlessWallet: string;
  /** The endpoint of the group, and one of all associations. */
  webhook: string;
  globalWebhook: string;
}

export interface BadRequest {
  rule: string;
  as: keyof { [K in keyof World as World[K] extends HttpClient ? K : never]: true };
  send: string;
  /** An object that is sent as JSON, or raw text. */
  body?: unknown;
  headers?: Record<string, string>;
  status: number;
  code: string;
  /** Pointers that `errors` must name. */
  pointers?: string[];
}

/** A well-formed id that no object has. */
export const MISSING = '0192f0c0-0000-7000-8000-000000000000';

/** Creates cases that expect only a status and a code. */
export function refused(
  cases: [rule: string, as: BadRequest['as'], send: string, answer: `${number} ${string}`, body?: unknown][],
): BadRequest[] {
  return cases.map(([rule, as, send, answer, body]) => {
    const [status, code = ''] = answer.split(' ');
    return { rule, as, send, body, status: Number(status), code };
  });
}

/** Creates cases of an endpoint that expect validation_failed for each body. */
export function invalid(
  as: BadRequest['as'],
  send: string,
  cases: [rule: string, body: unknown, ...pointers: string[]][],
): BadRequest[] {
  return cases.map(([rule, body, ...pointers]) => {
    return {
      rule: `${send.split(' ')[1] ?? ''}: ${rule}`,
      as,
      send,
      body,
      status: 422,
      code: 'validation_failed',
      pointers,
    };
  });
}

/** Creates the objects that the cases refer to. */
export async function makeWorld(cluster: Deployment): Promise<World> {
  const group = await foundGroup(cluster, {
    size: 5,
    funding: 5000,
    roles: ['president', 'treasurer', 'secretary'],
    association: { max_members: 5 },
  });
  const [president, treasurer, secretary, member] = group.members.map(({ http }) => http);
  const { path } = group;
  const nextYear = `${String(new Date().getUTCFullYear() + 1)}-01-01`;
  const cycle = await president!.created(`${path}/cycles`, { starts_on: nextYear, order: 'join' });
  const { data } = await president!.ok(`${path}/meetings`);
  const [first, second] = data as { id: string }[];
  const cash = await secretary!.created(`${path}/cash-contribution`, {
    member_id: group.members[3]!.member_id,
    amount: 500,
    reason: 'Fines',
    pin: await secretary!.sealedPin(),
  });
  // The fifth member of the group has no PIN.
  const pinless = new HttpClient(cluster.origin, cluster.token(group.members[4]!.user));
  const bank = new HttpClient(cluster.origin, cluster.token('the-bank', { scope: 'wallets:fund pins:reset' }));
  const reset = await bank.send('DELETE', `/users/${group.members[4]!.user}/pin`);
  expect(reset.status).to.equal(204);
  const euro = await secretary!.created('/wallets', { currency: 'EUR' });
  const manager = new HttpClient(cluster.origin, cluster.token('a-manager', { scope: 'webhooks:manage' }));
  const ofEndpoints = await makeWebhooks(group.members[0]!, manager);
  const outsider = new HttpClient(cluster.origin, cluster.token('an-outsider'));
  return {
    cluster,
    group,
    pinless,
    bank,
    manager,
    outsider,
    president: president!,
    treasurer: treasurer!,
    secretary: secretary!,
    member: member!,
    meeting: first!.id,
    secondMeeting: second!.id,
    cycle: cycle.id as string,
    cashApproval: cash.approval_id as string,
    euroWallet: euro.id as string,
    pinlessWallet: group.members[4]!.wallet_id,
    webhook: ofEndpoints.webhook_id!,
    globalWebhook: ofEndpoints.global_webhook_id!,
  };
}
