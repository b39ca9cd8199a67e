import { expect } from 'chai';
import * as governance from '../../../lib/contracts/governance.ts';
import { eventually } from '../../harness/eventually.ts';
import type { FakeAssociation } from '../../harness/fakes/membership.ts';
import { RIGHT_PIN } from '../../harness/fakes/membership.ts';
import { useGovernance } from '../../harness/governance.ts';
import { outcomeOf } from '../../harness/refusal.ts';

/** Longer than a request may hold its key: who has not answered by then is taken for dead. */
const LONGER_THAN_HELD_MS = 20_000;
const KEY = 'a key';

/** Where a process may die between a decision and the end of its execution. */
const EXECUTION_POINTS = ['notifying', 'notifying.acted', 'notified'].map((point) => `governance.execution.${point}`);

describe('governance: requests repeated with their Idempotency-Key', () => {
  const bench = useGovernance();
  // Keys are a user's, and every association here has the same users.
  afterEach(() => bench.sql('DELETE FROM idempotency_keys'));

  const eventsOf = async (group: FakeAssociation, type: string) =>
    (await bench.eventTypes(group.id)).filter((each) => each === type).length;
  describe('votes', () => {
    for (const cast of ['approve', 'reject'] as const) {
      it(`count once, and give the first answer again: ${cast}`, async () => {
        for (const required of [1, 2]) {
          const group = bench.found('president', 'treasurer', 'secretary');
          group.terms.rules.approvals.motion = required;
          const { approval } = await bench.propose(0, group, { text: 'Thanks' }, 'motion');
          const vote = () => bench[cast](1, approval, undefined, KEY);
          const first = await vote();
          expect(bench.headOf(first).replayed).to.equal(false);
          // Whatever has become of it since, also with the voter's role.
          if (first.status === 'pending') await bench.approve(2, approval);
          group.members[1]!.role = 'member';
          const again = await vote();
          expect(again).to.deep.equal(first);
          expect(bench.headOf(again).replayed).to.equal(true);
          expect(
            (await bench.read(approval)).votes.filter(({ member_id }) => member_id === group.members[1]!.member_id),
          ).to.have.length(1);
          await bench.sql('DELETE FROM idempotency_keys');
        }
      });
    }

    it('free the key when they are refused, and cannot lend it to another request', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      const approval = await bench.request(group, { subject_type: 'distribution' });
      const wrong = { path: { association_id: group.id }, body: { approval_id: approval.id, pin: 'wrong' } };
      expect(await outcomeOf(bench.by(1, governance.approve, wrong, KEY))).to.equal('pin_invalid');
      expect((await bench.approve(1, approval, undefined, KEY)).votes).to.have.length(1);
      const other = bench.approve(1, approval, approval.payload_hash, KEY);
      expect(await outcomeOf(other)).to.equal('idempotency_key_reused');
      expect(await outcomeOf(bench.approve(1, approval))).to.equal('already_voted');
    });

    it('are cast once when both come at the same moment', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      const approval = await bench.request(group, { subject_type: 'distribution' });
      const votes = await Promise.allSettled([1, 2, 3].map(() => bench.approve(1, approval, undefined, KEY)));
      for (const vote of votes) {
        if (vote.status === 'rejected') expect(vote.reason).to.include({ type: 'idempotency_in_flight' });
        else expect(vote.value.votes).to.have.length(1);
      }
      expect(votes.some((vote) => vote.status === 'fulfilled')).to.equal(true);
      expect(await eventsOf(group, 'approval.voted')).to.equal(1);
    });

    for (const step of ['idempotency.claimed', ...EXECUTION_POINTS]) {
      it(`go on with what was begun when the process died at ${step}`, async () => {
        const group = bench.found('president', 'treasurer');
        const approval = await bench.request(group);
        await bench.dieAt(step, () => bench.approve(1, approval, undefined, KEY));
        const answer = await bench.approve(1, approval, undefined, KEY);
        expect(answer).to.deep.include({ status: 'approved', execution: { status: 'done', error: null } });
        expect(await bench.approve(1, approval, undefined, KEY)).to.deep.equal(answer);
        expect([await eventsOf(group, 'approval.voted'), await eventsOf(group, 'approval.approved')]).to.deep.equal([
          1, 1,
        ]);
      });
    }

    it('are answered by both when the first was only slow', async () => {
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      const { there, goOn } = bench.holdAt('idempotency.claimed');
      const slow = bench.approve(1, approval, undefined, KEY);
      await there;
      bench.clock.offset_ms = LONGER_THAN_HELD_MS;
      const quick = await bench.approve(1, approval, undefined, KEY);
      goOn();
      expect(await slow).to.deep.equal(quick);
      expect(quick).to.deep.include({ status: 'approved', execution: { status: 'done', error: null } });
      expect(await eventsOf(group, 'approval.voted')).to.equal(1);
    });
  });

  describe('cancellations', () => {
    it('happen once, and give the first answer again', async () => {
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      const first = await bench.cancel(0, approval, KEY);
      const again = await bench.cancel(0, approval, KEY);
      expect(again).to.deep.equal(first);
      expect(bench.headOf(again).replayed).to.equal(true);
      expect(await outcomeOf(bench.cancel(0, approval, 'another'))).to.equal('approval_not_pending');
      expect(await eventsOf(group, 'approval.cancelled')).to.equal(1);
    });

    for (const step of ['idempotency.claimed', ...EXECUTION_POINTS]) {
      it(`go on with what was begun when the process died at ${step}`, async () => {
        const group = bench.found('president', 'treasurer');
        const approval = await bench.request(group);
        await bench.dieAt(step, () => bench.cancel(0, approval, KEY));
        expect(await bench.cancel(0, approval, KEY)).to.include({ status: 'cancelled' });
        await eventually(() => {
          expect(bench.toldOf(approval)).to.include('cancelled');
        });
        expect(await eventsOf(group, 'approval.cancelled')).to.equal(1);
      });
    }

    it('are answered by both when the first was only slow', async () => {
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      const { there, goOn } = bench.holdAt('idempotency.claimed');
      const slow = bench.cancel(0, approval, KEY);
      await there;
      bench.clock.offset_ms = LONGER_THAN_HELD_MS;
      const quick = await bench.cancel(0, approval, KEY);
      goOn();
      expect(await slow).to.deep.equal(quick);
      expect(await eventsOf(group, 'approval.cancelled')).to.equal(1);
    });
  });

  describe('proposals', () => {
    const propose = (group: FakeAssociation, type: 'motion' | 'expulsion', key = KEY) => {
      const { member_id } = group.members.at(-1)!;
      return bench.propose(0, group, type === 'motion' ? { text: 'Thanks' } : { member_id }, type, key);
    };

    it('are made once, and give the first answer again with its Location', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const first = await propose(group, 'expulsion');
      await bench.approve(1, first.approval);
      const again = await propose(group, 'expulsion');
      expect(again).to.deep.equal(first);
      expect(bench.headOf(again).replayed).to.equal(true);
      expect(bench.headOf(again).location).to.equal(bench.headOf(first).location);
      expect((await propose(group, 'expulsion', 'another')).id).not.to.equal(first.id);
    });

    it('are checked before their key is looked at', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      await propose(group, 'motion');
      const wrong = bench.propose(0, group, { text: '' }, 'motion', KEY);
      expect(await outcomeOf(wrong)).to.equal('validation_failed');
      expect(await outcomeOf(propose(group, 'expulsion'))).to.equal('idempotency_key_reused');
    });

    for (const step of ['idempotency.claimed', 'governance.proposal_stored']) {
      it(`go on with what was begun when the process died at ${step}`, async () => {
        const group = bench.found('president', 'treasurer', 'member');
        await bench.dieAt(step, () => propose(group, 'expulsion'));
        const { approval } = await propose(group, 'expulsion');
        expect(approval.status).to.equal('pending');
        expect(await eventsOf(group, 'approval.requested')).to.equal(1);
      });
    }

    for (const step of ['governance.proposal_stored', ...EXECUTION_POINTS]) {
      it(`of a board of one are carried out once when the process died at ${step}`, async () => {
        const group = bench.found('president', 'member');
        await bench.dieAt(step, () => propose(group, 'expulsion'));
        // By now the member is expelled, as the first request asked: that does not stand in its own way.
        group.members[1]!.status = 'expelled';
        const proposal = await propose(group, 'expulsion');
        const { approval } = proposal;
        expect(approval).to.deep.include({ status: 'approved', execution: { status: 'done', error: null } });
        expect(bench.headOf(proposal).location).to.contain(approval.id);
        expect(await propose(group, 'expulsion')).to.deep.equal(proposal);
        expect(await eventsOf(group, 'approval.requested')).to.equal(1);
      });
    }

    it('are answered by both when the first was only slow', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const { there, goOn } = bench.holdAt('idempotency.claimed');
      const slow = propose(group, 'expulsion');
      await there;
      bench.clock.offset_ms = LONGER_THAN_HELD_MS;
      const quick = await propose(group, 'expulsion');
      goOn();
      expect(await slow).to.deep.equal(quick);
      expect(await eventsOf(group, 'approval.requested')).to.equal(1);
    });
  });

  it('keep no PIN, sealed or not', async () => {
    const group = bench.found('president', 'treasurer');
    await bench.approve(1, await bench.request(group), undefined, KEY);
    const kept = await bench.sql('SELECT idempotency_keys::text AS kept FROM idempotency_keys');
    expect(kept).to.have.length(1);
    expect(JSON.stringify(kept)).not.to.contain(RIGHT_PIN);
  });
});
