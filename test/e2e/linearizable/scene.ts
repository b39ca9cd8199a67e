import { createRecorder, type Recorder } from '../../faults/history/recorder.ts';
import { closingReads } from '../../faults/history/closing-reads.ts';
import { bankOf, foundGroup, type GroupHost, type TestGroup } from '../../harness/group.ts';
import type { HttpAnswer, HttpClient } from '../../harness/http.ts';
import { openedMeeting, startedRounds } from '../../harness/requests.ts';
import type { TestMember } from '../../harness/test-member.ts';

/** A recorded client of a member or of the bank. */
export interface Actor {
  /** Sends a request, and records it. @throws LostAnswer if the answer is to be lost */
  send(method: string, path: string, body?: object, options?: SendOptions): Promise<HttpAnswer>;
}

export interface SendOptions {
  key?: string;
  /** Whether the client never sees the answer. */
  isLost?: boolean;
}

/** The answer to a request got lost on the way to the client. */
export class LostAnswer extends Error {}

/** One association that several people use at the same time. */
export interface Scene {
  recorder: Recorder;
  group: TestGroup;
  people: (Actor & { member: TestMember; seal: () => Promise<string> })[];
  bank: Actor;
  rounds: string[];
  /** Meetings outside the cycle; the last one is open unless it has just ended. */
  kitties: string[];
  approvals: string[];
}

const SIZE = 4;
const CONTRIBUTION = 600;
/** Less than a member owes for all rounds, so that wallets run empty. */
const FUNDING = 900;

/** Founds the association, and reads everything with which its history begins. */
export async function setScene(host: GroupHost): Promise<Scene> {
  const group = await foundGroup(host, {
    size: SIZE,
    funding: FUNDING,
    roles: ['president', 'treasurer', 'secretary'],
    association: { contribution_amount: CONTRIBUTION, rules: { approvals: { distribution: 2, motion: 2 } } },
  });
  const [president] = group.members;
  const rounds = await startedRounds(president!, { order: 'join', starts_on: '2026-01-31' });
  const kitties = [await openedMeeting(president!)];
  const recorder = createRecorder();
  const actorOf = (user: string, http: HttpClient): Actor => ({ send: recordedSend(recorder, user, http) });
  const people = await Promise.all(
    group.members.map(async (member) => {
      return { ...actorOf(member.user, member.http), member, seal: await member.http.pinSealer() };
    }),
  );
  const scene = { recorder, group, people, bank: actorOf('bank', bankOf(host)), rounds, kitties, approvals: [] };
  const { path } = group;
  const dues = [...rounds, ...kitties].map((meeting) => `${path}/meetings/${meeting}/dues`);
  const paths = [`${path}/members`, `${path}/ledger/head`, `${path}/meetings`, ...dues];
  await Promise.all([
    ...paths.map((each) => people[0]!.send('GET', each)),
    ...people.map((person) => person.send('GET', `/wallets/${person.member.wallet_id}`)),
  ]);
  return scene;
}

function recordedSend(recorder: Recorder, user: string, http: HttpClient): Actor['send'] {
  interface Sent {
    user: string;
    method: string;
    path: string;
    body: object | undefined;
    headers: Record<string, string>;
    isLost: boolean;
  }
  const send = recorder.wrap(async ({ method, path, body, headers, isLost }: Sent) => {
    const answer = await http.send(method, path, body, headers);
    if (isLost) throw new LostAnswer();
    return answer;
  });
  return (method, path, body, { key, isLost = false } = {}) =>
    send({ user, method, path, body, headers: key === undefined ? {} : { 'Idempotency-Key': key }, isLost });
}

/** Reads everything with which the history ends. */
export async function closeScene({ recorder, people }: Scene): Promise<void> {
  for (const { user, path } of closingReads(recorder.history())) {
    const reader = people.find(({ member }) => member.user === user);
    await reader?.send('GET', path);
  }
}
