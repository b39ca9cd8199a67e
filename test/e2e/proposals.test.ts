import { expect } from 'chai';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup, type TestGroup } from '../harness/group.ts';
import type { TestMember } from '../harness/test-member.ts';
import type { Json } from '../harness/http.ts';
import { ask, cancelMeeting, contribute, done, openedMeeting, propose, startCycle, vote } from '../harness/requests.ts';

describe('proposals', function () {
  this.timeout(120_000);
  let cluster: Deployment;

  before(async () => {
    cluster = await sharedCluster();
  });

  const officers = (size: number) =>
    foundGroup(cluster, { size, funding: 5_000, roles: ['president', 'treasurer', 'secretary'] });
  const byPresident = (group: TestGroup, type: string, payload: Json) => ask(propose(group.members[0]!, type, payload));
  const approve = (group: TestGroup, index: number, { id, payload_hash }: Json) =>
    done(vote(group.members[index]!, id, 'approve', { payload_hash }));
  /** Proposes as president, approves as treasurer and secretary, and waits for the execution. */
  async function decided(group: TestGroup, type: string, payload: Json): Promise<Json> {
    const { status, body } = await byPresident(group, type, payload);
    expect(status, JSON.stringify(body)).to.equal(201);
    const approval = body.approval as Json;
    for (const index of [1, 2].slice(0, approval.required_approvals as number)) await approve(group, index, approval);
    return executionOf(group, approval);
  }
  /** Waits until the execution is done or has failed. */
  async function executionOf(group: TestGroup, approval: Json): Promise<Json> {
    return eventually(async () => {
      const read = await group.members[0]!.http.ok(`${group.path}/governance/approvals/${approval.id as string}`);
      const execution = read.execution as Json;
      expect(execution.status).to.be.oneOf(['done', 'failed']);
      return execution;
    });
  }
  const rolesOf = async (group: TestGroup) => {
    const { data } = await group.members[0]!.http.ok(`${group.path}/members`);
    return (data as Json[]).map(({ role, status }) => (status === 'active' ? role : status));
  };

  it('change only the named rules, in a new version', async () => {
    const group = await officers(3);
    const { http } = group.members[0]!;
    const before = await http.ok(group.path);
    const change = { rules: { approvals: { motion: 2 } }, contribution_amount: 1_500, max_members: 7 };
    expect(await decided(group, 'rules_change', change)).to.deep.equal({ status: 'done', error: null });
    const after = await http.ok(group.path);
    const rules = before.rules as { approvals: Json };
    expect(after).to.deep.include({
      contribution_amount: 1_500,
      max_members: 7,
      rules_version: (before.rules_version as number) + 1,
      rules: { ...rules, approvals: { ...rules.approvals, motion: 2 } },
    });
    const { body } = await byPresident(group, 'rules_change', { contribution_amount: 0.5 });
    expect(body).to.include({ code: 'amount_precision' });
    expect((body.errors as Json[]).map(({ pointer }) => pointer)).to.deep.equal(['/payload/contribution_amount']);
  });

  it('expel a member, but not during their cycle', async () => {
    const group = await officers(4);
    const [president, , , fourth] = group.members;
    expect(await decided(group, 'expulsion', { member_id: fourth!.member_id })).to.include({ status: 'done' });
    expect(await rolesOf(group)).to.deep.equal(['president', 'treasurer', 'secretary', 'expelled']);
    expect((await fourth!.http.get(`${group.path}/meetings`)).body.code).to.equal('not_found');
    await done(startCycle(president!));
    const inCycle = await byPresident(group, 'expulsion', { member_id: group.members[2]!.member_id });
    expect(inCycle.body.code).to.equal('member_has_obligations');
  });

  it('transfer the presidency in one step', async () => {
    const group = await officers(4);
    const [, treasurer] = group.members;
    const payload = { member_id: treasurer!.member_id, role: 'president' };
    expect(await decidedByTheSecretary(group, payload)).to.include({ status: 'approved' });
    expect(await rolesOf(group)).to.deep.equal(['member', 'president', 'secretary', 'member']);
    expect((await byPresident(group, 'motion', { text: 'Thanks' })).body.code).to.equal('role_not_allowed');
  });
  async function decidedByTheSecretary(group: TestGroup, payload: Json): Promise<Json> {
    const { body } = await byPresident(group, 'role_change', payload);
    return approve(group, 2, body.approval as Json);
  }

  it('close an empty association permanently', async () => {
    const group = await officers(3);
    const [president] = group.members as [TestMember];
    const { http } = president;
    const meeting = await openedMeeting(president);
    expect((await byPresident(group, 'closure', {})).body.code).to.equal('association_not_empty');
    await done(contribute(president, meeting, 100));
    // Cancelling refunds everything, so that the association is empty.
    await done(cancelMeeting(president, meeting));
    expect(await decided(group, 'closure', {})).to.deep.equal({ status: 'done', error: null });
    expect((await http.ok(group.path)).status).to.equal('closed');
    for (const path of ['meetings', 'invitations']) {
      expect((await http.post(`${group.path}/${path}`)).body.code, path).to.equal('association_closed');
    }
    expect((await byPresident(group, 'motion', { text: 'Reopen' })).body.code).to.equal('association_closed');
  });
});
