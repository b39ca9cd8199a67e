import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../harness/cluster.ts';
import { eventually } from '../../harness/eventually.ts';
import { bankOf, foundGroup, type GroupOptions, type TestGroup } from '../../harness/group.ts';
import type { TestMember } from '../../harness/test-member.ts';
import type { HttpAnswer, HttpClient, Json } from '../../harness/http.ts';
import { endHolds } from '../stored-plans.ts';
import { ask, sealed, type Asked } from '../../harness/requests.ts';

/** How long a repeated request may take to be answered for good. */
const PATIENCE_MS = 15_000;
const REPEAT_EVERY_MS = 50;

/** A group under test, and the cluster in which its processes die. */
export class Scene {
  readonly cluster: Cluster;
  readonly group: TestGroup;
  readonly bank: HttpClient;

  private constructor(cluster: Cluster, group: TestGroup) {
    this.cluster = cluster;
    this.group = group;
    this.bank = bankOf(cluster);
  }

  static async open(cluster: Cluster, options: GroupOptions): Promise<Scene> {
    // A process that died before this may not be missed yet: a call to it is lost. And impatient processes give up soon.
    return new Scene(cluster, await eventually(() => foundGroup(cluster, options)));
  }

  get path(): string {
    return this.group.path;
  }

  member(index: number): TestMember {
    const member = this.group.members[index];
    if (member === undefined) throw new Error(`The group has no member ${String(index)}`);
    return member;
  }

  get president(): TestMember {
    return this.member(0);
  }

  /** The member's place in the group. */
  indexOf(member_id: unknown): number {
    return this.group.members.findIndex((member) => member.member_id === member_id);
  }

  /** Reads, below the association, although a process may be starting again just now. */
  read(path: string): Promise<Json> {
    return eventually(() => this.president.http.ok(this.path + path));
  }

  async list(path: string): Promise<Json[]> {
    return (await this.read(path)).data as Json[];
  }

  /** The id of the cycle's n-th round, or of the newest meeting outside a cycle (n = 0). */
  async meeting(n = 0): Promise<string> {
    const meetings = await this.list('/meetings?limit=200');
    const found =
      n === 0 ? meetings.findLast(({ round }) => round === null) : meetings.find(({ round }) => round === n);
    if (found === undefined) throw new Error(`There is no meeting ${String(n)}`);
    return found.id as string;
  }

  /** Does what is to happen undisturbed: asks with a key until it has succeeded. */
  async surely(asked: Asked): Promise<Json> {
    const answer = await repeated(this.cluster, await written(asked));
    if (answer.status >= 300) throw new Error(`${asked.path} gave ${String(answer.status)}: ${answer.text}`);
    return answer.body;
  }

  /** All that the group has, wherever it is. */
  async money() {
    const { members } = this.group;
    const wallets = await Promise.all(
      members.map(async ({ http, wallet_id }) => (await http.ok(`/wallets/${wallet_id}`)).balance as number),
    );
    const { treasury, reserved, available, cash, pools } = await this.president.http.ok(`${this.path}/balances`);
    const sum = (field: string) => (pools as Json[]).reduce((all, pool) => all + (pool[field] as number), 0);
    const held = { treasury, reserved, available, cash } as Record<
      'treasury' | 'reserved' | 'available' | 'cash',
      number
    >;
    return { wallets, ...held, pools: sum('amount'), pools_cash: sum('cash_amount') };
  }
}

/** A request that is sent again and again under one key. */
export interface Written {
  key: string;
  asked: Asked;
  /** As it goes over the wire, each time the same. */
  wire: Asked;
}

export function written(asked: Asked): Promise<Written> {
  return sealedAgain({ key: randomUUID(), asked, wire: asked });
}

/** The same request, the PIN sealed afresh: a client that has lost all but the key. */
export async function sealedAgain(request: Written): Promise<Written> {
  return { ...request, wire: await eventually(() => sealed(request.asked)) };
}

export function send({ wire, key }: Written): Promise<HttpAnswer> {
  return ask(wire, { 'Idempotency-Key': key });
}

/** Repeats until the answer is one that no repeat would change; a process may be starting again just now. */
export async function repeated(cluster: Cluster, request: Written): Promise<HttpAnswer> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(REPEAT_EVERY_MS)) {
    const answer = await send(request);
    const in_flight = answer.body.code === 'idempotency_in_flight';
    if ((answer.status < 500 && !in_flight) || Date.now() > end) return answer;
    if (in_flight) await endHolds(cluster);
  }
}
