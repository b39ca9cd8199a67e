/** The work of people: each operation is one request, or a read and a write. A refusal is as valid as a success. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '../harness/http.ts';
import { assessFine, correct, dueFines, payFine, recordAttendance, writeSheet } from './meeting-operations.ts';
import type { Task, TaskKind } from './plan.ts';
import {
  amountOf,
  askForVotes,
  meetingOf,
  OFFICERS,
  otherMember,
  post,
  vote,
  walletOf,
  write,
  type Work,
} from './work.ts';
import {
  askOther,
  doErrandsUntil,
  pick,
  runErrands,
  type Group,
  type GroupMember,
  type Person,
  type World,
} from './world.ts';

/** How often a person tries something in an association of others. */
const OUTSIDE_ONE_IN = 10;
/** Work that members without an office are refused. Officers do it where they hold one. */
const WORK_OF_OFFICERS: ReadonlySet<TaskKind> = new Set([
  'scheduleMeeting',
  'settle',
  'cancelMeeting',
  'startCycle',
  'recordCash',
  'recordAttendance',
  'assessFine',
  'writeSheet',
  'correct',
  'distribute',
  'vote',
  'propose',
  'invite',
]);
/** Small enough that a member can pay several times for a meeting. */
const PART_PERCENT = 10;
const FUNDED_MAX = 5_000;
const STATEMENT_TYPES = ['application/json', 'text/csv', 'application/pdf'];
const READS = [
  '',
  '/members',
  '/meetings',
  '/cycles',
  '/balances',
  '/ledger',
  '/ledger/head',
  '/ledger/export',
  '/cash-ledger',
  '/distributions',
  '/fines',
  '/corrections',
  '/governance/approvals',
  '/members/me',
];

function approvalOf({ group, task }: Work): string | undefined {
  const pending = group.approvals.filter((approval) => !group.decided.has(approval));
  return pick(task.what % 4 === 0 || pending.length === 0 ? group.approvals : pending, task.what);
}

async function contribution(work: Work, more: Json, pin?: string, meeting = meetingOf(work)) {
  if (meeting === undefined) return undefined;
  const body = { wallet_id: walletOf(work), amount: amountOf(work), ...more };
  return post(work, 'contribution', `/meetings/${meeting}/contribute`, body, pin);
}

/** Gets others to pay while the meeting is being settled: waits until the first of them begins, and a little longer. */
async function askOthersToPay(work: Work, meeting: string): Promise<void> {
  const { group, person, task } = work;
  const part = { ...task, percent: PART_PERCENT };
  let hasBegun = false;
  for (const { person: other } of group.members) {
    if (other === person) continue;
    other.errands.push(async () => {
      hasBegun = true;
      await contribution({ ...work, person: other, task: part }, {}, other.pin, meeting);
    });
  }
  await doErrandsUntil(person, () => hasBegun);
  await sleep(task.pause_ms);
}

async function scheduleMeeting(work: Work): Promise<string | undefined> {
  const { group, task } = work;
  const meeting = await post(work, 'meeting', '/meetings', { title: `Kitty ${String(task.what)}` });
  if (meeting === undefined) return undefined;
  group.meetings.push(meeting.id as string);
  return meeting.id as string;
}

async function fund(work: Work, what: 'deposits' | 'withdrawals'): Promise<void> {
  const { task, person } = work;
  const wallet_id = walletOf(work);
  const body = { amount: 1 + (task.other % FUNDED_MAX), reference: `${person.client.user} ${String(task.what)}` };
  await write(work, 'funding', 'POST', `/wallets/${wallet_id}/${what}`, { body });
}

async function decide(work: Work): Promise<void> {
  const approval_id = approvalOf(work);
  if (approval_id !== undefined) await vote(work, approval_id, work.task.percent === 200 ? 'reject' : 'approve');
}

async function proposalOf(work: Work): Promise<{ type: string; payload: Json }> {
  const { task } = work;
  const member_id = otherMember(work)?.member_id;
  const proposals: { type: string; payload: Json }[] = [
    { type: 'role_change', payload: { member_id, role: pick(['member', 'treasurer', 'secretary'], task.what) } },
    { type: 'rules_change', payload: { rules: { shortfall: task.flag ? 'pay_collected' : 'block' } } },
    { type: 'motion', payload: { text: 'A feast at the end of the year' } },
    { type: 'expulsion', payload: { member_id } },
    { type: 'closure', payload: {} },
  ];
  // Mostly changes of roles and rules.
  const place = pick([0, 0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 5, 5], task.other) ?? 0;
  const fine = place < proposals.length ? undefined : pick(await dueFines(work), task.what);
  if (fine !== undefined) return { type: 'fine_waiver', payload: { fine_id: fine.id } };
  return proposals[place] ?? proposals[0]!;
}

