import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { SELDOM } from '../e2e/conformance/webhooks.ts';
import { inDatabase, sharedCluster, type Deployment } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { bankOf, foundGroup, type GroupOptions, type TestGroup } from '../harness/group.ts';
import { HttpClient, type HttpAnswer, type Json } from '../harness/http.ts';
import {
  ask,
  cancelMeeting,
  contribute,
  distribute,
  done,
  join,
  leave,
  openedMeeting,
  outcomeOf,
  propose,
  sealed,
  settle,
  startCycle,
  startedRounds,
  vote,
  type Asked,
} from '../harness/requests.ts';
import type { TestMember } from '../harness/test-member.ts';
import { expectValidLedger } from '../harness/verified-ledger.ts';

const BOARD: GroupOptions['roles'] = ['president', 'treasurer', 'secretary'];
type Four = [TestMember, TestMember, TestMember, TestMember];

/** Sends the requests concurrently, after all PINs are sealed. @returns how often each outcome occurred */
async function race(requests: Asked[]): Promise<Record<string, number>> {
  const ready = await Promise.all(requests.map(sealed));
  return tally(await Promise.all(ready.map((each) => ask(each))));
}

async function tally(answers: HttpAnswer[]): Promise<Record<string, number>> {
  const outcomes = await Promise.all(answers.map((answer) => outcomeOf(Promise.resolve(answer))));
  const groups = Object.entries(Object.groupBy(outcomes, String));
  return Object.fromEntries(groups.map(([outcome, all]) => [outcome, all?.length ?? 0]));
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('concurrent requests', function () {
  this.timeout(60_000);
  let cluster: Deployment;
  const groups: TestGroup[] = [];

  before(async () => {
    cluster = await sharedCluster();
  });

  after(async () => {
    for (const { members, path } of groups) await expectValidLedger(members[0]!.http, path);
    const unbalanced = await inDatabase(cluster, 'treasury', (client) =>
      client.query(`SELECT money, sum(balance) FROM accounts GROUP BY money HAVING sum(balance) <> 0`),
    );
    expect(unbalanced.rows).to.deep.equal([]);
  });

  async function foundHere(options: Partial<GroupOptions> = {}): Promise<TestGroup> {
    const group = await foundGroup(cluster, { size: 4, funding: 10_000, roles: BOARD!, ...options });
    groups.push(group);
    return group;
  }

  const newUser = () => new HttpClient(cluster.origin, cluster.token(`race-${randomUUID()}`));
  const balanceOf = async ({ http, wallet_id }: TestMember) => (await http.ok(`/wallets/${wallet_id}`)).balance;

  /** Waits until a meeting is settled or cancelled, which may take longer than the request for it. */
  const closed = ({ members, path }: TestGroup, meeting: string) =>
    eventually(async () => {
      const found = await members[0]!.http.ok(`${path}/meetings/${meeting}`);
      expect(found.status).to.be.oneOf(['settled', 'cancelled']);
      return found;
    });

  /** Settles a kitty of this amount, so that the treasury has it. */
  async function fillTreasury({ members }: TestGroup, amount: number): Promise<void> {
    const [president, , , member] = members as Four;
    const kitty = await openedMeeting(president);
    await done(contribute(member, kitty, amount));
    await done(settle(president, kitty));
  }

  it('of one officer for one approval cast one vote', async () => {
    const [president, treasurer] = (await foundHere({ association: { rules: { approvals: { motion: 2 } } } }))
      .members as Four;
    const { approval } = await done(propose(president, 'motion', { text: 'Twice.' }));
    const { id } = approval as { id: string };
    const outcomes = await race([
      ...times(3, () => vote(treasurer, id)),
      ...times(3, () => vote(treasurer, id, 'reject')),
    ]);
    const { votes } = await president.http.ok(`${president.path}/governance/approvals/${id}`);
    expect(votes).to.have.length(1);
    expect(outcomes.done).to.equal(1);
    expect((outcomes.already_voted ?? 0) + (outcomes.approval_not_pending ?? 0)).to.equal(5);
  });

  it('of all officers decide an approval once, and pay once', async () => {
    const roles: GroupOptions['roles'] = ['president', 'treasurer', 'secretary', 'member', 'treasurer', 'secretary'];
    const group = await foundHere({ size: 6, roles, association: { rules: { approvals: { distribution: 1 } } } });
    const [president, treasurer, secretary, member, ...more] = group.members as [...Four, TestMember, TestMember];
    await fillTreasury(group, 5_000);
    const { approval_id } = await done(distribute(secretary, member, 3_000));
    const outcomes = await race([president, treasurer, ...more].map((each) => vote(each, approval_id)));
    expect(outcomes).to.deep.equal({ done: 1, approval_not_pending: 3 });
    await eventually(async () => {
      expect(await balanceOf(member)).to.equal(10_000 - 5_000 + 3_000);
    });
    expect(await president.http.ok(`${group.path}/balances`)).to.include({ treasury: 2_000, available: 2_000 });
  });

  it('of a vote and a cancellation have one winner', async () => {
    const group = await foundHere();
    const [president, treasurer] = group.members as Four;
    const { approval } = await done(propose(president, 'motion', { text: 'Or not.' }));
    const { id } = approval as { id: string };
    const cancel = { by: president.http, path: `${group.path}/governance/approvals/${id}/cancel` };
    const outcomes = await race([vote(treasurer, id), cancel]);
    expect(outcomes).to.deep.equal({ done: 1, approval_not_pending: 1 });
  });

  it('of an officer who leaves, and of a vote that makes them president, leave one president', async () => {
    const group = await foundHere({ size: 3 });
    const [president, treasurer, secretary] = group.members as [TestMember, TestMember, TestMember];
    const { member_id } = treasurer;
    const { approval } = await done(propose(president, 'role_change', { member_id, role: 'president' }));
    const { id } = approval as { id: string };
    const [left, voted] = await Promise.all([outcomeOf(leave(treasurer)), outcomeOf(vote(secretary, id))]);
    await eventually(async () => {
      const { execution } = await secretary.http.ok(`${group.path}/governance/approvals/${id}`);
      expect((execution as Json).status).to.not.equal('pending');
    });
    const { data } = await secretary.http.ok(`${group.path}/members`);
    const active = (data as { member_id: string; role: string; status: string }[]).filter(
      ({ status }) => status === 'active',
    );
    expect(active.filter(({ role }) => role === 'president')).to.have.length(1);
    expect(voted).to.equal('done');
    if (left === 'done') expect(active.map((each) => each.member_id)).to.not.include(member_id);
    else expect(left).to.equal('president_cannot_leave');
  });

  it('to join fill an association, and use an invitation, to the last place and no further', async () => {
    const group = await foundHere({ size: 2, roles: ['president'], association: { max_members: 5 } });
    const [president] = group.members as [TestMember];
    const { code } = await president.http.created(`${group.path}/invitations`, { max_uses: 2 });
    const newcomers = times(12, newUser);
    const outcomes = await race(
      newcomers.map((by, index) => ({
        by,
        path: index % 2 === 0 ? `${group.path}/join` : `/invitations/${code as string}/accept`,
      })),
    );
    expect(outcomes.done).to.equal(3);
    expect((outcomes.association_full ?? 0) + (outcomes.not_found ?? 0)).to.equal(9);
    expect((await president.http.ok(group.path)).member_count).to.equal(5);
  });

  it('to join of one user make one member, and to open a wallet one wallet', async () => {
    const group = await foundHere({ size: 1, roles: ['president'] });
    const http = newUser();
    const wallets = await Promise.all(times(8, () => http.post('/wallets', { currency: 'XAF' })));
    expect(wallets.filter(({ status }) => status === 201)).to.have.length(1);
    expect(new Set(wallets.map(({ body }) => body.id)).size).to.equal(1);
    const joining = join({ ...group.members[0]!, http });
    expect(await race(times(5, () => joining))).to.deep.equal({ done: 1, already_member: 4 });
    expect((await http.ok(group.path)).member_count).to.equal(2);
  });

  it('with one idempotency key and different bodies have one effect', async () => {
    const [, , , member] = (await foundHere()).members as Four;
    const bank = bankOf(cluster);
    const key = { 'Idempotency-Key': randomUUID() };
    const deposit = (amount: number) =>
      bank.send('POST', `/wallets/${member.wallet_id}/deposits`, { amount, reference: `key ${String(amount)}` }, key);
    const answers = await Promise.all(times(6, (index) => deposit(index + 1)));
    const accepted = answers.filter(({ status }) => status === 201);
    expect(accepted).to.have.length(1);
    for (const { status, body } of answers) if (status !== 201) expect(body.code).to.equal('idempotency_key_reused');
    const [leg] = accepted[0]!.body.legs as { amount_minor: number }[];
    expect(await balanceOf(member)).to.equal(10_000 + Math.abs(leg!.amount_minor));
  });

  it('with one idempotency key and one body have one effect and one answer', async () => {
    const [president, , , member] = (await foundHere()).members as Four;
    const kitty = await openedMeeting(president);
    const request = await sealed(contribute(member, kitty, 700));
    const key = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all(times(6, () => ask(request, key)));
    const accepted = answers.filter(({ status }) => status === 201);
    expect(accepted.length).to.be.at.least(1);
    expect(new Set(accepted.map(({ body }) => body.id)).size).to.equal(1);
    for (const { status, body } of answers) if (status !== 201) expect(body.code).to.equal('idempotency_in_flight');
    expect(await balanceOf(member)).to.equal(9_300);
  });

  it('for distributions reserve no more than the treasury has', async () => {
    const group = await foundHere();
    const [president, treasurer, secretary, member] = group.members as Four;
    await fillTreasury(group, 1_000);
    const outcomes = await race(
      [president, treasurer, secretary, president, treasurer].map((by) => distribute(by, member, 400)),
    );
    expect(outcomes).to.deep.equal({ done: 2, insufficient_funds: 3 });
    expect((await president.http.ok(`${group.path}/balances`)).available).to.equal(200);
  });

  it('with one PIN ciphertext authorize one operation', async () => {
    const group = await foundHere();
    const [president, , , member] = group.members as Four;
    const meetings = await Promise.all(times(6, () => openedMeeting(president)));
    const pin = await member.http.sealedPin();
    const outcomes = await race(
      meetings.map((meeting) => ({ ...contribute(member, meeting, 100, { pin }), pin: false })),
    );
    expect(outcomes).to.deep.equal({ done: 1, pin_replayed: 5 });
    expect(await balanceOf(member)).to.equal(9_900);
  });

  it('to start a cycle start one', async () => {
    const group = await foundHere();
    const [president, , secretary] = group.members as Four;
    const outcomes = await race([president, secretary, president, secretary].map((by) => startCycle(by)));
    expect(outcomes).to.deep.equal({ done: 1, cycle_in_progress: 3 });
    expect((await president.http.ok(`${group.path}/cycles`)).data).to.have.length(1);
  });

  it('to settle and to cancel a meeting have one winner, and no money is lost', async () => {
    const group = await foundHere();
    const [president, treasurer, secretary, member] = group.members as Four;
    const kitty = await openedMeeting(president);
    await done(contribute(member, kitty, 1_000));
    const outcomes = await race([
      settle(treasurer, kitty),
      cancelMeeting(secretary, kitty),
      settle(president, kitty),
      cancelMeeting(president, kitty),
    ]);
    expect(outcomes).to.deep.equal({ done: 1, meeting_not_open: 3 });
    const { status } = await closed(group, kitty);
    const { treasury } = await president.http.ok(`${group.path}/balances`);
    expect({ status, treasury, wallet: await balanceOf(member) }).to.deep.equal(
      status === 'settled'
        ? { status: 'settled', treasury: 1_000, wallet: 9_000 }
        : { status: 'cancelled', treasury: 0, wallet: 10_000 },
    );
  });

  it('to pay and to settle: what is accepted is settled, and what is refused is not paid', async () => {
    const group = await foundHere();
    const [president, treasurer, secretary, member] = group.members as Four;
    const kitty = await openedMeeting(president);
    const paying = [president, secretary, member].flatMap((by) => times(2, () => contribute(by, kitty, 100)));
    const settling = sealed(settle(treasurer, kitty)).then(outcomeOf);
    const outcomes = await race(paying);
    const paid = outcomes.done ?? 0;
    expect(paid + (outcomes.meeting_not_open ?? 0)).to.equal(6);
    // On a slow machine it does not wait for the payments long enough.
    if ((await settling) === 'contributions_in_flight') await done(settle(treasurer, kitty));
    else expect(await settling).to.equal('done');
    expect(await closed(group, kitty)).to.include({ status: 'settled', collected_amount: 100 * paid });
    expect((await president.http.ok(`${group.path}/balances`)).treasury).to.equal(100 * paid);
  });

  it('to pay a due pay it once, by whichever member', async () => {
    const { members } = await foundHere();
    const [president, , , member] = members as Four;
    const [round] = await startedRounds(president);
    const for_member_id = member.member_id;
    const outcomes = await race([...members, ...members].map((by) => contribute(by, round!, 400, { for_member_id })));
    expect(outcomes).to.deep.equal({ done: 2, contribution_exceeds_due: 6 });
  });

  it('to take money out of a wallet take no more than it has', async () => {
    const [president, , , member] = (await foundHere()).members as Four;
    const kitty = await openedMeeting(president);
    const bank = bankOf(cluster);
    const path = `/wallets/${member.wallet_id}/withdrawals`;
    const outcomes = await race([
      ...times(4, (index) => ({ by: bank, path, body: { amount: 6_000, reference: `race ${String(index)}` } })),
      ...times(4, () => contribute(member, kitty, 6_000)),
    ]);
    expect(outcomes).to.deep.equal({ done: 1, insufficient_funds: 7 });
    expect(await balanceOf(member)).to.equal(4_000);
  });

  it('to add endpoints add no more than there may be, and to replace a secret no more than five', async () => {
    const { members, path } = await foundHere({ size: 1, roles: ['president'] });
    const by = members[0]!.http;
    const added = await race(times(25, () => ({ by, path: `${path}/webhooks`, body: SELDOM })));
    expect(added).to.deep.equal({ done: 20, webhook_limit: 5 });
    const { data } = await by.ok(`${path}/webhooks`);
    const [{ id }] = data as [{ id: string }];
    const replaced = await race(times(8, () => ({ by, path: `${path}/webhooks/${id}/rotate-secret` })));
    expect(replaced).to.deep.equal({ done: 5, webhook_secret_limit: 3 });
  });

  it('of one key add one endpoint, whose secret all of them get', async () => {
    const { members, path } = await foundHere({ size: 1, roles: ['president'] });
    const { http } = members[0]!;
    const key = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all(times(6, () => http.send('POST', `${path}/webhooks`, SELDOM, key)));
    const accepted = answers.filter(({ status }) => status === 201);
    expect(new Set(accepted.map(({ text }) => text)).size).to.equal(1);
    for (const { status, body } of answers) if (status !== 201) expect(body.code).to.equal('idempotency_in_flight');
    expect((await http.ok(`${path}/webhooks`)).data).to.have.length(1);
  });

  it('for codes of one user send five, and guesses of a code are five', async () => {
    const by = newUser();
    const asked = await race(
      times(8, (index) => ({
        by,
        method: 'PATCH',
        path: '/me/notifications',
        body: { phone: `+23769${String(process.pid).padStart(6, '0').slice(-6)}${String(index)}` },
      })),
    );
    expect(asked).to.deep.equal({ done: 5, too_many_codes: 3 });
    const guess = { by, path: '/me/notifications/confirm', body: { channel: 'sms', code: '000000' } };
    expect(await race(times(8, () => guess))).to.deep.equal({ code_invalid: 5, no_code_waiting: 3 });
  });
});
