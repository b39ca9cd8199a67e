/** Operations of the board: meetings outside cycles, the treasury, cash and votes. */
import { randomUUID } from 'node:crypto';
import { foundGroup, type TestGroup } from '../../harness/group.ts';
import type { TestMember } from '../../harness/test-member.ts';
import type { Json } from '../../harness/http.ts';
import { FINE_RULES } from '../conformance/world.ts';
import { pay } from './cycles.ts';
import type { Meter } from './meter.ts';

type Officers = [president: TestMember, treasurer: TestMember, secretary: TestMember, ...TestMember[]];
const ROLES = ['president', 'treasurer', 'secretary'] as const;

/** Measures a group that has as many pools, cash deposits, distributions and approvals as members. */
export async function measureTreasury(meter: Meter): Promise<void> {
  const association = { rules: FINE_RULES };
  const group = await foundGroup(meter.services, {
    size: meter.size,
    funding: 100_000,
    roles: [...ROLES],
    association,
  });
  await measureMeetings(meter, group);
  const cash = await measureCash(meter, group);
  const ids = await measureDistributions(meter, group);
  const fined = await measureFines(meter, group);
  const correction_id = await measureCorrections(meter, group);
  const sheet = await measureSheets(meter, group, fined);
  await measureReads(meter, group, { ...cash, ...ids, ...fined, ...sheet, correction_id });
}

async function measureMeetings(meter: Meter, { path, members }: TestGroup): Promise<void> {
  const [president] = members as Officers;
  const { http } = president;
  const scheduled = async () => `${path}/meetings/${(await http.created(`${path}/meetings`, {})).id as string}`;
  const settled = await scheduled();
  const cancelled = await scheduled();
  await Promise.all(
    members.map(async (member) => {
      await pay(member, settled);
      await pay(member, cancelled, 100);
      await pay(president, await scheduled(), 100);
    }),
  );
  await meter.post('scheduleMeeting', http, `${path}/meetings`);
  await meter.post('settle, outside a cycle', http, `${settled}/settle`);
  await meter.post('cancelMeeting', http, `${cancelled}/cancel`);
  await meter.get('listMeetings, outside a cycle', http, `${path}/meetings`);
  await meter.get('listDues, outside a cycle', http, `${settled}/dues`);
}

/** @returns the id of cash that was recorded, by the name of its path parameter */
async function measureCash(meter: Meter, { path, members }: TestGroup): Promise<Record<string, string>> {
  const [president, treasurer, secretary] = members as Officers;
  const cash = async ({ member_id }: TestMember, more: Json = {}) => {
    return { member_id, amount: 100, reason: 'Cash', pin: await secretary.http.sealedPin(), ...more };
  };
  const place = `${path}/cash-contribution`;
  await Promise.all(
    members.map(async (member) => {
      const { approval_id } = await secretary.http.created(place, await cash(member));
      // Members cannot vote on requests about themselves.
      const { http } = member === president ? treasurer : president;
      await http.okPost(`${path}/governance/approve`, { approval_id, pin: await http.sealedPin() });
    }),
  );
  const record = async (name: string, more: Json = {}) =>
    meter.post(name, secretary.http, place, await cash(treasurer, more));
  const { id: meeting_id } = await president.http.created(`${path}/meetings`, {});
  const plain = await record('recordCashContribution');
  const meeting = await record('recordCashContribution, for a meeting', { meeting_id });
  const unwanted = await secretary.http.created(place, await cash(treasurer));
  const { http } = president;
  const vote = async (name: string, to: 'approve' | 'reject', { approval_id }: Json) =>
    meter.post(name, http, `${path}/governance/${to}`, { approval_id, pin: await http.sealedPin() });
  await vote('approve, cash', 'approve', plain);
  await vote('approve, cash for a meeting', 'approve', meeting);
  await vote('reject, cash', 'reject', unwanted);
  return { cash_contribution_id: plain.id as string };
}

