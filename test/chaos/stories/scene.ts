import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Cluster } from '../../harness/cluster.ts';
import { eventually } from '../../harness/eventually.ts';
import { bankOf, foundGroup, type GroupOptions, type TestGroup } from '../../harness/group.ts';
import type { TestMember } from '../../harness/test-member.ts';
import type { HttpAnswer, HttpClient, Json } from '../../harness/http.ts';
import { endHolds, recoverable } from '../stored-plans.ts';
import { ask, sealed, type Asked } from '../../harness/requests.ts';

/** Maximum time until a repeated request has a final answer. */
const PATIENCE_MS = 15_000;
export const REPEAT_EVERY_MS = 50;

/** A group under test, and the cluster whose processes are killed. */
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
    // Calls are lost while the other processes have not noticed that a process was killed, so founding is retried.
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

  /** Returns the member's index in the group. */
  indexOf(member_id: unknown): number {
    return this.group.members.findIndex((member) => member.member_id === member_id);
  }

  /** Reads a path of the association, and retries while a process is starting. */
  read(path: string): Promise<Json> {
    return eventually(() => this.president.http.ok(this.path + path));
  }

  async list(path: string): Promise<Json[]> {
    return (await this.read(path)).data as Json[];
  }

  /** Returns the id of the cycle's n-th round, or of the newest meeting outside a cycle (n = 0). */
  async meeting(n = 0): Promise<string> {
    const meetings = await this.list('/meetings?limit=200');
    const found =
      n === 0 ? meetings.findLast(({ round }) => round === null) : meetings.find(({ round }) => round === n);
    if (found === undefined) throw new Error(`There is no meeting ${String(n)}`);
    return found.id as string;
  }

  /** Repeats a request with its key until it has succeeded. */
  async complete(asked: Asked): Promise<Json> {
    const answer = await repeated(this.cluster, await written(asked));
    if (answer.status >= 300) throw new Error(`${asked.path} gave ${String(answer.status)}: ${answer.text}`);
    return answer.body;
  }

  /** Returns all money of the group: in wallets, in the treasury and in pools. */
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

/** A request that is repeated with one key. */
export interface Written {
  key: string;
  asked: Asked;
  /** The request with sealed PINs, the same in each repeat. */
  wire: Asked;
}

export function written(asked: Asked): Promise<Written> {
  return sealedAgain({ key: randomUUID(), asked, wire: asked });
}

/** Returns the request with the PIN sealed again, as a client that has kept only the key would send it. */
export async function sealedAgain(request: Written): Promise<Written> {
  return { ...request, wire: await eventually(() => sealed(request.asked)) };
}

export function send({ wire, key }: Written): Promise<HttpAnswer> {
  return ask(wire, { 'Idempotency-Key': key });
}

/**
 * Repeats the request until its answer is final; a process may be starting in the meantime. One that was accepted (202) has the same
 * answer for ever, and its outcome when recovery has ended.
 */
export async function repeated(cluster: Cluster, request: Written): Promise<HttpAnswer> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(REPEAT_EVERY_MS)) {
    const answer = await send(request);
    const in_flight = answer.body.code === 'idempotency_in_flight';
    if ((answer.status < 500 && !in_flight) || Date.now() > end) {
      if (answer.status === 202) await untilRecovered(cluster);
      return answer;
    }
    if (in_flight) await endHolds(cluster);
  }
}

/** Waits until recovery has nothing left to do. */
export async function untilRecovered(cluster: Cluster): Promise<void> {
  await eventually(async () => expect(await recoverable(cluster)).to.deep.equal([]));
}
