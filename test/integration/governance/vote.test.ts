import { expect } from 'chai';
import pg from 'pg';
import type { Approval } from '../../../lib/contracts/governance.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import { eventually } from '../../harness/eventually.ts';
import { GovernanceBench, RIGHT_PIN } from '../../harness/governance.ts';
import { refusalOf } from '../../harness/refusal.ts';

describe('governance: votes', () => {
  let bench: GovernanceBench;

  before(async () => {
    bench = await GovernanceBench.start();
  });
  after(() => bench.stop());
  afterEach(() => {
    bench.offset_ms = 0;
    bench.owner = () => Promise.resolve({ status: 'done', error: null });
  });

  it('approves with the required vote, has the request executed and answers so', async () => {
    const group = bench.found('president', 'treasurer', 'secretary');
    const approval = await bench.request(group);
    expect(approval).to.include({ status: 'pending', required_approvals: 1, decided_at: null });
    const decided = await bench.approve(1, approval, approval.payload_hash);
    expect(decided).to.include({ id: approval.id, status: 'approved' });
    expect(decided.execution).to.deep.equal({ status: 'done', error: null });
    expect(decided.votes).to.have.length(1);
    expect(decided.votes[0]).to.include({ member_id: group.members[1]?.member_id, decision: 'approve' });
    expect(bench.toldOf(approval)).to.deep.equal(['approved']);
    expect(await bench.events(group)).to.deep.equal(['approval.requested', 'approval.voted', 'approval.approved']);
    expect(await bench.read(approval)).to.deep.equal(decided);
  });

  it('sends decisions on money to the treasury and those on roles to membership, with the payload', async () => {
    const group = bench.found('president', 'treasurer', 'secretary', 'member');
    const money = await bench.request(group, { payload: { amount: 7 } });
    await bench.approve(1, money);
    const { approval: role } = await bench.propose(0, group, {
      member_id: group.members[3]?.member_id,
      role: 'member',
    });
    await bench.approve(1, role);
    const [first, second] = bench.told.filter((told) => [money.id, role.id].includes(told.approval_id));
    expect(first).to.deep.include({ owner: 'treasury', payload: { amount: 7 } });
    expect(second).to.deep.include({ owner: 'membership', payload: role.payload });
  });

  it('waits for as many approvals as the rules require', async () => {
    const group = bench.found('president', 'treasurer', 'secretary');
    const approval = await bench.request(group, { subject_type: 'distribution' });
    expect(approval.required_approvals).to.equal(2);
    expect((await bench.approve(1, approval)).status).to.equal('pending');
    expect(bench.toldOf(approval)).to.deep.equal([]);
    expect((await bench.approve(2, approval)).status).to.equal('approved');
  });

  it('decides once, however many vote at the same moment', async () => {
    const group = bench.found('president', 'treasurer', 'treasurer', 'secretary', 'secretary');
    const approval = await bench.request(group, { subject_type: 'distribution' });
    const votes = await Promise.allSettled([1, 2, 3, 4].map((index) => bench.approve(index, approval)));
    expect(votes.filter((vote) => vote.status === 'fulfilled')).to.have.length(2);
    const read = await bench.read(approval);
    expect(read.votes).to.have.length(2);
    expect(read.status).to.equal('approved');
    expect((await bench.events(group)).filter((type) => type === 'approval.approved')).to.have.length(1);
  });

  it('takes one vote of a member who votes twice at the same moment', async () => {
    const group = bench.found('president', 'treasurer', 'secretary');
    const approval = await bench.request(group, { subject_type: 'distribution' });
    const votes = await Promise.allSettled([bench.approve(1, approval), bench.approve(1, approval)]);
    expect(votes.filter((vote) => vote.status === 'fulfilled')).to.have.length(1);
    expect(await refusalOf(bench.approve(1, approval))).to.include({ code: 'already_voted' });
  });

  it('rejects as soon as the required number cannot be reached', async () => {
    const group = bench.found('president', 'treasurer', 'secretary');
    const approval = await bench.request(group, { subject_type: 'distribution' });
    const decided = await bench.reject(2, approval, 'Too much');
    expect(decided.status).to.equal('rejected');
    expect(decided.execution).to.deep.equal({ status: 'none', error: null });
    expect(bench.toldOf(approval)).to.deep.equal(['rejected']);
    expect(await bench.events(group)).to.include('approval.rejected');
  });

  it('stays pending after a rejection that others can outvote', async () => {
    const group = bench.found('president', 'treasurer', 'secretary');
    const approval = await bench.request(group);
    expect((await bench.reject(1, approval)).status).to.equal('pending');
    expect((await bench.approve(2, approval)).status).to.equal('approved');
  });

  it('counts a vote only while its voter is on the board', async () => {
    const group = bench.found('president', 'treasurer', 'secretary', 'secretary');
    const approval = await bench.request(group, { subject_type: 'distribution' });
    await bench.approve(1, approval);
    group.members[1]!.role = 'member';
    expect((await bench.approve(2, approval)).status).to.equal('pending');
    expect((await bench.approve(3, approval)).status).to.equal('approved');
  });

  describe('are refused', () => {
    async function refused(attempt: Promise<Approval>): Promise<string | undefined> {
      return (await refusalOf(attempt)).code;
    }

    it('to members without a board role, and to strangers', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const approval = await bench.request(group);
      expect(await refused(bench.approve(2, approval))).to.equal('role_not_allowed');
      expect(await refused(bench.approve(9, approval))).to.equal('not_found');
    });

    it('with a wrong PIN', async () => {
      const group = bench.found('president', 'treasurer');
      const { id } = await bench.request(group);
      const vote = { path: { association_id: group.id }, body: { approval_id: id, pin: 'wrong' } };
      expect(await refused(bench.as(1, governance.approve, vote))).to.equal('pin_invalid');
      expect(await refused(bench.as(1, governance.reject, vote))).to.equal('pin_invalid');
    });

    it("for another association's approval, as if there were none", async () => {
      const [group, other] = [bench.found('president', 'treasurer'), bench.found('president', 'treasurer')];
      const approval = await bench.request(group);
      expect(await refused(bench.approve(1, { ...approval, association_id: other.id }))).to.equal('not_found');
    });

    it('to the requester and the one concerned', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      const approval = await bench.request(group, { concerned_member_id: group.members[2]!.member_id });
      expect(await refused(bench.approve(0, approval))).to.equal('own_request');
      expect(await refused(bench.reject(2, approval))).to.equal('beneficiary_cannot_approve');
    });

    it('once it is decided, and once it has expired, even before that is recorded', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      const decided = await bench.approve(1, await bench.request(group));
      expect(await refused(bench.approve(2, decided))).to.equal('approval_not_pending');
      expect(await refused(bench.approve(1, decided))).to.equal('approval_not_pending');
      const late = await bench.request(group);
      bench.offset_ms = 336 * 3_600_000;
      expect(await refused(bench.approve(2, late))).to.equal('approval_not_pending');
    });

    it('in a closed association, after the role and the PIN', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const { id } = await bench.request(group);
      group.terms.status = 'closed';
      const vote = (index: number, pin: string) =>
        refused(
          bench.as(index, governance.approve, { path: { association_id: group.id }, body: { approval_id: id, pin } }),
        );
      expect(await vote(2, 'wrong')).to.equal('role_not_allowed');
      expect(await vote(1, 'wrong')).to.equal('pin_invalid');
      expect(await vote(1, RIGHT_PIN)).to.equal('association_closed');
    });

    it('a second time, for the same decision or the other', async () => {
      const group = bench.found('president', 'treasurer', 'secretary', 'secretary');
      const approval = await bench.request(group, { subject_type: 'distribution' });
      await bench.reject(1, approval);
      expect(await refused(bench.approve(1, approval))).to.equal('already_voted');
      expect(await refused(bench.reject(1, approval))).to.equal('already_voted');
      expect((await bench.read(approval)).votes).to.have.length(1);
    });

    it('to a member who has lost their role since the request', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      const approval = await bench.request(group);
      group.members[1]!.role = 'member';
      expect(await refused(bench.approve(1, approval))).to.equal('role_not_allowed');
      expect((await bench.read(approval)).votes).to.deep.equal([]);
    });

    it('for a payload other than the stored one', async () => {
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      expect(await refused(bench.approve(1, approval, 'f'.repeat(64)))).to.equal('approval_changed');
      expect((await bench.approve(1, approval, approval.payload_hash.toUpperCase())).status).to.equal('approved');
    });
  });

  describe('execution', () => {
    it('is pending in the answer when the owner takes longer, and done soon after, once', async () => {
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      bench.owner = () => new Promise(() => undefined);
      const answer = await bench.approve(1, approval);
      expect(answer.status).to.equal('approved');
      expect(answer.execution).to.deep.equal({ status: 'pending', error: null });
      bench.owner = () => Promise.resolve({ status: 'done', error: null });
      await eventually(async () => {
        expect((await bench.read(approval)).execution.status).to.equal('done');
      });
      const told = bench.toldOf(approval).length;
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect(bench.toldOf(approval)).to.have.length(told);
    });

    it('says why it failed for good, and leaves the approval approved', async () => {
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      bench.owner = () => Promise.resolve({ status: 'failed', error: 'insufficient_funds' });
      const answer = await bench.approve(1, approval);
      expect(answer.status).to.equal('approved');
      expect(answer.execution).to.deep.equal({ status: 'failed', error: 'insufficient_funds' });
    });

    it('fails if the owner refuses', async () => {
      const { problem } = await import('../../../lib/errors/problem.ts');
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      bench.owner = () => Promise.reject(problem('association_closed'));
      expect((await bench.approve(1, approval)).execution).to.deep.equal({
        status: 'failed',
        error: 'association_closed',
      });
    });

    it('sends a rejection to the owner until it is acknowledged', async () => {
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      bench.owner = () => Promise.reject(new Error('away'));
      expect((await bench.reject(1, approval)).status).to.equal('rejected');
      bench.owner = () => Promise.resolve({ status: 'done', error: null });
      await eventually(() => {
        expect(bench.toldOf(approval).length).to.be.greaterThan(1);
      });
      expect(new Set(bench.toldOf(approval))).to.deep.equal(new Set(['rejected']));
      expect((await bench.read(approval)).execution).to.deep.equal({ status: 'none', error: null });
    });

    for (const point of ['notifying', 'notifying.acted', 'notified']) {
      it(`converges when the process dies at ${point}`, async () => {
        const group = bench.found('president', 'treasurer');
        const approval = await bench.request(group);
        await bench.dieAt(`governance.execution.${point}`, () => bench.approve(1, approval));
        await eventually(async () => {
          const { status, execution } = await bench.read(approval);
          expect({ status, execution: execution.status }).to.deep.equal({ status: 'approved', execution: 'done' });
        });
        expect((await bench.events(group)).filter((type) => type === 'approval.approved')).to.have.length(1);
      });
    }
  });

  it('cannot be changed or removed by the service itself', async () => {
    const group = bench.found('president', 'treasurer');
    await bench.approve(1, await bench.request(group));
    const client = new pg.Client({ connectionString: bench.serviceUrl });
    await client.connect();
    try {
      for (const statement of [
        "UPDATE votes SET decision = 'reject'",
        'DELETE FROM votes',
        'TRUNCATE votes',
        "UPDATE approvals SET payload = '{}'",
        'UPDATE approvals SET required_approvals = 0',
        "UPDATE approvals SET expires_at = 'infinity'",
        'UPDATE proposals SET title = title',
        'DELETE FROM proposals',
        'DELETE FROM approvals',
      ]) {
        const error = await client.query(statement).catch((reason: unknown) => reason);
        expect(String(error), statement).to.match(/permission denied/);
      }
    } finally {
      await client.end();
    }
  });
});