/** @returns the ids of the created objects, by the names of path parameters */
async function measureDistributions(meter: Meter, { path, members }: TestGroup): Promise<Record<string, string>> {
  const [president, treasurer, secretary] = members as Officers;
  const place = `${path}/distributions`;
  const help = ({ member_id: beneficiary_member_id }: TestMember) => ({
    beneficiary_member_id,
    amount: 50,
    reason: 'Help',
  });
  await Promise.all(members.map((member) => secretary.http.created(place, help(member))));
  const { http } = president;
  const asked = await meter.post('requestDistribution', secretary.http, place, help(members.at(-1)!));
  const { data } = await http.ok(`${path}/governance/approvals?subject_type=distribution`);
  const [newest, older] = data as [Json, Json];
  const vote = async (name: string, by: TestMember) => {
    const body = { approval_id: newest.id, pin: await by.http.sealedPin() };
    return meter.post(name, by.http, `${path}/governance/approve`, body);
  };
  await vote('approve, not the last', president);
  await vote('approve, a distribution', treasurer);
  const cancelled = `${path}/governance/approvals/${older.id as string}`;
  await meter.post('cancelApproval', secretary.http, `${cancelled}/cancel`);
  return { distribution_id: asked.id as string, approval_id: newest.id as string };
}

/** Reverses a contribution of each member. @returns the id of the last correction */
async function measureCorrections(meter: Meter, { path, members }: TestGroup): Promise<string> {
  const [president, treasurer, secretary] = members as Officers;
  const { id: meeting_id } = await president.http.created(`${path}/meetings`, {});
  const request = async (transfer_id: unknown) => {
    return { transfer_id, reason: 'Twice', pin: await treasurer.http.sealedPin() };
  };
  const place = `${path}/corrections`;
  const paid = await Promise.all(members.map((member) => pay(member, `${path}/meetings/${meeting_id as string}`, 100)));
  const [last, ...others] = paid.map(({ transfer_id }) => transfer_id);
  // One after another: a read that waits for a connection is attributed to the request that has opened this connection.
  for (const id of others) await treasurer.http.created(place, await request(id));
  const { id, approval_id } = await meter.post('requestCorrection', treasurer.http, place, await request(last));
  const vote = async ({ http }: TestMember) => ({ approval_id, pin: await http.sealedPin() });
  await president.http.okPost(`${path}/governance/approve`, await vote(president));
  await meter.post('approve, a correction', secretary.http, `${path}/governance/approve`, await vote(secretary));
  return id as string;
}

/** @returns the ids of a fine and of a meeting with attendance */
async function measureFines(meter: Meter, { path, members }: TestGroup): Promise<Record<string, string>> {
  const [president, treasurer, secretary] = members as Officers;
  const { http, wallet_id } = president;
  const { id: meeting_id } = await http.created(`${path}/meetings`, {});
  const entries = members.map(({ member_id }) => ({ member_id, status: 'present' }));
  await meter.send('recordAttendance', http, 'PUT', `${path}/meetings/${meeting_id as string}/attendance`, { entries });
  const fine = ({ member_id }: TestMember) => ({ member_id, code: 'phone', reason: 'It rang' });
  for (const member of members.slice(1)) await http.created(`${path}/fines`, fine(member));
  const waived = await meter.post('assessFine', http, `${path}/fines`, fine(treasurer));
  const { id: fine_id } = await http.created(`${path}/fines`, fine(treasurer));
  const payment = { wallet_id, amount: 100, pin: await http.sealedPin() };
  await meter.post('payFine', http, `${path}/fines/${fine_id as string}/pay`, payment);
  const waiver = { type: 'fine_waiver', title: 'They were ill', payload: { fine_id: waived.id } };
  const { approval } = await meter.post('propose, fine_waiver', http, `${path}/governance/proposals`, waiver);
  const vote = { approval_id: (approval as Json).id, pin: await secretary.http.sealedPin() };
  await meter.post('approve, fine_waiver', secretary.http, `${path}/governance/approve`, vote);
  return { fine_id: fine_id as string, meeting_id: meeting_id as string };
}

