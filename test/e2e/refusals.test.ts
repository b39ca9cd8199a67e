import { expect } from 'chai';
import { FORM_MAX_MEMBERS } from '../../lib/contracts/contribution.ts';
import { REFUNDS_MAX } from '../../services/contribution/settlement/settlement.rules.ts';
import { inDatabase, sharedCluster, type Deployment } from '../harness/cluster.ts';
import { bankOf, foundGroup, type GroupOptions, type TestGroup } from '../harness/group.ts';
import type { TestMember } from '../harness/test-member.ts';
import { HttpClient, type Json } from '../harness/http.ts';
import { FINE_RULES } from './conformance/world.ts';
import {
  cancelMeeting,
  contribute,
  distribute,
  done,
  openedMeeting,
  outcomeOf,
  propose,
  recordCash,
  settle,
  startCycle,
  startedRounds,
  vote,
} from '../harness/requests.ts';

const BOARD: GroupOptions['roles'] = ['president', 'treasurer', 'secretary'];
/** The largest amount of a request. An account can hold nine of them, but not ten. */
const LARGEST = 999_999_999_999_999;
const FIT = 9;

describe('the rules of operations', function () {
  this.timeout(120_000);
  let cluster: Deployment;
  let bank: HttpClient;
  let references = 0;

  before(async () => {
    cluster = await sharedCluster();
    bank = bankOf(cluster);
  });

  const found = (options: Partial<GroupOptions> = {}) => foundGroup(cluster, { size: 3, funding: 50_000, ...options });

  function fund(wallet: string, amount: number): Promise<Json> {
    references += 1;
    return bank.created(`/wallets/${wallet}/deposits`, { amount, reference: `r${String(references)}` });
  }

  /** Funds the wallet until another largest amount would exceed its limit. */
  async function fill({ wallet_id }: TestMember): Promise<void> {
    for (let count = 0; count < FIT; count += 1) await fund(wallet_id, LARGEST);
  }

  async function cancelled({ members: [president] }: TestGroup): Promise<string> {
    const meeting = await openedMeeting(president!);
    await done(cancelMeeting(president!, meeting));
    return meeting;
  }

  it('refuse to join an association twice, and to join a full association', async () => {
    const group = await found({ size: 2, association: { max_members: 2 } });
    const [president, member] = group.members as [TestMember, TestMember];
    const { code } = await president.http.created(`${group.path}/invitations`, { max_uses: 5 });
    const accept = (http: HttpClient) => http.post(`/invitations/${code as string}/accept`);
    expect(await outcomeOf(accept(member.http))).to.equal('already_member');
    expect(await outcomeOf(member.http.post(`${group.path}/join`))).to.equal('already_member');
    const late = new HttpClient(cluster.origin, cluster.token('late'));
    expect(await outcomeOf(accept(late))).to.equal('association_full');
    expect(await outcomeOf(late.post(`${group.path}/join`))).to.equal('association_full');
  });

  it('refuse a payout wallet in another currency, a change of hands or leaving in a cycle, and leaving as president', async () => {
    const group = await found();
    const [president, member] = group.members as [TestMember, TestMember];
    const { id } = await member.http.created('/wallets', { currency: 'EUR' });
    const change = async (body: Json) => outcomeOf(member.http.send('PATCH', `${group.path}/members/me`, body));
    expect(await change({ payout_wallet_id: id, pin: await member.http.sealedPin() })).to.equal(
      'wallet_currency_mismatch',
    );
    await startedRounds(group.members[0]!);
    expect(await change({ hands: 2 })).to.equal('cycle_in_progress');
    const leave = ({ http }: TestMember) => outcomeOf(http.send('DELETE', `${group.path}/members/me`));
    expect(await leave(member)).to.equal('member_has_obligations');
    expect(await leave(president)).to.equal('president_cannot_leave');
    expect(await outcomeOf(propose(president, 'expulsion', { member_id: member.member_id }))).to.equal(
      'member_has_obligations',
    );
  });

  it('refuse to move wallet money with a reused reference, above the balance or above the account limit', async () => {
    const [rich] = (await found({ size: 1 })).members as [TestMember];
    const move = (what: string, amount: number, reference: string) =>
      outcomeOf(bank.post(`/wallets/${rich.wallet_id}/${what}`, { amount, reference }));
    expect(await move('deposits', 1, 'opening')).to.equal('reference_reused');
    expect(await move('withdrawals', 5, 'out')).to.equal('done');
    expect(await move('withdrawals', 6, 'out')).to.equal('reference_reused');
    expect(await move('withdrawals', 60_000, 'more')).to.equal('insufficient_funds');
    await fill(rich);
    expect(await move('deposits', LARGEST, 'last')).to.equal('balance_limit_exceeded');
  });

  it('refuse to start a cycle in a fund, with one hand, with indivisible hands, above the pool limit, and twice', async () => {
    const start = async (options: Partial<GroupOptions>) => {
      const { members } = await found({ funding: 1, pins: false, ...options });
      return outcomeOf(startCycle(members[0]!));
    };
    expect(await start({ size: 2, association: { type: 'solidarity' } })).to.equal('cycle_not_supported');
    expect(await start({ size: 1 })).to.equal('not_enough_members');
    const twoByTwo = { rules: { beneficiaries_per_meeting: 2 } };
    expect(await start({ size: 3, association: twoByTwo })).to.equal('hands_not_divisible');
    const immense = { contribution_amount: LARGEST, hands: 20 };
    expect(await start({ size: 1, association: immense })).to.equal('balance_limit_exceeded');
    const group = await found({ pins: false });
    await startedRounds(group.members[0]!);
    expect(await outcomeOf(startCycle(group.members[0]!))).to.equal('cycle_in_progress');
  });

  it('refuse contributions to a cancelled meeting, above the due, above the balance and above the pool limit', async () => {
    const group = await found({ association: { contribution_amount: 60_000 } });
    const [first, second, third] = group.members as [TestMember, TestMember, TestMember];
    const [round] = await startedRounds(group.members[0]!);
    expect(await outcomeOf(contribute(second, await cancelled(group), 1))).to.equal('meeting_not_open');
    expect(await outcomeOf(contribute(second, round!, 60_001))).to.equal('contribution_exceeds_due');
    expect(await outcomeOf(contribute(second, round!, 60_000))).to.equal('insufficient_funds');
    const euro = await second.http.created('/wallets', { currency: 'EUR' });
    const foreign = { ...second, wallet_id: euro.id as string };
    expect(await outcomeOf(contribute(foreign, round!, 1))).to.equal('wallet_currency_mismatch');

    const kitty = await openedMeeting(first);
    await fill(second);
    for (let count = 0; count < FIT; count += 1) await done(contribute(second, kitty, LARGEST));
    await fund(third.wallet_id, LARGEST);
    expect(await outcomeOf(contribute(third, kitty, LARGEST))).to.equal('balance_limit_exceeded');
  });

  it('refuse to pay a fine above the limit of the treasury', async () => {
    const immense = { code: 'immense', trigger: 'manual', amount: LARGEST };
    const group = await found({ size: 3, association: { rules: { fines: [immense] } } });
    const [president, second, third] = group.members as [TestMember, TestMember, TestMember];
    const fined = async (by: TestMember) => {
      const body = { member_id: second.member_id, code: 'immense', reason: 'A test' };
      const { id } = await president.http.created(`${group.path}/fines`, body);
      const pay = { wallet_id: by.wallet_id, amount: LARGEST, pin: await by.http.sealedPin() };
      return outcomeOf(by.http.post(`${group.path}/fines/${id as string}/pay`, pay));
    };
    await fill(second);
    for (let count = 0; count < FIT; count += 1) expect(await fined(second)).to.equal('done');
    await fund(third.wallet_id, LARGEST);
    expect(await fined(third)).to.equal('balance_limit_exceeded');
  });

  it('refuse to change a cancelled meeting, and to cancel it, a round, or a meeting with pending cash', async () => {
    const group = await found({ roles: BOARD });
    const [president, treasurer, secretary] = group.members as [TestMember, TestMember, TestMember];
    const cancel = (meeting: string) => outcomeOf(cancelMeeting(president, meeting));
    const over = await cancelled(group);
    expect(await outcomeOf(president.http.send('PATCH', `${group.path}/meetings/${over}`, { title: 'T' }))).to.equal(
      'meeting_not_open',
    );
    expect(await cancel(over)).to.equal('meeting_not_open');
    const kitty = await openedMeeting(president);
    expect(await outcomeOf(recordCash(secretary, treasurer, 100, kitty))).to.equal('done');
    expect(await cancel(kitty)).to.equal('contributions_in_flight');
    expect(await cancel((await startedRounds(president))[0]!)).to.equal('meeting_in_cycle');
  });

  it('refuse to cancel a meeting if a refund would exceed the limit of a wallet', async () => {
    const group = await found({ size: 2, association: { contribution_amount: LARGEST } });
    const [president, member] = group.members as [TestMember, TestMember];
    const kitty = await openedMeeting(president);
    await fill(president);
    await done(contribute(president, kitty, LARGEST));
    // The payout of a round fills the wallet again.
    const [round] = await startedRounds(group.members[0]!);
    await fund(member.wallet_id, LARGEST);
    for (const each of group.members) await done(contribute(each, round!, LARGEST));
    await done(settle(president, round!));
    expect(await outcomeOf(cancelMeeting(president, kitty))).to.equal('balance_limit_exceeded');
    expect((await president.http.ok(`${group.path}/meetings/${kitty}`)).status).to.equal('open');
  });

  it('refuse to cancel a meeting with more refunds than one transfer can have', async () => {
    const [president] = (await found({ size: 2 })).members as [TestMember];
    const kitty = await openedMeeting(president);
    await done(contribute(president, kitty, 100));
    await inDatabase(cluster, 'contribution', async (client) => {
      // As if paid from many other wallets.
      await client.query(
        `INSERT INTO contributions
         SELECT (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(), 'wallet_id', n))).*
         FROM contributions c, generate_series(1, $2::integer) n WHERE c.meeting_id = $1`,
        [kitty, REFUNDS_MAX],
      );
    });
    expect(await outcomeOf(cancelMeeting(president, kitty))).to.equal('too_many_refunds');
    await inDatabase(cluster, 'contribution', async (client) => {
      await client.query('DELETE FROM contributions WHERE meeting_id = $1 AND length(wallet_id) < 6', [kitty]);
    });
    expect(await outcomeOf(cancelMeeting(president, kitty))).to.equal('done');
  });

  it('refuse to settle out of order, underfunded, changed, with pending cash, twice, too early, or above a limit', async () => {
    const group = await found({ roles: BOARD, association: { contribution_amount: LARGEST } });
    const [president, treasurer, secretary] = group.members as [TestMember, TestMember, TestMember];
    const [first, second] = await startedRounds(group.members[0]!);
    const settled = (meeting: string, body?: Json) => outcomeOf(settle(treasurer, meeting, body));
    expect(await settled(second!)).to.equal('earlier_round_open');
    expect(await settled(first!)).to.equal('meeting_underfunded');
    expect(await settled(first!, { preview_hash: '0'.repeat(64) })).to.equal('settlement_changed');
    const { approval_id } = await done(recordCash(secretary, treasurer, 100, first));
    expect(await settled(first!)).to.equal('contributions_in_flight');
    await done(vote(president, approval_id, 'reject'));

    await fill(president);
    await Promise.all([treasurer, secretary].map(({ wallet_id }) => fund(wallet_id, LARGEST)));
    for (const member of group.members) await done(contribute(member, first!, LARGEST));
    expect(await settled(first!)).to.equal('balance_limit_exceeded');
    for (const reference of ['out 1', 'out 2']) {
      await bank.created(`/wallets/${president.wallet_id}/withdrawals`, { amount: LARGEST, reference });
    }
    expect(await settled(first!)).to.equal('done');
    expect(await settled(first!)).to.equal('meeting_not_open');
    const preview = treasurer.http.get(`${group.path}/meetings/${first!}/settlement/preview`);
    expect(await outcomeOf(preview)).to.equal('meeting_not_open');
    const later = await found({ roles: BOARD });
    const future = { starts_on: `${String(new Date().getUTCFullYear() + 1)}-01-01`, order: 'join' };
    const [early] = await startedRounds(later.members[0]!, future);
    expect(await outcomeOf(settle(later.members[0]!, early!))).to.equal('meeting_not_due');
  });

  it('refuse fines of oneself or twice for a meeting, payments above them or of paid ones, and late attendance', async () => {
    const group = await found({ association: { rules: FINE_RULES } });
    const [president, member] = group.members as [TestMember, TestMember];
    const { http } = president;
    const meeting_id = await openedMeeting(president);
    const assess = ({ member_id }: TestMember, more: Json = {}) => ({
      by: http,
      path: `${group.path}/fines`,
      body: { member_id, code: 'phone', reason: 'It rang', ...more },
    });
    expect(await outcomeOf(assess(president))).to.equal('own_request');
    const { id } = await done(assess(member, { meeting_id }));
    expect(await outcomeOf(assess(member, { meeting_id }))).to.equal('fine_exists');
    expect(await outcomeOf(assess(member, { code: 'unknown' }))).to.equal('validation_failed');
    const pay = (by: TestMember, amount: number, wallet_id = by.wallet_id) => ({
      by: by.http,
      path: `${group.path}/fines/${id as string}/pay`,
      body: { wallet_id, amount },
      pin: true,
    });
    expect(await outcomeOf(pay(member, 301))).to.equal('fine_exceeded');
    const { id: euros } = await member.http.created('/wallets', { currency: 'EUR' });
    expect(await outcomeOf(pay(member, 1, euros as string))).to.equal('wallet_currency_mismatch');
    const { id: expensive } = await done(assess(member, { amount: LARGEST }));
    const all = { ...pay(member, LARGEST), path: `${group.path}/fines/${expensive as string}/pay` };
    expect(await outcomeOf(all)).to.equal('insufficient_funds');
    await done(pay(member, 300));
    expect(await outcomeOf(pay(member, 1))).to.equal('fine_not_due');
    expect(await outcomeOf(propose(president, 'fine_waiver', { fine_id: id }))).to.equal('fine_not_due');

    await done(cancelMeeting(president, meeting_id));
    const attendance = {
      by: http,
      method: 'PUT' as const,
      path: `${group.path}/meetings/${meeting_id}/attendance`,
      body: { entries: [{ member_id: member.member_id, status: 'present' }] },
    };
    expect(await outcomeOf(attendance)).to.equal('attendance_closed');
  });

  it('refuse to print a sheet for more members than meet at a table', async () => {
    const { id, path, members } = await found({ size: 1, association: { max_members: FORM_MAX_MEMBERS + 1 } });
    const [president] = members as [TestMember];
    const sheet = `${path}/meetings/${await openedMeeting(president)}/sheet.pdf`;
    await inDatabase(cluster, 'membership', (client) =>
      client.query(
        `INSERT INTO members (id, association_id, user_id, role, status, hands, payout_wallet_id, joined_at, tenure)
         SELECT gen_random_uuid(), $1, 'many-' || n, 'member', 'active', 1, 'none', now(), 0
         FROM generate_series(1, $2::integer) AS n`,
        [id, FORM_MAX_MEMBERS],
      ),
    );
    expect((await president.http.get(sheet)).body.code).to.equal('form_too_long');
  });

  it('refuse cash and distributions without an eligible approver, above the due or funds, or after a cancellation', async () => {
    const group = await found({ size: 2 });
    const [president, member] = group.members as [TestMember, TestMember];
    expect(await outcomeOf(recordCash(president, member, 100))).to.equal('no_eligible_approver');
    expect(await outcomeOf(distribute(president, member, 100))).to.equal('no_eligible_approver');

    const board = await found({ roles: BOARD });
    const [first, second, third] = board.members as [TestMember, TestMember, TestMember];
    expect(await outcomeOf(distribute(first, third, 100))).to.equal('insufficient_funds');
    const meeting_id = await cancelled(board);
    expect(await outcomeOf(recordCash(first, second, 100, meeting_id))).to.equal('meeting_not_open');
    const [round] = await startedRounds(board.members[0]!);
    const tooMuch = recordCash(first, second, 1_001, round);
    expect(await outcomeOf(tooMuch)).to.equal('contribution_exceeds_due');
  });

  it('refuse votes by the requester or the beneficiary, with another payload hash, twice, or after the decision', async () => {
    const group = await found({ size: 4, roles: BOARD });
    const [president, treasurer, secretary, member] = group.members as [TestMember, TestMember, TestMember, TestMember];
    const cash = await done(recordCash(secretary, treasurer, 100));
    for (const how of ['approve', 'reject'] as const) {
      expect(await outcomeOf(vote(secretary, cash.approval_id, how))).to.equal('own_request');
      expect(await outcomeOf(vote(treasurer, cash.approval_id, how))).to.equal('beneficiary_cannot_approve');
    }
    const shown = { payload_hash: '0'.repeat(64) };
    expect(await outcomeOf(vote(president, cash.approval_id, 'approve', shown))).to.equal('approval_changed');
    // This change needs two votes.
    const change = await done(propose(secretary, 'rules_change', { max_members: 50 }));
    const two = (change.approval as Json).id;
    expect(await outcomeOf(vote(president, two, 'approve'))).to.equal('done');
    for (const how of ['approve', 'reject'] as const) {
      expect(await outcomeOf(vote(president, two, how))).to.equal('already_voted');
    }
    expect(await outcomeOf(vote(president, cash.approval_id, 'approve'))).to.equal('done');
    for (const how of ['approve', 'reject'] as const) {
      const late = await done(recordCash(secretary, member, 100));
      await done(vote(president, late.approval_id));
      expect(await outcomeOf(vote(treasurer, late.approval_id, how))).to.equal('approval_not_pending');
    }
    const cancel = ({ http }: TestMember, id: unknown) =>
      outcomeOf(http.post(`${group.path}/governance/approvals/${id as string}/cancel`));
    expect(await cancel(president, two)).to.equal('not_requester');
    expect(await cancel(secretary, cash.approval_id)).to.equal('approval_not_pending');
  });

  it('refuse proposals without an approver, to expel the president, for too few places, or to close a group in use', async () => {
    const group = await found({ roles: ['president', 'treasurer'] });
    const [president, treasurer] = group.members as [TestMember, TestMember];
    const about = (member: TestMember, more: Json = {}) => ({ member_id: member.member_id, ...more });
    const byPresident = (type: string, payload: Json) => outcomeOf(propose(president, type, payload));
    expect(await byPresident('role_change', about(treasurer, { role: 'member' }))).to.equal('no_eligible_approver');
    expect(await outcomeOf(propose(treasurer, 'expulsion', about(president)))).to.equal('president_cannot_leave');
    expect(await byPresident('rules_change', { max_members: 2 })).to.equal('association_full');
    await openedMeeting(president);
    expect(await byPresident('closure', {})).to.equal('association_not_empty');
  });
});
