import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../harness/http.ts';
import type { Client, Outcome } from './client.ts';
import type { PlannedAssociation } from './plan.ts';

/** A person of a run. */
export interface Person {
  client: Client;
  pin: string;
  /** Ciphertexts that have authorized an operation. */
  used: string[];
  /** By currency. */
  wallets: Map<string, string>;
  /** What others wait for: it is done before the next task. */
  errands: (() => Promise<void>)[];
  /** Whether the work is over, so that they begin nothing new. */
  isLeaving: boolean;
}

const ERRAND_POLL_MS = 20;

/** An association, and the objects in it that clients know of. */
export interface Group extends Pick<PlannedAssociation, 'type' | 'currency' | 'contribution_amount'> {
  id: string;
  path: string;
  members: GroupMember[];
  meetings: string[];
  /** Settled and cancelled meetings. */
  closed: Set<string>;
  approvals: string[];
  decided: Set<string>;
  /** Codes of invitations. */
  invitations: string[];
}

export interface GroupMember {
  person: Person;
  member_id: string;
}

/** What is created or decided by a write, for the comparison with the databases. */
export type Effect =
  | 'association'
  | 'contribution'
  | 'cash'
  | 'distribution'
  | 'attendance'
  | 'fine'
  | 'fine_payment'
  | 'sheet'
  | 'submission'
  | 'correction'
  | 'meeting'
  | 'cycle'
  | 'proposal'
  | 'vote'
  | 'funding'
  | 'invitation'
  | 'settlement'
  | 'join'
  | 'leave'
  | 'other';

/** A write and its outcome. */
export interface Written {
  effect: Effect;
  /** The id of the effect, if it was acknowledged. */
  id: string | undefined;
  person: Person;
  outcome: Outcome;
}

/** Everything that the people of a run have done. */
export interface World {
  people: Person[];
  groups: Group[];
  written: Written[];
  /** Rules that were broken, as the clients saw it. */
  violations: string[];
  /** Status and code -> number of such answers. */
  answers: Map<string, number>;
}

/** Selects an element by any integer. */
export function pick<T>(from: readonly T[], index: number): T | undefined {
  return from.length === 0 ? undefined : from[index % from.length];
}

/** Records a write. @returns the body of a success */
export function note(world: World, person: Person, effect: Effect, outcome: Outcome, id?: string): Json | undefined {
  const { status = 0, body = {}, isDone, request } = outcome;
  const answer = `${effect} ${String(status)}${status >= 400 ? ` ${String(body.code)}` : ''}`;
  world.answers.set(answer, (world.answers.get(answer) ?? 0) + 1);
  const own = id ?? (typeof body.id === 'string' ? body.id : undefined);
  world.written.push({ effect, id: isDone === true ? own : undefined, person, outcome });
  if (isDone !== true) return undefined;
  if (typeof request.body?.pin === 'string') person.used.push(request.body.pin);
  return body;
}

/** Does what others wait for. */
export async function runErrands(person: Person): Promise<void> {
  for (let errand = person.errands.shift(); errand !== undefined; errand = person.errands.shift()) await errand();
}

/** Waits until `other` has done something, and does meanwhile what others wait for. */
export async function askOther(person: Person, other: Person, what: () => Promise<unknown>): Promise<void> {
  let isDone = false;
  other.errands.push(async () => {
    await what();
    isDone = true;
  });
  await doErrandsUntil(person, () => isDone);
}

/** Does what others wait for, until something has happened or the work is over. */
export async function doErrandsUntil(person: Person, hasHappened: () => boolean): Promise<void> {
  while (!hasHappened() && !person.isLeaving) {
    await runErrands(person);
    await sleep(ERRAND_POLL_MS);
  }
}
