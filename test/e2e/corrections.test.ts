import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { startCluster, TOGETHER, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { bankOf, foundGroup, type GroupOptions } from '../harness/group.ts';
import type { Json } from '../harness/http.ts';
import {
  ask,
  cancelMeeting,
  contribute,
  correct,
  distribute,
  done,
  leave,
  openedMeeting,
  outcomeOf,
  propose,
  putSheet,
  recordCash,
  settle,
  startedRounds,
  submitSheet,
  vote,
  type Asked,
} from '../harness/requests.ts';
import type { TestMember } from '../harness/test-member.ts';
import { expectAgreement } from '../harness/verified-databases.ts';
import { expectValidLedger } from '../harness/verified-ledger.ts';

const FUNDING = 10_000;
const ROLES: NonNullable<GroupOptions['roles']> = ['president', 'treasurer', 'secretary'];
const FINES = [{ code: 'phone', trigger: 'manual', amount: 300 }];

/** The members of a group, by their roles. */
interface People {
  path: string;
  president: TestMember;
  treasurer: TestMember;
  secretary: TestMember;
  member: TestMember;
}

describe('corrections of transfers', function () {
  this.timeout(120_000);
  let cluster: Cluster;

  before(async () => {
    cluster = await startCluster({ processes: TOGETHER });
  });
  after(() => cluster.stop());

  async function group(association: Json = {}): Promise<People> {
    const rules = { fines: FINES, shortfall: 'pay_collected' };
    const options = { size: 4, funding: FUNDING, roles: ROLES, association: { rules, ...association } };
    const { path, members } = await foundGroup(cluster, options);
    const [president, treasurer, secretary, member] = members as [TestMember, TestMember, TestMember, TestMember];
    return { path, president, treasurer, secretary, member };
  }

  /** Votes for a request of the treasurer until it is decided. @returns its execution */
  async function approve({ president, secretary, path }: People, approval_id: unknown, ...voters: TestMember[]) {
    for (const voter of voters.length === 0 ? [president, secretary] : voters) await done(vote(voter, approval_id));
    return eventually(async () => {
      const { execution } = await president.http.ok(`${path}/governance/approvals/${approval_id as string}`);
      expect((execution as Json).status).to.be.oneOf(['done', 'failed']);
      return execution as Json;
    });
  }

  /** Requests a correction as treasurer and approves it. @returns the correction */
  async function corrected(people: People, transfer_id: unknown, ...voters: TestMember[]): Promise<Json> {
    const { id, approval_id } = await done(correct(people.treasurer, transfer_id));
    await approve(people, approval_id, ...voters);
    return people.treasurer.http.ok(`${people.path}/corrections/${id as string}`);
  }

  const balances = ({ path, president }: People) => president.http.ok(`${path}/balances`);
  const walletOf = async ({ http, wallet_id }: TestMember) => (await http.ok(`/wallets/${wallet_id}`)).balance;
  /** Everything that a correction must restore. */
  const stateOf = async (people: People, meeting_id?: string) => {
    const { path, president, treasurer, secretary, member } = people;
    const wallets = await Promise.all([president, treasurer, secretary, member].map(walletOf));
    const dues = meeting_id === undefined ? [] : (await president.http.ok(`${path}/meetings/${meeting_id}/dues`)).data;
    const fines = (await president.http.ok(`${path}/fines`)).data;
    return { wallets, dues, fines, balances: await balances(people) };
  };

  it('reverse a contribution: its due is open again, and the wallet has its money', async () => {
    const people = await group();
    const { path, president, member } = people;
    const [first] = (await startedRounds(president)) as [string];
    const before = await stateOf(people, first);
    const paid = await done(contribute(member, first, 1_000));
    const correction = await corrected(people, paid.transfer_id);
    expect(correction).to.deep.include({ status: 'done', error: null, transfer_id: paid.transfer_id });
    expect(await stateOf(people, first)).to.deep.equal(before);
    const shown = await member.http.ok(`${path}/meetings/${first}/contributions/${paid.id as string}`);
    expect(shown).to.deep.include({ status: 'reversed', transfer_id: paid.transfer_id, outstanding: 1_000 });

    const [reversal, original] = (await president.http.ok(`${path}/ledger`)).data as Json[];
    expect(reversal).to.deep.include({
      id: correction.reversal_transfer_id,
      kind: 'reversal',
      reference: paid.transfer_id,
    });
    const negated = (original!.legs as Json[]).map((leg) => ({ ...leg, amount_minor: -(leg.amount_minor as number) }));
    expect(reversal!.legs).to.deep.equal(negated);
    const { movements, closing_balance } = await member.http.ok(`${path}/statement`);
    expect((movements as Json[]).map(({ kind, amount }) => [kind, amount])).to.deep.equal([
      ['contribution', 1_000],
      ['reversal', -1_000],
    ]);
    expect((movements as Json[]).map(({ meeting }) => (meeting as Json).id)).to.deep.equal([first, first]);
    expect(closing_balance).to.equal(0);
    // The member pays again, and the round settles as if nothing had happened.
    expect((await done(contribute(member, first, 1_000))).status).to.equal('paid');
    expect(await outcomeOf(correct(people.treasurer, paid.transfer_id))).to.equal('already_reversed');
    expect(await outcomeOf(correct(people.treasurer, reversal!.id))).to.equal('not_reversible');
  });

  it('reverse cash for a meeting, and cash for the treasury', async () => {
    const people = await group();
    const { path, president, treasurer, secretary, member } = people;
    const meeting = await openedMeeting(president);
    for (const meeting_id of [meeting, undefined]) {
      const before = await stateOf(people, meeting);
      const deposit = await done(recordCash(treasurer, member, 700, meeting_id));
      await done(vote(president, deposit.approval_id));
      await eventually(async () => expect((await balances(people)).cash).to.equal(700));
      // The reversal is requested as soon as the cash has moved, which may be before the deposit is marked as confirmed.
      expect((await corrected(people, deposit.id)).status).to.equal('done');
      expect(await stateOf(people, meeting)).to.deep.equal(before);
      const [entry] = (await secretary.http.ok(`${path}/cash-ledger`)).data as Json[];
      expect(entry).to.deep.include({ kind: 'reversal', amount: -700, balance_after: 0, reference: deposit.id });
      expect(entry!.member_id).to.equal(member.member_id);
    }
    const [cash] = (await president.http.ok(`${path}/meetings/${meeting}/contributions`)).data as Json[];
    expect(cash).to.deep.include({ method: 'cash', status: 'reversed' });
  });

  it('reverse the payment of a fine, which is due again', async () => {
    const people = await group();
    const { path, president, member } = people;
    const body = { member_id: member.member_id, code: 'phone', reason: 'It rang' };
    const fine = await president.http.created(`${path}/fines`, body);
    const before = await stateOf(people);
    const payment = { wallet_id: member.wallet_id, amount: 300 };
    const pay: Asked = { by: member.http, path: `${path}/fines/${fine.id as string}/pay`, body: payment, pin: true };
    const paid = await done(pay);
    expect(paid.status).to.equal('paid');
    expect((await corrected(people, paid.transfer_id)).status).to.equal('done');
    expect(await stateOf(people)).to.deep.equal(before);
    expect((await done(pay)).status).to.equal('paid');
  });

  it('reverse a meeting sheet with all its lines', async () => {
    const people = await group();
    const { path, president, treasurer, secretary, member } = people;
    const [first] = (await startedRounds(president)) as [string];
    const body = { member_id: member.member_id, code: 'phone', reason: 'It rang' };
    const { id: fine_id } = await president.http.created(`${path}/fines`, body);
    const before = await stateOf(people, first);
    const { member_id } = member;
    const lines = [
      { line_id: '1', kind: 'contribution', member_id, amount: 600 },
      { line_id: '2', kind: 'contribution', member_id, amount: 400 },
      { line_id: '3', kind: 'contribution', member_id: secretary.member_id, amount: 500 },
      { line_id: '4', kind: 'fine', member_id, amount: 300, fine_id },
      { line_id: '5', kind: 'treasury', member_id, amount: 50 },
    ];
    const written = await done(putSheet(secretary, first, randomUUID(), { lines, counted_cash: 1_850 }));
    const submitted = await done(submitSheet(secretary, written));
    await approve(people, submitted.approval_id, president);
    const place = `${path}/meetings/${first}/sheets/${written.id as string}`;
    const { transfer_id } = await president.http.ok(place);
    expect((await balances(people)).cash).to.equal(1_850);
    // Its contributions have no transfers of their own.
    const [line] = (await president.http.ok(`${path}/meetings/${first}/contributions`)).data as Json[];
    expect(line!.transfer_id).to.equal(transfer_id);
    expect(await outcomeOf(correct(treasurer, line!.id))).to.equal('not_found');

    expect((await corrected(people, transfer_id)).status).to.equal('done');
    expect(await stateOf(people, first)).to.deep.equal(before);
    expect(await president.http.ok(place)).to.deep.include({ status: 'reversed', transfer_id });
    const { data } = await president.http.ok(`${path}/meetings/${first}/contributions`);
    expect(new Set((data as Json[]).map(({ status }) => status))).to.deep.equal(new Set(['reversed']));
    const { movements, closing_balance } = await member.http.ok(`${path}/statement`);
    expect((movements as Json[]).map(({ kind, amount }) => [kind, amount])).to.deep.equal([
      ['meeting_sheet', 1_350],
      ['reversal', -1_350],
    ]);
    expect(closing_balance).to.equal(0);
    // What was wrong is written on another sheet.
    const again = await done(putSheet(secretary, first, randomUUID(), { lines, counted_cash: 1_850 }));
    await approve(people, (await done(submitSheet(secretary, again))).approval_id, president);
    expect((await balances(people)).cash).to.equal(1_850);
  });

  it('reverse a distribution, so that the treasury has its money again; the beneficiary does not vote', async () => {
    const people = await group();
    const { path, president, treasurer, secretary, member } = people;
    const meeting = await openedMeeting(president);
    await done(contribute(member, meeting, 500));
    await done(settle(president, meeting));
    const cash = await done(recordCash(treasurer, member, 300));
    await approve(people, cash.approval_id, president);
    const before = await stateOf(people);
    const asked = await done(distribute(president, secretary, 700));
    await approve(people, asked.approval_id, treasurer);
    const place = `${path}/distributions/${asked.id as string}`;
    const { payouts } = await president.http.ok(place);
    const [{ transfer_id }] = payouts as [Json];

    const { approval_id } = await done(correct(treasurer, transfer_id));
    expect(await outcomeOf(vote(treasurer, approval_id))).to.equal('own_request');
    expect(await outcomeOf(vote(secretary, approval_id))).to.equal('beneficiary_cannot_approve');
    const approval = await president.http.ok(`${path}/governance/approvals/${approval_id as string}`);
    expect(approval.payload).to.deep.include({ transfer_id, kind: 'distribution_payment', amount: 700 });
    expect((await approve(people, approval_id, president)).status).to.equal('done');
    expect(await stateOf(people)).to.deep.equal(before);
    expect((await president.http.ok(place)).status).to.equal('reversed');
  });

  it('fail with insufficient_funds once the money is spent, and everything stays as it was', async () => {
    const people = await group();
    const { path, president, treasurer, secretary, member } = people;
    const body = { member_id: member.member_id, code: 'phone', reason: 'It rang' };
    const fine = await president.http.created(`${path}/fines`, body);
    const payment = { wallet_id: member.wallet_id, amount: 300 };
    const paid = await done({
      by: member.http,
      path: `${path}/fines/${fine.id as string}/pay`,
      body: payment,
      pin: true,
    });
    const help = await done(distribute(president, member, 300));
    await approve(people, help.approval_id, treasurer, secretary);
    const before = await stateOf(people);
    const { id, approval_id } = await done(correct(treasurer, paid.transfer_id));
    expect(await approve(people, approval_id)).to.deep.equal({ status: 'failed', error: 'insufficient_funds' });
    const failed = await treasurer.http.ok(`${path}/corrections/${id as string}`);
    expect(failed).to.deep.include({ status: 'failed', error: 'insufficient_funds', reversal_transfer_id: null });
    expect(await stateOf(people)).to.deep.equal(before);
    // The distribution is reversed first, and then the payment of the fine.
    const { payouts } = await president.http.ok(`${path}/distributions/${help.id as string}`);
    expect((await corrected(people, (payouts as Json[])[0]!.transfer_id)).status).to.equal('done');
    expect((await corrected(people, paid.transfer_id)).status).to.equal('done');
  });

  it('change nothing when they are rejected or cancelled, and can be requested again', async () => {
    const people = await group();
    const { path, president, treasurer, member } = people;
    const meeting = await openedMeeting(president);
    const paid = await done(contribute(member, meeting, 500));
    const before = await stateOf(people, meeting);
    const rejected = await done(correct(treasurer, paid.transfer_id));
    await done(vote(president, rejected.approval_id, 'reject'));
    const cancelled = await done(correct(president, paid.transfer_id));
    const where = `${path}/governance/approvals/${cancelled.approval_id as string}/cancel`;
    await done({ by: president.http, path: where });
    await eventually(async () => {
      const { data } = await member.http.ok(`${path}/corrections`);
      expect((data as Json[]).map(({ id, status }) => [id, status])).to.deep.equal([
        [cancelled.id, 'rejected'],
        [rejected.id, 'rejected'],
      ]);
    });
    expect(await stateOf(people, meeting)).to.deep.equal(before);
    expect((await corrected(people, paid.transfer_id)).status).to.equal('done');
  });

  it('are refused for kinds that are not reversible, for the wrong callers, and while no other member could vote', async () => {
    const people = await group();
    const { path, president, treasurer, secretary, member } = people;
    const [first] = (await startedRounds(president)) as [string];
    for (const payer of [president, treasurer, secretary]) await done(contribute(payer, first, 1_000));
    const { payouts } = await done(settle(president, first));
    const settlement = (payouts as Json[])[0]!.transfer_id;
    const paid = await done(contribute(member, first, 400));
    const cancelled = await openedMeeting(president);
    const refunded = await done(contribute(member, cancelled, 100));
    await done(cancelMeeting(president, cancelled));
    const [refund] = (await president.http.ok(`${path}/ledger`)).data as Json[];
    const funding = { amount: 5, reference: 'more' };
    const deposit = await bankOf(cluster).created(`/wallets/${member.wallet_id}/deposits`, funding);
    for (const id of [settlement, paid.transfer_id, refund!.id, deposit.id]) {
      expect(await outcomeOf(correct(treasurer, id))).to.equal('not_reversible');
    }
    const contributions = (await president.http.ok(`${path}/meetings/${first}/contributions`)).data as Json[];
    const contribution = contributions.at(-1)!;
    for (const id of [refunded.transfer_id, contribution.transfer_id]) {
      expect(await outcomeOf(correct(treasurer, id))).to.equal('meeting_not_open');
    }
    expect(await outcomeOf(correct(secretary, paid.transfer_id))).to.equal('role_not_allowed');
    expect(await outcomeOf(correct(member, paid.transfer_id))).to.equal('role_not_allowed');
    const other = await group();
    expect(await outcomeOf(correct(other.treasurer, paid.transfer_id))).to.equal('not_found');

    const alone = await foundGroup(cluster, { size: 2, funding: FUNDING });
    const [founder, payer] = alone.members as [TestMember, TestMember];
    const meeting = await openedMeeting(founder);
    const only = await done(contribute(payer, meeting, 100));
    expect(await outcomeOf(correct(founder, only.transfer_id))).to.equal('no_eligible_approver');
  });

  it('of one transfer at once are one', async () => {
    const people = await group();
    const { president, treasurer, member } = people;
    const meeting = await openedMeeting(president);
    const paid = await done(contribute(member, meeting, 500));
    const outcomes = await Promise.all(
      [president, treasurer, president, treasurer].map((by) => outcomeOf(correct(by, paid.transfer_id))),
    );
    expect(outcomes.toSorted()).to.deep.equal([...Array<string>(3).fill('already_reversed'), 'done']);
  });

  it('and a settlement at once agree: what is settled is not reversed', async () => {
    for (let run = 0; run < 6; run += 1) {
      const people = await group({ type: 'solidarity' });
      const { path, president, treasurer, secretary, member } = people;
      const meeting = await openedMeeting(president);
      const paid = await done(contribute(member, meeting, 500));
      await done(contribute(president, meeting, 100));
      const { id, approval_id } = await done(correct(treasurer, paid.transfer_id));
      await done(vote(president, approval_id));
      await Promise.all([ask(vote(secretary, approval_id)), ask(settle(treasurer, meeting))]);
      const correction = await eventually(async () => {
        const current = await president.http.ok(`${path}/corrections/${id as string}`);
        expect(current.status).to.be.oneOf(['done', 'failed']);
        return current;
      });
      if ((await president.http.ok(`${path}/meetings/${meeting}`)).status === 'open')
        await done(settle(treasurer, meeting));
      const shown = await president.http.ok(`${path}/meetings/${meeting}/contributions/${paid.id as string}`);
      const { collected_amount } = await president.http.ok(`${path}/meetings/${meeting}/settlement`);
      const { status, error } = correction;
      expect([status, error, shown.status, collected_amount]).to.deep.be.oneOf([
        ['done', null, 'reversed', 100],
        ['failed', 'meeting_not_open', 'paid', 600],
      ]);
      expect(await walletOf(member)).to.equal(FUNDING - (status === 'done' ? 0 : 500));
    }
  });

  it('keep an association from closing and their member from leaving until they are decided', async () => {
    const people = await group({ type: 'solidarity' });
    const { president, treasurer, secretary, member } = people;
    const deposit = await done(recordCash(treasurer, member, 500));
    await approve(people, deposit.approval_id, president);
    const { approval_id } = await done(correct(treasurer, deposit.id));
    expect(await outcomeOf(leave(member))).to.equal('member_has_obligations');
    expect(await outcomeOf(propose(president, 'closure'))).to.equal('association_not_empty');
    await approve(people, approval_id, president, secretary);
    expect(await outcomeOf(leave(member))).to.equal('done');
  });

  it('leave databases and ledgers that agree', async () => {
    const people = await group();
    const meeting = await openedMeeting(people.president);
    const paid = await done(contribute(people.member, meeting, 500));
    await corrected(people, paid.transfer_id);
    await expectValidLedger(people.president.http, people.path);
    // All groups of this file.
    await expectAgreement(cluster);
  });
});
