import { expect } from 'chai';
import pg from 'pg';
import * as governance from '../../../lib/contracts/governance.ts';
import { executeApproval } from '../../../lib/contracts/membership.ts';
import { executeApproval as executeMoney } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { eventually } from '../../harness/eventually.ts';
import { RIGHT_PIN } from '../../harness/fakes/membership.ts';
import { useGovernance } from '../../harness/governance.ts';
import type { Told } from '../../harness/governance.ts';
import { outcomeOf } from '../../harness/refusal.ts';

describe('governance: votes', () => {
  const bench = useGovernance();

  it('approves with the required vote, has it carried out and says so', async () => {
    const group = bench.found('president', 'treasurer', 'secretary');
    const approval = await bench.request(group);
    expect(approval).to.include({ status: 'pending', required_approvals: 1, decided_at: null });
    const decided = await bench.approve(1, approval, approval.payload_hash);
    expect(decided).to.include({ id: approval.id, status: 'approved' });
    expect(decided.execution).to.deep.equal({ status: 'done', error: null });
    expect(decided.votes).to.have.length(1);
    expect(decided.votes[0]).to.include({ member_id: group.members[1]?.member_id, decision: 'approve' });
    expect(bench.toldOf(approval)).to.deep.equal(['approved']);
    expect(await bench.eventTypes(group.id)).to.deep.equal([
      'approval.requested',
      'approval.voted',
      'approval.approved',
    ]);
    expect(await bench.read(approval)).to.deep.equal(decided);
  });

  it('tells the treasury of money and membership of roles, with the payload', async () => {
    const group = bench.found('president', 'treasurer', 'secretary', 'member');
    const money = await bench.request(group, { payload: { amount: 7 } });
    await bench.approve(1, money);
    const { approval: role } = await bench.propose(0, group, {
      member_id: group.members[3]?.member_id,
      role: 'member',
    });
    await bench.approve(1, role);
    const payloadsOf = (told: Told[]) =>
      told.filter(({ approval_id }) => [money.id, role.id].includes(approval_id)).map(({ payload }) => payload);
    expect(payloadsOf(bench.treasury.received(executeMoney))).to.deep.equal([{ amount: 7 }]);
    expect(payloadsOf(bench.membership.received(executeApproval))).to.deep.equal([role.payload]);
  });

  it('waits for as many approvals as the rules ask', async () => {
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
    expect((await bench.eventTypes(group.id)).filter((type) => type === 'approval.approved')).to.have.length(1);
  });

  it('takes one vote of a member who votes twice at the same moment', async () => {
    const group = bench.found('president', 'treasurer', 'secretary');
    const approval = await bench.request(group, { subject_type: 'distribution' });
    const votes = await Promise.allSettled([bench.approve(1, approval), bench.approve(1, approval)]);
    expect(votes.filter((vote) => vote.status === 'fulfilled')).to.have.length(1);
    expect(await outcomeOf(bench.approve(1, approval))).to.equal('already_voted');
  });

  it('rejects as soon as the required number cannot be reached', async () => {
    const group = bench.found('president', 'treasurer', 'secretary');
    const approval = await bench.request(group, { subject_type: 'distribution' });
    const decided = await bench.reject(2, approval, 'Too much');
    expect(decided.status).to.equal('rejected');
    expect(decided.execution).to.deep.equal({ status: 'none', error: null });
    expect(bench.toldOf(approval)).to.deep.equal(['rejected']);
    expect(await bench.eventTypes(group.id)).to.include('approval.rejected');
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
    it('to whoever is not on the board, and to strangers', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const approval = await bench.request(group);
      expect(await outcomeOf(bench.approve(2, approval))).to.equal('role_not_allowed');
      expect(await outcomeOf(bench.approve(9, approval))).to.equal('not_found');
    });

    it('with a wrong PIN', async () => {
      const group = bench.found('president', 'treasurer');
      const { id } = await bench.request(group);
      const vote = { path: { association_id: group.id }, body: { approval_id: id, pin: 'wrong' } };
      expect(await outcomeOf(bench.by(1, governance.approve, vote))).to.equal('pin_invalid');
      expect(await outcomeOf(bench.by(1, governance.reject, vote))).to.equal('pin_invalid');
    });

    it("for another association's approval, as if there were none", async () => {
      const [group, other] = [bench.found('president', 'treasurer'), bench.found('president', 'treasurer')];
      const approval = await bench.request(group);
      expect(await outcomeOf(bench.approve(1, { ...approval, association_id: other.id }))).to.equal('not_found');
    });

    it('to the requester and the one concerned', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      const approval = await bench.request(group, { concerned_member_id: group.members[2]!.member_id });
      expect(await outcomeOf(bench.approve(0, approval))).to.equal('own_request');
      expect(await outcomeOf(bench.reject(2, approval))).to.equal('beneficiary_cannot_approve');
    });

    it('once it is decided, and once its time is over though nobody has noticed', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      const decided = await bench.approve(1, await bench.request(group));
      expect(await outcomeOf(bench.approve(2, decided))).to.equal('approval_not_pending');
      expect(await outcomeOf(bench.approve(1, decided))).to.equal('approval_not_pending');
      const late = await bench.request(group);
      bench.clock.offset_ms = 336 * 3_600_000;
      expect(await outcomeOf(bench.approve(2, late))).to.equal('approval_not_pending');
    });

    it('in a closed association, after the role and the PIN', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const { id } = await bench.request(group);
      group.terms.status = 'closed';
      const vote = (index: number, pin: string) =>
        outcomeOf(
          bench.by(index, governance.approve, { path: { association_id: group.id }, body: { approval_id: id, pin } }),
        );
      expect(await vote(2, 'wrong')).to.equal('role_not_allowed');
      expect(await vote(1, 'wrong')).to.equal('pin_invalid');
      expect(await vote(1, RIGHT_PIN)).to.equal('association_closed');
    });

    it('a second time, whichever way', async () => {
      const group = bench.found('president', 'treasurer', 'secretary', 'secretary');
      const approval = await bench.request(group, { subject_type: 'distribution' });
      await bench.reject(1, approval);
      expect(await outcomeOf(bench.approve(1, approval))).to.equal('already_voted');
      expect(await outcomeOf(bench.reject(1, approval))).to.equal('already_voted');
      expect((await bench.read(approval)).votes).to.have.length(1);
    });

    it('to who has lost his role since the request was made', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      const approval = await bench.request(group);
      group.members[1]!.role = 'member';
      expect(await outcomeOf(bench.approve(1, approval))).to.equal('role_not_allowed');
      expect((await bench.read(approval)).votes).to.deep.equal([]);
    });

    it('for another payload than the one there is', async () => {
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      expect(await outcomeOf(bench.approve(1, approval, 'f'.repeat(64)))).to.equal('approval_changed');
      expect((await bench.approve(1, approval, approval.payload_hash.toUpperCase())).status).to.equal('approved');
    });
  });

  describe('execution', () => {
    it('is pending in the answer when the owner takes longer, and done soon after, once', async () => {
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      bench.ownerAnswers(() => new Promise(() => undefined));
      const answer = await bench.approve(1, approval);
      expect(answer.status).to.equal('approved');
      expect(answer.execution).to.deep.equal({ status: 'pending', error: null });
      bench.ownerAnswers(() => ({ status: 'done', error: null }));
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
      bench.ownerAnswers(() => ({ status: 'failed', error: 'insufficient_funds' }));
      const answer = await bench.approve(1, approval);
      expect(answer.status).to.equal('approved');
      expect(answer.execution).to.deep.equal({ status: 'failed', error: 'insufficient_funds' });
    });

    it('takes the refusal of the owner for a failure', async () => {
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      bench.ownerAnswers(() => Promise.reject(problem('association_closed')));
      expect((await bench.approve(1, approval)).execution).to.deep.equal({
        status: 'failed',
        error: 'association_closed',
      });
    });

    it('tells the owner of a rejection until it has heard it', async () => {
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      bench.ownerAnswers(() => Promise.reject(new Error('away')));
      expect((await bench.reject(1, approval)).status).to.equal('rejected');
      bench.ownerAnswers(() => ({ status: 'done', error: null }));
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
        expect((await bench.eventTypes(group.id)).filter((type) => type === 'approval.approved')).to.have.length(1);
      });
    }
  });

  it('cannot be changed or removed by the service itself', async () => {
    const group = bench.found('president', 'treasurer');
    await bench.approve(1, await bench.request(group));
    const client = new pg.Client({ connectionString: bench.database.url });
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
