import { expect } from 'chai';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';
import { foundGroup, type TestGroup } from '../harness/group.ts';
import type { Json } from '../harness/http.ts';
import {
  contribute,
  done,
  leave,
  propose,
  recordCash,
  settle,
  startedRounds,
  today,
  vote,
} from '../harness/requests.ts';
import type { TestMember } from '../harness/test-member.ts';

/** A day on which the first monthly rounds of a cycle were due. */
const LONG_AGO = '2026-01-31';

describe('GET /me/overview', function () {
  this.timeout(120_000);
  let cluster: Deployment;
  /** A group in which Awa is president, one in which she is a member, and a savings group. */
  let own: TestGroup;
  let other: TestGroup;
  let savings: TestGroup;
  let awa: TestMember;
  let treasurer: TestMember;
  /** Awa in the other group. */
  let awaInOther: TestMember;

  before(async () => {
    cluster = await sharedCluster();
    const roles = ['president', 'treasurer', 'secretary'] as const;
    own = await foundGroup(cluster, { size: 3, funding: 100_000, roles: [...roles] });
    [awa, treasurer] = own.members as [TestMember, TestMember];
    const rules = { shortfall: 'pay_collected' };
    other = await foundGroup(cluster, { size: 2, funding: 100_000, association: { rules } });
    awaInOther = await joined(other);
    savings = await foundGroup(cluster, { size: 2, association: { type: 'savings', contribution_amount: 500 } });
    await joined(savings);
  });

  /** Has Awa join a group. */
  async function joined({ path }: TestGroup): Promise<TestMember> {
    const { id } = await awa.http.created(`${path}/join`, {});
    return { ...awa, path, member_id: id as string };
  }

  async function overviewOf({ http }: TestMember, query = ''): Promise<Json & { associations: Json[] }> {
    return (await http.ok(`/me/overview${query}`)) as Json & { associations: Json[] };
  }
  const inGroup = async ({ id }: TestGroup, member = awa): Promise<Json> =>
    (await overviewOf(member)).associations.find((each) => each.id === id)!;
  const listOf = async (group: TestGroup, name: 'dues' | 'arrears' | 'approvals', member = awa): Promise<Json[]> =>
    (await inGroup(group, member))[name] as Json[];

  it('shows the associations of the caller, newest membership first, in pages, and the wallets on each', async () => {
    const { associations, wallets, next_cursor } = await overviewOf(awa);
    expect(associations.map(({ id }) => id)).to.deep.equal([savings.id, other.id, own.id]);
    expect(next_cursor).to.equal(null);
    const { data } = await awa.http.ok('/associations/my');
    const mine = (data as Json[]).map(({ id, name, membership }) => ({ id, name, membership }));
    expect(associations.map(({ id, name, membership }) => ({ id, name, membership }))).to.deep.equal(mine);
    expect(wallets).to.deep.equal((await awa.http.ok('/wallets/my')).data);

    const answer = await awa.http.get('/me/overview?limit=2');
    expect((answer.body.associations as Json[]).map(({ id }) => id)).to.deep.equal([savings.id, other.id]);
    expect(answer.headers.get('link')).to.match(/\/me\/overview\?limit=2&cursor=[^>]+>; rel="next"$/);
    const next = await overviewOf(awa, `?limit=2&cursor=${answer.body.next_cursor as string}`);
    expect(next.associations.map(({ id }) => id)).to.deep.equal([own.id]);
    expect(next.wallets).to.deep.equal(wallets);
  });

  it('shows what is due, soonest first, and the next turn with what it brings if all pay', async () => {
    const [first, second, third] = (await startedRounds(awa)) as [string, string, string];
    await done(contribute(awa, first, 400));
    await done(contribute(awa, third, 1_000));
    const dues = await listOf(own, 'dues');
    const figures = dues.map(({ meeting_id, due, paid, outstanding }) => ({ meeting_id, due, paid, outstanding }));
    expect(figures).to.deep.equal([
      { meeting_id: first, due: 1_000, paid: 400, outstanding: 600 },
      { meeting_id: second, due: 1_000, paid: 0, outstanding: 1_000 },
    ]);
    expect(dues[0]).to.include({ round: 1, due_on: today() });
    const turn = (await inGroup(own)).next_turn as Json;
    expect(turn).to.include({ meeting_id: first, round: 1, due_on: today(), expected_amount: 3_000 });
    const of_treasurer = (await inGroup(own, treasurer)).next_turn as Json;
    expect(of_treasurer).to.include({ meeting_id: second, round: 2, expected_amount: 3_000 });

    await startedRounds(savings.members[0]!, { rounds: 2 });
    expect(await listOf(savings, 'dues')).to.have.length(2);
    expect(await inGroup(savings)).to.deep.include({ next_turn: null });
  });

  it('shows arrears to those who owe them and those who are owed, until they are paid', async () => {
    const [creditor, payer] = other.members as [TestMember, TestMember];
    const [first] = (await startedRounds(creditor, { order: 'join', starts_on: LONG_AGO })) as [string];
    await done(contribute(creditor, first, 1_000));
    await done(contribute(payer, first, 1_000));
    const { settled_at } = await done(settle(creditor, first));
    const meeting = { id: first, round: 1, title: null, due_on: LONG_AGO };
    expect(await inGroup(other)).to.deep.include({
      owes: 1_000,
      is_owed: 0,
      arrears: [{ meeting, amount: 1_000, since: settled_at }],
    });
    expect(await inGroup(other, creditor)).to.deep.include({ owes: 0, is_owed: 1_000, arrears: [], next_turn: null });
    expect(await inGroup(own)).to.deep.include({ owes: 0, is_owed: 0 });
    await done(contribute(awaInOther, first, 1_000));
    expect(await inGroup(other)).to.deep.include({ owes: 0, arrears: [] });
    expect(await inGroup(other, creditor)).to.deep.include({ is_owed: 0 });
  });

  it('shows what waits for the vote of the caller: nothing of theirs, about them, or to plain members', async () => {
    const { approval } = await done(propose(treasurer, 'motion', { text: 'We meet at the school.' }));
    const { id, subject_type, subject_id, requested_by_member_id, expires_at } = approval as Json;
    const shown = { id, subject_type, subject_id, requested_by_member_id, expires_at };
    await done(recordCash(treasurer, awa, 500));
    expect(await listOf(own, 'approvals')).to.deep.equal([shown]);
    expect(await listOf(own, 'approvals', treasurer)).to.deep.equal([]);
    await done(
      propose(other.members[0]!, 'role_change', { member_id: other.members[1]!.member_id, role: 'treasurer' }),
    );
    await done(propose(other.members[1]!, 'motion', { text: 'We sing.' }));
    expect(await listOf(other, 'approvals')).to.deep.equal([]);
    await done(vote(awa, id));
    expect(await listOf(own, 'approvals')).to.deep.equal([]);
  });

  it('no longer shows what the caller has left', async () => {
    const short = await foundGroup(cluster, { size: 1 });
    const member = await joined(short);
    expect(await inGroup(short)).to.include({ id: short.id });
    await done(leave(member));
    const { associations, wallets } = await overviewOf(awa);
    expect(associations.map(({ id }) => id)).to.deep.equal([savings.id, other.id, own.id]);
    expect(wallets).to.have.length(1);
  });
});
