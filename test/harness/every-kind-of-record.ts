import { randomUUID } from 'node:crypto';
import type { Cluster } from './cluster.ts';
import { bankOf, foundGroup, type TestGroup } from './group.ts';
import {
  cancelMeeting,
  contribute,
  correct,
  described,
  distribute,
  done,
  openedMeeting,
  propose,
  putSheet,
  recordCash,
  settle,
  startedRounds,
  submitSheet,
  vote,
} from './requests.ts';
import type { TestMember } from './test-member.ts';

/** Names that JSON and canonical forms order differently. */
const METADATA = { receipt: '2026-117', 10: 'ten', 9: 'nine', é: '' };

/** Groups whose records are of every kind that the verifier compares. */
export interface Played {
  tontine: TestGroup;
  savings: TestGroup;
}

export const FINES = [
  { code: 'phone', trigger: 'manual', amount: 300 },
  { code: 'late', trigger: 'late_payment', amount: 100 },
];

/**
 * Plays a tontine with arrears, fines, cash, meeting sheets, distributions and proposals, and a savings cycle.
 * @param withMeetings false leaves out attendance, fines and sheets, which a repair does not store again
 */
export async function playEverything(host: Cluster, withMeetings = true): Promise<Played> {
  const [tontine, savings] = await Promise.all([playTontine(host, withMeetings), playSavings(host)]);
  return { tontine, savings };
}

async function playTontine(host: Cluster, withMeetings: boolean): Promise<TestGroup> {
  const group = await foundGroup(host, {
    size: 4,
    funding: 20_000,
    roles: ['president', 'treasurer', 'secretary'],
    association: { rules: { shortfall: 'pay_collected', fines: FINES } },
  });
  const [ama, bih, chi, dan] = group.members as [TestMember, TestMember, TestMember, TestMember];
  await bankOf(host).created(`/wallets/${ama.wallet_id}/withdrawals`, {
    amount: 500,
    reference: 'out',
    metadata: METADATA,
  });
  const rounds = await startedRounds(ama);
  // Dan does not pay the first round, and pays a part of his arrears later; the rest is set off in his own turn.
  for (const payer of [ama, bih, chi]) await done(contribute(payer, rounds[0]!, 1_000));
  await done(settle(ama, rounds[0]!));
  await done(described(contribute(dan, rounds[0]!, 400), METADATA));
  for (const round of rounds.slice(1)) {
    const cash = await done(recordCash(bih, chi, 1_000, round));
    await done(vote(ama, cash.approval_id));
    for (const payer of [ama, bih, dan]) await done(contribute(payer, round, 1_000));
    await done(settle(ama, round));
  }
  const kitty = await openedMeeting(ama);
  for (const payer of [ama, bih]) await done(described(contribute(payer, kitty, 3_000), METADATA));
  const rejected = await done(described(recordCash(bih, chi, 700, kitty), METADATA));
  await done(vote(ama, rejected.approval_id, 'reject'));
  await done(settle(ama, kitty));
  const cancelled = await openedMeeting(ama, 'Cancelled');
  await done(contribute(ama, cancelled, 250));
  await done(cancelMeeting(ama, cancelled));
  const deposit = await done(described(recordCash(bih, dan, 2_000), METADATA));
  await done(vote(ama, deposit.approval_id));
  const paid = await done(described(distribute(ama, dan, 1_500), METADATA));
  for (const voter of [bih, chi]) await done(vote(voter, paid.approval_id));
  const refused = await done(described(distribute(ama, dan, 100), METADATA));
  await done(vote(bih, refused.approval_id, 'reject'));
  await done(described(distribute(ama, chi, 300), METADATA));
  const motion = await done(propose(ama, 'rules_change', { max_members: 50 }));
  const { id } = motion.approval as { id: string };
  for (const voter of [bih, chi]) await done(vote(voter, id));
  const open = await openedMeeting(ama, 'Open');
  await done(contribute(chi, open, 300));
  await done(recordCash(bih, dan, 200, open));
  if (withMeetings) await playFinesAndSheets(group, open);
  await reverseEach(group, withMeetings);
  return group;
}

