import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import * as governance from '../../../lib/contracts/governance.ts';
import { executeApproval } from '../../../lib/contracts/membership.ts';
import { executeApproval as executeMoney } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { eventually } from '../../harness/eventually.ts';
import { DONE, failed } from '../../harness/fakes/fake.ts';
import { RIGHT_PIN, type FakeAssociation } from '../../harness/fakes/membership.ts';
import { useGovernance } from '../../harness/governance.ts';
import { atOnce, INSUFFICIENT_PRIVILEGE, outcomeOf, outcomesOf } from '../../harness/refusal.ts';

/** Long enough for recovery to notify an owner a second time, which it must not. */
const RECOVERED_AGAIN_MS = 600;
const WAITING_FOR_APPROVAL = `
  SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM approvals % FOR UPDATE%'`;
const NONE = { status: 'none', error: null };

describe('governance: votes', () => {
  const harness = useGovernance();
  let group: FakeAssociation;
  beforeEach(() => {
    group = harness.found('president', 'treasurer', 'secretary', 'member');
  });

  /** Requests approval of a distribution, which needs two votes; a cash deposit needs one. */
  const distribution = () => harness.request(group, { subject_type: 'distribution' });
  const withPin = (index: number, approval_id: string, pin: string, contract = governance.approve) =>
    outcomeOf(harness.by(index, contract, { path: { association_id: group.id }, body: { approval_id, pin } }));

  it('approve with the required number, pass the payload to the service that executes it, and report the execution', async () => {
    const approval = await harness.request(group, { payload: { amount: 7 } });
    expect(approval).to.include({ status: 'pending', required_approvals: 1, decided_at: null });
    const decided = await harness.approve(1, approval, approval.payload_hash);
    expect(decided).to.deep.include({ id: approval.id, status: 'approved', execution: DONE });
    expect(decided.votes).to.have.length(1);
    expect(decided.votes[0]).to.include({ member_id: harness.memberId(group, 1), decision: 'approve' });
    expect(harness.sentDecisions(approval)).to.deep.equal(['approved']);
    const told = harness.treasury.received(executeMoney).filter(({ approval_id }) => approval_id === approval.id);
    expect(told.map(({ payload }) => payload)).to.deep.equal([{ amount: 7 }]);
    const other = harness.membership.received(executeApproval).filter(({ approval_id }) => approval_id === approval.id);
    expect(other).to.deep.equal([]);
    expect(await harness.eventTypes(group.id)).to.deep.equal([
      'approval.requested',
      'approval.voted',
      'approval.approved',
    ]);
    expect(await harness.read(approval)).to.deep.equal(decided);
  });

  it('decide once, even if more than the required number are concurrent', async () => {
    group = harness.found('president', 'treasurer', 'treasurer', 'secretary', 'secretary');
    const approval = await distribution();
    const votes = await outcomesOf([1, 2, 3, 4].map((index) => harness.approve(index, approval)));
    expect(votes).to.deep.equal(['approval_not_pending', 'approval_not_pending', 'done', 'done']);
    const { votes: counted, status } = await harness.read(approval);
    expect([counted.length, status]).to.deep.equal([2, 'approved']);
    expect(await harness.events(group.id, 'approval.approved')).to.have.length(1);
  });

  it('count one vote of a member, even if two are concurrent', async () => {
    const approval = await distribution();
    const votes = await outcomesOf(atOnce(2, () => harness.approve(1, approval)));
    expect(votes).to.deep.equal(['already_voted', 'done']);
    expect(await outcomeOf(harness.reject(1, approval))).to.equal('already_voted');
    expect((await harness.read(approval)).votes).to.have.length(1);
  });

  it('are told that the approval is decided, not that they have voted, if their own vote decides it meanwhile', async () => {
    const approval = await harness.request(group);
    let late: Promise<string> | undefined;
    await harness.inTransaction(async (deciding) => {
      await deciding.query('SELECT FROM approvals WHERE id = $1 FOR UPDATE', [approval.id]);
      late = outcomeOf(harness.approve(1, approval));
      await eventually(async () => expect(await harness.sql(WAITING_FOR_APPROVAL)).to.not.be.empty);
      await deciding.query(
        `INSERT INTO votes (approval_id, member_id, decision, voted_at, operation_id) VALUES ($1, $2, 'approve', now(), $3)`,
        [approval.id, harness.memberId(group, 1), harness.newId()],
      );
      await deciding.query(
        `UPDATE approvals SET status = 'approved', decided_at = now(), execution_status = 'done' WHERE id = $1`,
        [approval.id],
      );
    });
    expect(await late).to.equal('approval_not_pending');
  });

  it('reject as soon as the required number of approvals cannot be reached', async () => {
    const approval = await distribution();
    expect(await harness.reject(2, approval, 'Too much')).to.deep.include({ status: 'rejected', execution: NONE });
    expect(harness.sentDecisions(approval)).to.deep.equal(['rejected']);
    expect(await harness.eventTypes(group.id)).to.include('approval.rejected');
  });

  describe('are refused', () => {
    it('for members who are not, or no longer, on the board, and for strangers', async () => {
      const approval = await harness.request(group);
      group.members[1]!.role = 'member';
      expect(await outcomeOf(harness.approve(1, approval))).to.equal('role_not_allowed');
      expect(await outcomeOf(harness.approve(3, approval))).to.equal('role_not_allowed');
      expect(await outcomeOf(harness.approve(9, approval))).to.equal('not_found');
      expect((await harness.read(approval)).votes).to.deep.equal([]);
    });

    it('with a wrong PIN', async () => {
      const { id } = await harness.request(group);
      for (const contract of [governance.approve, governance.reject]) {
        expect(await withPin(1, id, 'wrong', contract as typeof governance.approve)).to.equal('pin_invalid');
      }
    });

    it("as `not_found` for another association's approval", async () => {
      const approval = await harness.request(group);
      const { id: association_id } = harness.found('president', 'treasurer');
      expect(await outcomeOf(harness.approve(1, { ...approval, association_id }))).to.equal('not_found');
    });

    it('for the requester and the member concerned', async () => {
      const approval = await harness.request(group, { concerned_member_id: harness.memberId(group, 2) });
      expect(await outcomeOf(harness.approve(0, approval))).to.equal('own_request');
      expect(await outcomeOf(harness.reject(2, approval))).to.equal('beneficiary_cannot_approve');
    });

    it('after the approval is decided or has expired, even if the expiry is not yet recorded', async () => {
      const decided = await harness.approve(1, await harness.request(group));
      expect(await outcomeOf(harness.approve(2, decided))).to.equal('approval_not_pending');
      expect(await outcomeOf(harness.approve(1, decided))).to.equal('approval_not_pending');
      const late = await harness.request(group);
      harness.clock.offset_ms = 336 * 3_600_000;
      expect(await outcomeOf(harness.approve(2, late))).to.equal('approval_not_pending');
    });

    it('in a closed association, after the role and the PIN are checked', async () => {
      const { id } = await harness.request(group);
      group.terms.status = 'closed';
      expect(await withPin(3, id, 'wrong')).to.equal('role_not_allowed');
      expect(await withPin(1, id, 'wrong')).to.equal('pin_invalid');
      expect(await withPin(1, id, RIGHT_PIN)).to.equal('association_closed');
    });

    it('if the given payload hash differs from the hash of the stored payload', async () => {
      const approval = await harness.request(group);
      expect(await outcomeOf(harness.approve(1, approval, 'f'.repeat(64)))).to.equal('approval_changed');
      expect((await harness.approve(1, approval, approval.payload_hash.toUpperCase())).status).to.equal('approved');
    });
  });

  describe('the execution of a decision', () => {
    it('is pending in the answer while the owner is slow, and is done once', async () => {
      const approval = await harness.request(group);
      harness.ownerAnswers(() => new Promise(() => undefined));
      const answer = await harness.approve(1, approval);
      expect(answer).to.deep.include({ status: 'approved', execution: { status: 'pending', error: null } });
      harness.ownerAnswers(() => DONE);
      await harness.waitUntilExecuted(approval);
      const told = harness.sentDecisions(approval).length;
      await sleep(RECOVERED_AGAIN_MS);
      expect(harness.sentDecisions(approval)).to.have.length(told);
    });

    it('fails permanently, with a reason, when the owner answers so or refuses', async () => {
      for (const [answer, error] of [
        [() => failed('insufficient_funds'), 'insufficient_funds'],
        [() => Promise.reject(problem('association_closed')), 'association_closed'],
      ] as const) {
        harness.ownerAnswers(answer);
        const decided = await harness.approve(1, await harness.request(group));
        expect(decided).to.deep.include({ status: 'approved', execution: failed(error) });
      }
    });

    it('notifies the owner of a rejection until it answers', async () => {
      group = harness.found('president', 'treasurer');
      const approval = await harness.request(group);
      harness.ownerAnswers(() => Promise.reject(new Error('unavailable')));
      expect((await harness.reject(1, approval)).status).to.equal('rejected');
      harness.ownerAnswers(() => DONE);
      await eventually(() => expect(harness.sentDecisions(approval).length).to.be.greaterThan(1));
      expect(new Set(harness.sentDecisions(approval))).to.deep.equal(new Set(['rejected']));
      expect((await harness.read(approval)).execution).to.deep.equal(NONE);
    });
  });

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
    it(`are protected in the database: the service may not ${statement}`, async () => {
      expect(await harness.asRole(statement)).to.equal(INSUFFICIENT_PRIVILEGE);
    });
  }
});