/** An officer votes, loses their role, and gets it again: their vote must not count in between. */
async function oustOfficer({ world, person, task }: Work): Promise<void> {
  const presides = ({ members }: Group) => members.length >= 3 && members[0]?.person === person;
  const group = pick(world.groups.filter(presides), task.group);
  if (group === undefined) return;
  const [, treasurer, secretary] = group.members as [GroupMember, GroupMember, GroupMember];
  const keyed = { world, person, group, task: { ...task, isKeyed: true } };
  const propose = async (type: string, payload: Json) => {
    const proposed = await post(keyed, 'proposal', '/governance/proposals', { type, title: 'As discussed', payload });
    return (proposed?.approval as Json | undefined)?.id;
  };
  const approve = (voter: GroupMember, approval_id: unknown) =>
    askOther(person, voter.person, () =>
      post({ ...keyed, person: voter.person }, 'vote', '/governance/approve', { approval_id }, voter.person.pin),
    );
  const { member_id } = treasurer;
  const motion = await propose('motion', { text: 'The vote of a treasurer' });
  if (motion === undefined) return;
  await approve(treasurer, motion);
  for (const role of ['member', 'treasurer']) {
    const change = await propose('role_change', { member_id, role });
    if (change !== undefined) await approve(secretary, change);
    if (role === 'member') await approve(secretary, motion);
  }
}

