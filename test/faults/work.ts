/** What the operations of people share: the people who act, and the objects that they select. */
import type { Json } from '../harness/http.ts';
import type { Wanted } from './client.ts';
import type { Task } from './plan.ts';
import { note, pick, type Effect, type Group, type GroupMember, type Person, type World } from './world.ts';

/** An association's first members are its officers, until they are replaced. */
export const OFFICERS = 3;

/** A task of a person in an association. */
export interface Work {
  world: World;
  person: Person;
  group: Group;
  task: Task;
}

/** Sends a write and records it. @returns the body of a success */
export async function write(
  work: Work,
  effect: Effect,
  method: string,
  path: string,
  wanted: Wanted = {},
  id?: string,
) {
  const { world, person, task } = work;
  const outcome = await person.client.request(method, path, { isKeyed: task.isKeyed, ...wanted });
  return note(world, person, effect, outcome, id);
}

export function post(work: Work, effect: Effect, where: string, body: Json, pin?: string) {
  const wanted = pin === undefined ? { body } : { body, pin };
  return write(work, effect, 'POST', work.group.path + where, wanted);
}

/** Selects the first open meeting in three of four cases, so that rounds end; otherwise any meeting. */
export function meetingOf({ group, task }: Work): string | undefined {
  const open = group.meetings.find((meeting) => !group.closed.has(meeting));
  return task.what % 4 === 0 || open === undefined ? pick(group.meetings, task.what) : open;
}

export function amountOf({ group, task }: Work): number {
  return Math.floor((group.contribution_amount * task.percent) / 100);
}

export function walletOf({ group, person }: Work): string {
  return person.wallets.get(group.currency) ?? 'none';
}

export function otherMember({ group, task }: Work): GroupMember | undefined {
  return pick(group.members, task.other);
}

/** Votes on an approval. */
export async function vote(work: Work, approval_id: string, decision: 'approve' | 'reject'): Promise<void> {
  const { group, person } = work;
  const path = `${group.path}/governance/${decision}`;
  const body = await write(work, 'vote', 'POST', path, { body: { approval_id }, pin: person.pin }, approval_id);
  if (body !== undefined && body.status !== 'pending') group.decided.add(approval_id);
}

/** Gets the other officers to decide on a request next, as few are decided by chance. Some requests are rejected. */
export function askForVotes(work: Work, approval_id: string): void {
  const decision = work.task.what % 4 === 1 ? 'reject' : 'approve';
  for (const { person } of work.group.members.slice(0, OFFICERS)) {
    if (person !== work.person) person.errands.push(() => vote({ ...work, person }, approval_id, decision));
  }
}
