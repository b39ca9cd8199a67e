import { expect } from 'chai';
import { sharedCluster } from '../harness/cluster.ts';
import type { Deployment } from '../harness/cluster.ts';
import { foundGroup } from '../harness/group.ts';
import type { GroupOptions, TestGroup, TestMember } from '../harness/group.ts';
import { HttpClient } from '../harness/http.ts';
import type { HttpAnswer, Json } from '../harness/http.ts';
import { pay, scheduled } from './conformance/world.ts';

const TODAY = new Date().toISOString().slice(0, 10);
const BOARD: GroupOptions['roles'] = ['president', 'treasurer', 'secretary'];
/** The largest amount of one request; nine of them fit into an account, a tenth does not. */
const LARGEST = 999_999_999_999_999;
const FIT = 9;

/** The code of a refusal; the status of anything else. */
async function codeOf(answering: Promise<HttpAnswer>): Promise<unknown> {
  const { status, body } = await answering;
  return body.code ?? status;
}

describe('what an operation refuses by a rule of its own', function () {
  this.timeout(120_000);
  let cluster: Deployment;
  let bank: HttpClient;
  let references = 0;

  before(async () => {
    cluster = await sharedCluster();
    bank = new HttpClient(cluster.origin, cluster.token('the-bank', { scope: 'wallets:fund' }));
  });

  const found = (options: Partial<GroupOptions> = {}) => foundGroup(cluster, { size: 3, funding: 50_000, ...options });

  function fund(wallet: string, amount: number): Promise<Json> {
    references += 1;
    return bank.created(`/wallets/${wallet}/deposits`, { amount, reference: `r${String(references)}` });
  }

  /** So much that not one more amount of the largest size fits. */
  async function fill({ wallet_id }: TestMember): Promise<void> {
    for (let count = 0; count < FIT; count += 1) await fund(wallet_id, LARGEST);
  }

  async function rounds({ path, members }: TestGroup): Promise<string[]> {
    const { http } = members[0]!;
    const cycle = await http.created(`${path}/cycles`, { starts_on: TODAY, order: 'join' });
    const { data } = await http.ok(`${path}/meetings?cycle_id=${cycle.id as string}`);
    return (data as { id: string }[]).map(({ id }) => id);
  }

  async function cancelled(group: TestGroup): Promise<string> {
    const meeting = await scheduled(group.members[0]!, group.path, 'Cancelled');
    await group.members[0]!.http.okPost(`${group.path}/meetings/${meeting}/cancel`, {});
    return meeting;
  }

  function contribute({ path }: TestGroup, { http, wallet_id }: TestMember, meeting: string, amount: number) {
    return http
      .sealedPin()
      .then((pin) => http.post(`${path}/meetings/${meeting}/contribute`, { wallet_id, amount, pin }));
  }

  async function recordCash({ path }: TestGroup, by: TestMember, from: TestMember, more: Json = {}) {
    const body = { member_id: from.member_id, amount: 100, reason: 'Cash', pin: await by.http.sealedPin(), ...more };
    return by.http.post(`${path}/cash-contribution`, body);
  }

  async function vote({ path }: TestGroup, { http }: TestMember, how: 'approve' | 'reject', approval_id: unknown) {
    return http.post(`${path}/governance/${how}`, { approval_id, pin: await http.sealedPin() });
  }

  function propose({ path }: TestGroup, { http }: TestMember, type: string, payload: Json) {
    return http.post(`${path}/governance/proposals`, { type, title: 'A proposal', payload });
  }

  it('joining: twice, or where it is full', async () => {
    const group = await found({ size: 2, association: { max_members: 2 } });
    const [president, member] = group.members as [TestMember, TestMember];
    const { code } = await president.http.created(`${group.path}/invitations`, { max_uses: 5 });
    const accept = (http: HttpClient) => http.post(`/invitations/${code as string}/accept`);
    expect(await codeOf(accept(member.http))).to.equal('already_member');
    expect(await codeOf(member.http.post(`${group.path}/join`))).to.equal('already_member');
    const late = new HttpClient(cluster.origin, cluster.token('late'));
    expect(await codeOf(accept(late))).to.equal('association_full');
    expect(await codeOf(late.post(`${group.path}/join`))).to.equal('association_full');
  });

  it("one's own membership: a wallet in another currency, hands or leaving in a cycle, a president who leaves", async () => {
    const group = await found();
    const [president, member] = group.members as [TestMember, TestMember];
    const { id } = await member.http.created('/wallets', { currency: 'EUR' });
    const change = async (body: Json) => codeOf(member.http.send('PATCH', `${group.path}/members/me`, body));
    expect(await change({ payout_wallet_id: id, pin: await member.http.sealedPin() })).to.equal(
      'wallet_currency_mismatch',
    );
    await rounds(group);
    expect(await change({ hands: 2 })).to.equal('cycle_in_progress');
    const leave = ({ http }: TestMember) => codeOf(http.send('DELETE', `${group.path}/members/me`));
    expect(await leave(member)).to.equal('member_has_obligations');
    expect(await leave(president)).to.equal('president_cannot_leave');
    expect(await codeOf(propose(group, president, 'expulsion', { member_id: member.member_id }))).to.equal(
      'member_has_obligations',
    );
  });

  it('funding: a reference for another amount, more than there is, more than an account holds', async () => {
    const [rich] = (await found({ size: 1 })).members as [TestMember];
    const move = (what: string, amount: number, reference: string) =>
      codeOf(bank.post(`/wallets/${rich.wallet_id}/${what}`, { amount, reference }));
    expect(await move('deposits', 1, 'opening')).to.equal('reference_reused');
    expect(await move('withdrawals', 5, 'out')).to.equal(201);
    expect(await move('withdrawals', 6, 'out')).to.equal('reference_reused');
    expect(await move('withdrawals', 60_000, 'more')).to.equal('insufficient_funds');
    await fill(rich);
    expect(await move('deposits', LARGEST, 'last')).to.equal('balance_limit_exceeded');
  });

  it('starting a cycle: in a fund, alone, with hands that do not divide, beyond what a pool holds, twice', async () => {
    const start = async (options: Partial<GroupOptions>) => {
      const { path, members } = await found({ funding: 1, pins: false, ...options });
      return codeOf(members[0]!.http.post(`${path}/cycles`, { starts_on: TODAY, order: 'join' }));
    };
    expect(await start({ size: 2, association: { type: 'solidarity' } })).to.equal('cycle_not_supported');
    expect(await start({ size: 1 })).to.equal('not_enough_members');
    const twoByTwo = { rules: { beneficiaries_per_meeting: 2 } };
    expect(await start({ size: 3, association: twoByTwo })).to.equal('hands_not_divisible');
    const immense = { contribution_amount: LARGEST, hands: 20 };
    expect(await start({ size: 1, association: immense })).to.equal('balance_limit_exceeded');
    const group = await found({ pins: false });
    await rounds(group);
    const again = group.members[0]!.http.post(`${group.path}/cycles`, { starts_on: TODAY, order: 'join' });
    expect(await codeOf(again)).to.equal('cycle_in_progress');
  });

  it('contributing: too late, too much, from an empty wallet, beyond what a pool holds', async () => {
    const group = await found({ association: { contribution_amount: 60_000 } });
    const [first, second, third] = group.members as [TestMember, TestMember, TestMember];
    const [round] = await rounds(group);
    expect(await codeOf(contribute(group, second, await cancelled(group), 1))).to.equal('meeting_not_open');
    expect(await codeOf(contribute(group, second, round!, 60_001))).to.equal('contribution_exceeds_due');
    expect(await codeOf(contribute(group, second, round!, 60_000))).to.equal('insufficient_funds');
    const euro = await second.http.created('/wallets', { currency: 'EUR' });
    const foreign = { ...second, wallet_id: euro.id as string };
    expect(await codeOf(contribute(group, foreign, round!, 1))).to.equal('wallet_currency_mismatch');

    const kitty = await scheduled(first, group.path, 'Kitty');
    await fill(second);
    for (let count = 0; count < FIT; count += 1) await pay(second, group.path, kitty, LARGEST);
    await fund(third.wallet_id, LARGEST);
    expect(await codeOf(contribute(group, third, kitty, LARGEST))).to.equal('balance_limit_exceeded');
  });

  it('changing and cancelling meetings: rounds, what is over, what awaits cash', async () => {
    const group = await found({ roles: BOARD });
    const [president, treasurer, secretary] = group.members as [TestMember, TestMember, TestMember];
    const place = (meeting: string) => `${group.path}/meetings/${meeting}`;
    const cancel = (meeting: string) => codeOf(president.http.post(`${place(meeting)}/cancel`));
    const over = await cancelled(group);
    expect(await codeOf(president.http.send('PATCH', place(over), { title: 'T' }))).to.equal('meeting_not_open');
    expect(await cancel(over)).to.equal('meeting_not_open');
    const kitty = await scheduled(president, group.path, 'Kitty');
    expect(await codeOf(recordCash(group, secretary, treasurer, { meeting_id: kitty }))).to.equal(201);
    expect(await cancel(kitty)).to.equal('contributions_in_flight');
    expect(await cancel((await rounds(group))[0]!)).to.equal('meeting_in_cycle');
  });

  it('cancelling: more than a wallet can take back', async () => {
    const group = await found({ size: 2, association: { contribution_amount: LARGEST } });
    const [president, member] = group.members as [TestMember, TestMember];
    const kitty = await scheduled(president, group.path, 'Kitty');
    await fill(president);
    await pay(president, group.path, kitty, LARGEST);
    // A pot fills the gap.
    const [round] = await rounds(group);
    await fund(member.wallet_id, LARGEST);
    for (const each of group.members) await pay(each, group.path, round!, LARGEST);
    await president.http.okPost(`${group.path}/meetings/${round!}/settle`, {});
    expect(await codeOf(president.http.post(`${group.path}/meetings/${kitty}/cancel`))).to.equal(
      'balance_limit_exceeded',
    );
    expect((await president.http.ok(`${group.path}/meetings/${kitty}`)).status).to.equal('open');
  });

  it('settling: too early, underfunded, changed, in flight, over, beyond what a wallet holds', async () => {
    const group = await found({ roles: BOARD, association: { contribution_amount: LARGEST } });
    const [president, treasurer, secretary] = group.members as [TestMember, TestMember, TestMember];
    const [first, second] = await rounds(group);
    const settle = (meeting: string, body: Json = {}) =>
      codeOf(treasurer.http.post(`${group.path}/meetings/${meeting}/settle`, body));
    expect(await settle(second!)).to.equal('earlier_round_open');
    expect(await settle(first!)).to.equal('meeting_underfunded');
    expect(await settle(first!, { preview_hash: '0'.repeat(64) })).to.equal('settlement_changed');
    const cash = await recordCash(group, secretary, treasurer, { meeting_id: first });
    expect(await settle(first!)).to.equal('contributions_in_flight');
    await vote(group, president, 'reject', cash.body.approval_id);

    await fill(president);
    await Promise.all([treasurer, secretary].map(({ wallet_id }) => fund(wallet_id, LARGEST)));
    for (const member of group.members) await pay(member, group.path, first!, LARGEST);
    expect(await settle(first!)).to.equal('balance_limit_exceeded');
    for (const reference of ['out 1', 'out 2']) {
      await bank.created(`/wallets/${president.wallet_id}/withdrawals`, { amount: LARGEST, reference });
    }
    expect(await settle(first!)).to.equal(200);
    expect(await settle(first!)).to.equal('meeting_not_open');
    const preview = treasurer.http.get(`${group.path}/meetings/${first!}/settlement/preview`);
    expect(await codeOf(preview)).to.equal('meeting_not_open');
    const later = await found({ roles: BOARD });
    const future = { starts_on: `${String(new Date().getUTCFullYear() + 1)}-01-01`, order: 'join' };
    const cycle = await later.members[0]!.http.created(`${later.path}/cycles`, future);
    const { data } = await later.members[0]!.http.ok(`${later.path}/meetings?cycle_id=${cycle.id as string}`);
    const early = `${later.path}/meetings/${(data as { id: string }[])[0]!.id}/settle`;
    expect(await codeOf(later.members[0]!.http.post(early))).to.equal('meeting_not_due');
  });

  it('cash and distributions: nobody to decide, more than is due, too late, more than there is', async () => {
    const group = await found({ size: 2 });
    const [president, member] = group.members as [TestMember, TestMember];
    const distribute = (by: TestMember, { path }: TestGroup, to: TestMember) =>
      codeOf(
        by.http.post(`${path}/distributions`, { beneficiary_member_id: to.member_id, amount: 100, reason: 'Help' }),
      );
    expect(await codeOf(recordCash(group, president, member))).to.equal('no_eligible_approver');
    expect(await distribute(president, group, member)).to.equal('no_eligible_approver');

    const board = await found({ roles: BOARD });
    const [first, second, third] = board.members as [TestMember, TestMember, TestMember];
    expect(await distribute(first, board, third)).to.equal('insufficient_funds');
    const meeting_id = await cancelled(board);
    expect(await codeOf(recordCash(board, first, second, { meeting_id }))).to.equal('meeting_not_open');
    const [round] = await rounds(board);
    const tooMuch = recordCash(board, first, second, { meeting_id: round, amount: 1_001 });
    expect(await codeOf(tooMuch)).to.equal('contribution_exceeds_due');
  });

  it("votes: one's own, for oneself, twice, on what was shown otherwise, too late", async () => {
    const group = await found({ size: 4, roles: BOARD });
    const [president, treasurer, secretary, member] = group.members as [TestMember, TestMember, TestMember, TestMember];
    const { body: cash } = await recordCash(group, secretary, treasurer);
    for (const how of ['approve', 'reject'] as const) {
      expect(await codeOf(vote(group, secretary, how, cash.approval_id))).to.equal('own_request');
      expect(await codeOf(vote(group, treasurer, how, cash.approval_id))).to.equal('beneficiary_cannot_approve');
    }
    const changed = { approval_id: cash.approval_id, payload_hash: '0'.repeat(64) };
    const seen = president.http.post(`${group.path}/governance/approve`, {
      ...changed,
      pin: await president.http.sealedPin(),
    });
    expect(await codeOf(seen)).to.equal('approval_changed');
    const closure = await propose(group, secretary, 'rules_change', { max_members: 50 });
    const two = (closure.body.approval as Json).id;
    expect(await codeOf(vote(group, president, 'approve', two))).to.equal(200);
    for (const how of ['approve', 'reject'] as const) {
      expect(await codeOf(vote(group, president, how, two))).to.equal('already_voted');
    }
    expect(await codeOf(vote(group, president, 'approve', cash.approval_id))).to.equal(200);
    for (const how of ['approve', 'reject'] as const) {
      // Whoever has not voted on it, and may.
      const late = await recordCash(group, secretary, member);
      await vote(group, president, 'approve', late.body.approval_id);
      expect(await codeOf(vote(group, treasurer, how, late.body.approval_id))).to.equal('approval_not_pending');
    }
    const cancel = ({ http }: TestMember, id: unknown) =>
      codeOf(http.post(`${group.path}/governance/approvals/${id as string}/cancel`));
    expect(await cancel(president, two)).to.equal('not_requester');
    expect(await cancel(secretary, cash.approval_id)).to.equal('approval_not_pending');
  });

  it('proposals: nobody to decide, to expel the president, less room than members, to close what is not empty', async () => {
    const group = await found({ roles: ['president', 'treasurer'] });
    const [president, treasurer] = group.members as [TestMember, TestMember];
    const about = (member: TestMember, more: Json = {}) => ({ member_id: member.member_id, ...more });
    const byPresident = (type: string, payload: Json) => codeOf(propose(group, president, type, payload));
    expect(await byPresident('role_change', about(treasurer, { role: 'member' }))).to.equal('no_eligible_approver');
    expect(await codeOf(propose(group, treasurer, 'expulsion', about(president)))).to.equal('president_cannot_leave');
    expect(await byPresident('rules_change', { max_members: 2 })).to.equal('association_full');
    await scheduled(president, group.path, 'Open');
    expect(await byPresident('closure', {})).to.equal('association_not_empty');
  });
});