export const OPERATIONS: Record<TaskKind, (work: Work) => Promise<unknown>> = {
  contribute: (work) => {
    const payee = work.task.flag ? {} : { for_member_id: otherMember(work)?.member_id };
    return contribution(work, payee, work.person.pin);
  },

  deposit: (work) => fund(work, 'deposits'),
  withdraw: (work) => fund(work, 'withdrawals'),

  scheduleMeeting,

  changeMeeting: async (work) => {
    const meeting = meetingOf(work);
    const body = { title: `Changed ${String(work.task.other)}` };
    if (meeting !== undefined) {
      await write(work, 'other', 'PATCH', `${work.group.path}/meetings/${meeting}`, { body });
    }
  },

  settle: async (work) => {
    const { group, person, task } = work;
    // Most meetings of a cycle lack dues and are not settled; a new one without dues is.
    const isNew = !task.flag && task.what % 2 === 0;
    const meeting = isNew ? await scheduleMeeting(work) : meetingOf(work);
    if (meeting === undefined) return;
    const path = `${group.path}/meetings/${meeting}`;
    if (!task.flag) await askOthersToPay(work, meeting);
    const preview = task.flag ? await person.client.request('GET', `${path}/settlement/preview`) : undefined;
    const body = preview?.isDone === true ? { preview_hash: preview.body?.preview_hash } : {};
    const settled = await write(work, 'settlement', 'POST', `${path}/settle`, { body }, meeting);
    if (settled !== undefined) group.closed.add(meeting);
  },

  cancelMeeting: async (work) => {
    const meeting = meetingOf(work);
    if (meeting === undefined) return;
    const cancelled = await post(work, 'other', `/meetings/${meeting}/cancel`, {});
    if (cancelled !== undefined) work.group.closed.add(meeting);
  },

  startCycle: async (work) => {
    const { group, person, task } = work;
    const own = group.type === 'savings' ? { rounds: 3 } : { order: task.flag ? 'join' : 'draw' };
    const cycle = await post(work, 'cycle', '/cycles', { starts_on: '2026-01-31', ...own });
    if (cycle === undefined) return;
    const meetings = await person.client.request(
      'GET',
      `${group.path}/meetings?cycle_id=${String(cycle.id)}&limit=200`,
    );
    if (meetings.isDone === true) group.meetings.push(...(meetings.body?.data as Json[]).map(({ id }) => id as string));
  },

  recordCash: async (work) => {
    const { group, task, person } = work;
    const meeting_id = task.flag ? meetingOf(work) : undefined;
    const body = {
      member_id: otherMember(work)?.member_id,
      amount: amountOf(work),
      reason: `Cash ${String(task.what)}`,
    };
    const more = meeting_id === undefined ? {} : { meeting_id };
    const recorded = await post(work, 'cash', '/cash-contribution', { ...body, ...more }, person.pin);
    if (recorded !== undefined) group.approvals.push(recorded.approval_id as string);
  },

  recordAttendance,
  assessFine,
  payFine,
  writeSheet,
  correct,

  distribute: async (work) => {
    const beneficiary_member_id = otherMember(work)?.member_id;
    const body = {
      beneficiary_member_id,
      amount: Math.floor(amountOf(work) / 3),
      reason: `Help ${String(work.task.what)}`,
    };
    const requested = await post(work, 'distribution', '/distributions', body);
    if (requested !== undefined) work.group.approvals.push(requested.approval_id as string);
  },

  vote: decide,

  cancelApproval: async (work) => {
    const approval = approvalOf(work);
    if (approval !== undefined) await post(work, 'other', `/governance/approvals/${approval}/cancel`, {});
  },

  propose: async (work) => {
    const body = { ...(await proposalOf(work)), title: `Proposal ${String(work.task.what)}` };
    const proposed = await post(work, 'proposal', '/governance/proposals', body);
    if (proposed === undefined) return;
    const { id } = proposed.approval as { id: string };
    work.group.approvals.push(id);
    if (body.type === 'fine_waiver') askForVotes(work, id);
  },

  invite: async (work) => {
    const invitation = await post(work, 'invitation', '/invitations', { max_uses: 2 });
    if (invitation !== undefined) work.group.invitations.push(invitation.code as string);
  },

  join: async (work) => {
    const code = work.task.flag ? pick(work.group.invitations, work.task.what) : undefined;
    if (code === undefined) await post(work, 'join', '/join', {});
    else await write(work, 'join', 'POST', `/invitations/${code}/accept`);
  },

  /** Most of those who leave join again at once, as those without an association can do little. */
  leave: async (work) => {
    const left = await write(work, 'leave', 'DELETE', `${work.group.path}/members/me`);
    if (left !== undefined && work.task.what % 4 > 0) await post(work, 'join', '/join', {});
  },

  changeOwnMembership: (work) => {
    const { task, group, person } = work;
    const path = `${group.path}/members/me`;
    const body = task.flag ? { display_name: `Name ${String(task.what)}` } : { hands: 1 + (task.what % 2) };
    if (task.what % 3 > 0) return write(work, 'other', 'PATCH', path, { body });
    return write(work, 'other', 'PATCH', path, { body: { payout_wallet_id: walletOf(work) }, pin: person.pin });
  },

  /** The PIN stays the same, so that the client knows it whatever the outcome. */
  changePin: async (work) => {
    const { client, pin } = work.person;
    const current_pin = await client.seal(pin);
    await write(work, 'other', 'PUT', '/me/pin', { body: { current_pin }, pin });
  },

  wrongPin: async (work) => {
    const paid = await contribution(work, {}, '9753');
    if (paid !== undefined) work.world.violations.push(`a wrong PIN of ${work.person.client.user} was accepted`);
  },

  usedPin: async (work) => {
    const pin = pick(work.person.used, work.task.what);
    const paid = pin === undefined ? undefined : await contribution(work, { pin });
    if (paid !== undefined) work.world.violations.push(`a used ciphertext of ${work.person.client.user} was accepted`);
  },

  oustOfficer,

  foundAssociation: (work) => {
    const { type, currency, contribution_amount } = work.group;
    const body = {
      name: `Also ${String(work.task.what)}`,
      type,
      currency,
      contribution_amount,
      contribution_frequency: 'weekly',
    };
    return write(work, 'association', 'POST', '/associations', { body });
  },

  read: (work) => {
    const { person, group, task } = work;
    const own = ['/wallets/my', `/wallets/${walletOf(work)}`, '/associations/my'];
    const all = [...own, ...READS.map((path) => group.path + path)];
    return person.client.request('GET', pick(all, task.what) ?? '/wallets/my');
  },

  statement: ({ person, group, task }) => {
    const headers = { Accept: pick(STATEMENT_TYPES, task.what) ?? '' };
    return person.client.request('GET', `${group.path}/statement`, { headers });
  },
};

/** Performs a task. */
export async function perform(world: World, person: Person, task: Task): Promise<void> {
  await runErrands(person);
  const group = pick(groupsFor(world, person, task), task.group);
  if (group !== undefined) await OPERATIONS[task.kind]({ world, person, group, task });
}

/** Mostly their own associations. */
function groupsFor({ groups }: World, person: Person, task: Task): Group[] {
  if (task.group % OUTSIDE_ONE_IN === 0) return groups;
  const own = groups.filter(({ members }) => members.some((member) => member.person === person));
  const isLed = ({ members }: Group) => members.findIndex((member) => member.person === person) < OFFICERS;
  const fitting = own.filter((group) => {
    if (task.kind === 'leave') return !isLed(group);
    return !WORK_OF_OFFICERS.has(task.kind) || isLed(group);
  });
  return fitting.length > 0 ? fitting : own;
}
