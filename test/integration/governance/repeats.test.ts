import { expect } from 'chai';
import * as governance from '../../../lib/contracts/governance.ts';
import { eventually } from '../../harness/eventually.ts';
import { GovernanceBench, RIGHT_PIN } from '../../harness/governance.ts';
import type { TestAssociation } from '../../harness/governance.ts';
import { refusalOf } from '../../harness/refusal.ts';

/** Longer than a request may hold its key: who has not answered by then is taken for dead. */
const LONGER_THAN_HELD_MS = 20_000;
const KEY = 'a key';

/** Where a process may die between a decision and the end of its execution. */
const EXECUTION_POINTS = ['notifying', 'notifying.acted', 'notified'].map((point) => `governance.execution.${point}`);

describe('governance: requests repeated with their Idempotency-Key', () => {
  let bench: GovernanceBench;

  before(async () => {
    bench = await GovernanceBench.start();
  });
  after(() => bench.stop());
  afterEach(async () => {
    bench.offset_ms = 0;
    bench.onStep = () => Promise.resolve();
    bench.owner = () => Promise.resolve({ status: 'done', error: null });
    // Keys are a user's, and every association here has the same users.
    await bench.sql('DELETE FROM idempotency_keys');
  });

  const eventsOf = async (group: TestAssociation, type: string) =>
    (await bench.events(group)).filter((each) => each === type).length;
  /** The first request to come here stops until it is let go; others pass. */
  const holdFirstAt = (step: string) => {
    const held = Promise.withResolvers<undefined>();
    const arrived = Promise.withResolvers<undefined>();
    let isFirst = true;
    bench.onStep = async (at) => {
      if (at !== step || !isFirst) return;
      isFirst = false;
      arrived.resolve(undefined);
      await held.promise;
    };
    return {
      arrived: arrived.promise,
      release: () => {
        held.resolve(undefined);
      },
    };
  };

  describe('votes', () => {
    for (const cast of ['approve', 'reject'] as const) {
      it(`count once, and give the first answer again: ${cast}`, async () => {
        for (const required of [1, 2]) {
          const group = bench.found('president', 'treasurer', 'secretary');
          group.terms.rules.approvals.motion = required;
          const { approval } = await bench.propose(0, group, { text: 'Thanks' }, 'motion');
          const vote = () => bench[cast](1, approval, undefined, KEY);
          const first = await vote();
          expect(bench.isReplayed(first)).to.equal(false);
          // Whatever has become of it since, also with the voter's role.
          if (first.status === 'pending') await bench.approve(2, approval);
          group.members[1]!.role = 'member';
          const again = await vote();
          expect(again).to.deep.equal(first);
          expect(bench.isReplayed(again)).to.equal(true);
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
      expect(await refusalOf(bench.as(1, governance.approve, wrong, KEY))).to.include({ code: 'pin_invalid' });
      expect((await bench.approve(1, approval, undefined, KEY)).votes).to.have.length(1);
      const other = bench.approve(1, approval, approval.payload_hash, KEY);
      expect(await refusalOf(other)).to.include({ code: 'idempotency_key_reused' });
      expect(await refusalOf(bench.approve(1, approval))).to.include({ code: 'already_voted' });
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
      const { arrived, release } = holdFirstAt('idempotency.claimed');
      const slow = bench.approve(1, approval, undefined, KEY);
      await arrived;
      bench.offset_ms = LONGER_THAN_HELD_MS;
      const quick = await bench.approve(1, approval, undefined, KEY);
      release();
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
      expect(bench.isReplayed(again)).to.equal(true);
      expect(await refusalOf(bench.cancel(0, approval, 'another'))).to.include({ code: 'approval_not_pending' });
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
      const { arrived, release } = holdFirstAt('idempotency.claimed');
      const slow = bench.cancel(0, approval, KEY);
      await arrived;
      bench.offset_ms = LONGER_THAN_HELD_MS;
      const quick = await bench.cancel(0, approval, KEY);
      release();
      expect(await slow).to.deep.equal(quick);
      expect(await eventsOf(group, 'approval.cancelled')).to.equal(1);
    });
  });

  describe('proposals', () => {
    const propose = (group: TestAssociation, type: 'motion' | 'expulsion', key = KEY) => {
      const { member_id } = group.members.at(-1)!;
      return bench.propose(0, group, type === 'motion' ? { text: 'Thanks' } : { member_id }, type, key);
    };

    it('are made once, and give the first answer again with its Location', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const first = await propose(group, 'expulsion');
      await bench.approve(1, first.approval);
      const again = await propose(group, 'expulsion');
      expect(again).to.deep.equal(first);
      expect(bench.isReplayed(again)).to.equal(true);
      expect(bench.locationOf(again)).to.equal(bench.locationOf(first));
      expect((await propose(group, 'expulsion', 'another')).id).not.to.equal(first.id);
    });

    it('are checked before their key is looked at', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      await propose(group, 'motion');
      const wrong = bench.propose(0, group, { text: '' }, 'motion', KEY);
      expect(await refusalOf(wrong)).to.include({ code: 'validation_failed' });
      expect(await refusalOf(propose(group, 'expulsion'))).to.include({ code: 'idempotency_key_reused' });
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
        expect(bench.locationOf(proposal)).to.contain(approval.id);
        expect(await propose(group, 'expulsion')).to.deep.equal(proposal);
        expect(await eventsOf(group, 'approval.requested')).to.equal(1);
      });
    }

    it('are answered by both when the first was only slow', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const { arrived, release } = holdFirstAt('idempotency.claimed');
      const slow = propose(group, 'expulsion');
      await arrived;
      bench.offset_ms = LONGER_THAN_HELD_MS;
      const quick = await propose(group, 'expulsion');
      release();
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