/** Pays a fine from a wallet and on sheets, of which one is confirmed and one rejected, waives another, and records who came. */
export async function playFinesAndSheets({ members }: TestGroup, meeting: string): Promise<void> {
  const [ama, bih, chi, dan] = members as [TestMember, TestMember, TestMember, TestMember];
  const { member_id } = dan;
  const { id: fine_id } = await ama.http.created(`${ama.path}/fines`, { member_id, code: 'phone', reason: 'It rang' });
  const pin = await dan.http.sealedPin();
  await dan.http.created(`${dan.path}/fines/${fine_id as string}/pay`, { wallet_id: dan.wallet_id, amount: 100, pin });
  const lines = ['contribution', 'treasury', 'fine'].map((kind) => {
    return { line_id: kind, kind, member_id, amount: 70, ...(kind === 'fine' ? { fine_id } : {}) };
  });
  for (const decision of ['approve', 'reject'] as const) {
    const body = { lines, counted_cash: 0, note: 'Not counted' };
    const sheet = await done(submitSheet(bih, await done(putSheet(bih, meeting, randomUUID(), body))));
    for (const voter of decision === 'approve' ? [ama] : [ama, chi]) {
      await done(vote(voter, sheet.approval_id, decision));
    }
  }
  const waived = await ama.http.created(`${ama.path}/fines`, { member_id, code: 'phone', reason: 'It rang again' });
  const waiver = (await done(propose(ama, 'fine_waiver', { fine_id: waived.id }))).approval as { id: string };
  await done(vote(bih, waiver.id));
  const entries = [{ member_id, status: 'late' }];
  await done({ by: ama.http, method: 'PUT', path: `${ama.path}/meetings/${meeting}/attendance`, body: { entries } });
}

/** Reverses a transfer of each kind that can be reversed. Another correction is not decided. */
async function reverseEach(group: TestGroup, withMeetings: boolean): Promise<void> {
  const { members } = group;
  const [ama, bih, chi, dan] = members as [TestMember, TestMember, TestMember, TestMember];
  const meeting_id = await openedMeeting(ama, 'Corrected');
  const paid = await done(contribute(chi, meeting_id, 50));
  const again = await done(contribute(chi, meeting_id, 60));
  const cash = await done(recordCash(bih, dan, 90));
  await done(vote(ama, cash.approval_id));
  const help = await done(distribute(ama, dan, 70));
  for (const voter of [bih, chi]) await done(vote(voter, help.approval_id));
  const { payouts } = await ama.http.ok(`${ama.path}/distributions/${help.id as string}`);
  const [{ transfer_id }] = payouts as [{ transfer_id: string }];
  const ofMeeting = withMeetings ? await payFineAndSheet(group, meeting_id) : [];
  for (const reversed of [paid.transfer_id, cash.id, transfer_id, ...ofMeeting]) {
    const { approval_id } = await done(correct(bih, reversed));
    for (const voter of [ama, chi]) await done(vote(voter, approval_id));
  }
  await done(correct(bih, again.transfer_id));
}

/** Returns the transfers of a part of a fine, which is then paid in full, and of a confirmed sheet. */
async function payFineAndSheet({ path, members }: TestGroup, meeting_id: string): Promise<unknown[]> {
  const [ama, bih, , dan] = members as [TestMember, TestMember, TestMember, TestMember];
  const fine = await ama.http.created(`${path}/fines`, { member_id: dan.member_id, code: 'phone', reason: 'It rang' });
  const payment = { wallet_id: dan.wallet_id, amount: 30 };
  const pay = { by: dan.http, path: `${path}/fines/${fine.id as string}/pay`, body: payment, pin: true };
  const part = await done(pay);
  await done(pay);
  const line = { line_id: '1', kind: 'contribution', member_id: dan.member_id, amount: 40 };
  const body = { lines: [line], counted_cash: 0, note: 'Not counted' };
  const sheet = await done(submitSheet(bih, await done(putSheet(bih, meeting_id, randomUUID(), body))));
  await done(vote(ama, sheet.approval_id));
  const posted = await ama.http.ok(`${path}/meetings/${meeting_id}/sheets/${sheet.id as string}`);
  return [part.transfer_id, posted.transfer_id];
}

async function playSavings(host: Cluster): Promise<TestGroup> {
  const group = await foundGroup(host, { size: 3, funding: 10_000, association: { type: 'savings' } });
  const [ama] = group.members as [TestMember, ...TestMember[]];
  const rounds = await startedRounds(ama, { rounds: 3 });
  for (const round of rounds.slice(0, 2)) {
    for (const payer of group.members) await done(contribute(payer, round, 1_000));
    await done(settle(ama, round));
  }
  return group;
}