/** Measures sheets with a line for each member. @returns the id of one */
async function measureSheets(
  meter: Meter,
  { path, members }: TestGroup,
  { meeting_id, fine_id }: Record<string, string>,
): Promise<Record<string, string>> {
  const [president, treasurer, secretary] = members as Officers;
  const { http } = secretary;
  const place = `${path}/meetings/${meeting_id!}/sheets`;
  const body = {
    lines: [
      ...members.map(({ member_id }, index) => ({
        line_id: String(index),
        kind: 'contribution',
        member_id,
        amount: 5,
      })),
      { line_id: 'fine', kind: 'fine', member_id: treasurer.member_id, amount: 5, fine_id },
    ],
    attendance: members.map(({ member_id }) => ({ member_id, status: 'present' })),
    counted_cash: 0,
    note: 'Not counted',
  };
  const drafts = Array.from({ length: meter.size }, async () => {
    const answer = await http.send('PUT', `${place}/${randomUUID()}`, body);
    return answer.body;
  });
  const [approved, rejected] = (await Promise.all(drafts)) as [Json, Json];
  const { id } = await meter.send('putSheet', http, 'PUT', `${place}/${randomUUID()}`, body);
  await meter.send('putSheet, the same again', http, 'PUT', `${place}/${id as string}`, body);
  const submit = async (sheet: Json) => ({ sheet_hash: sheet.sheet_hash, pin: await http.sealedPin() });
  const vote = async ({ approval_id }: Json) => ({ approval_id, pin: await president.http.sealedPin() });
  const first = await meter.post(
    'submitSheet',
    http,
    `${place}/${approved.id as string}/submit`,
    await submit(approved),
  );
  const voting = `${path}/governance`;
  await meter.post('approve, a sheet', president.http, `${voting}/approve`, await vote(first));
  const other = await http.okPost(`${place}/${rejected.id as string}/submit`, await submit(rejected));
  await president.http.okPost(`${voting}/reject`, await vote(other));
  const again = { approval_id: other.approval_id, pin: await treasurer.http.sealedPin() };
  await meter.post('reject, a sheet', treasurer.http, `${voting}/reject`, again);
  return { sheet_id: id as string };
}

/** Measures every read of an association that no other function measures. */
async function measureReads(
  meter: Meter,
  { id, path, members }: TestGroup,
  ids: Record<string, string>,
): Promise<void> {
  const [president, treasurer] = members as Officers;
  await meter.reads(president.http, { association_id: id, ...ids });
  const period = `from=2020-01-01&member_id=${president.member_id}`;
  await meter.get('statement, of another', treasurer.http, `${path}/statement?${period}`);
  await meter.get('balances, of an instant', president.http, `${path}/balances?at=2020-01-01T00:00:00Z`);
  for (const [filter, query] of [
    ['by kind and time', 'kind=cash_deposit&from=2020-01-01'],
    ['of an account', 'account=cash_funding'],
    ['of a member', `member_id=${president.member_id}`],
  ] as const) {
    await meter.get(`ledger, ${filter}`, president.http, `${path}/ledger?${query}`);
  }
}

/** Measures proposals of each type and the votes that decide them; the last proposal closes the association. */
export async function measureProposals(meter: Meter): Promise<void> {
  const { path, members } = await foundGroup(meter.services, { size: meter.size + 1, roles: [...ROLES] });
  const [president, treasurer, secretary, fourth] = members as Officers;
  const propose = async (type: string, payload: Json) => {
    const body = { type, title: 'A change', payload };
    const { approval } = await meter.post(`propose, ${type}`, president.http, `${path}/governance/proposals`, body);
    return approval as Json;
  };
  /** @param earlierVoter approves before the measured vote */
  const decide = async (type: string, payload: Json, earlierVoter?: TestMember) => {
    const { id: approval_id } = await propose(type, payload);
    const vote = async ({ http }: TestMember) => ({ approval_id, pin: await http.sealedPin() });
    if (earlierVoter !== undefined) {
      await earlierVoter.http.okPost(`${path}/governance/approve`, await vote(earlierVoter));
    }
    await meter.post(`approve, ${type}`, secretary.http, `${path}/governance/approve`, await vote(secretary));
  };
  await decide('motion', { text: 'We meet at the school.' });
  await decide('rules_change', { contribution_amount: 2_000 }, treasurer);
  await decide('role_change', { member_id: fourth!.member_id, role: 'treasurer' });
  await decide('expulsion', { member_id: fourth!.member_id }, treasurer);
  await decide('closure', {}, treasurer);
}
