import { expect } from 'chai';
import * as governance from '../../../lib/contracts/governance.ts';
import { board } from '../../../lib/contracts/membership.ts';
import { eventually } from '../../harness/eventually.ts';
import type { FakeAssociation } from '../../harness/fakes/membership.ts';
import { useGovernance } from '../../harness/governance.ts';
import { outcomeOf, refusalOf } from '../../harness/refusal.ts';

const HOUR_MS = 3_600_000;

describe('governance: requests', () => {
  const bench = useGovernance();

  const count = async (group: FakeAssociation) =>
    (await bench.sql('SELECT 1 FROM approvals WHERE association_id = $1', group.id)).length;

  describe('of other services', () => {
    it('open an approval by the rules of the association', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      group.terms.rules.approvals.distribution = 10;
      group.terms.rules.approval_expires_in_hours = 5;
      const before = Date.now();
      const concerned = group.members[2]!.member_id;
      const approval = await bench.request(group, { subject_type: 'distribution', concerned_member_id: concerned });
      expect(approval).to.include({ required_approvals: 1, status: 'pending', subject_type: 'distribution' });
      expect(approval.execution).to.deep.equal({ status: 'none', error: null });
      expect(approval.payload_hash).to.match(/^[0-9a-f]{64}$/);
      expect(Date.parse(approval.expires_at) - before).to.be.within(5 * HOUR_MS, 5 * HOUR_MS + 5_000);
    });

    it('open one for each id, however the board changes in between', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      const [approval_id, subject_id] = [bench.newId(), bench.newId()];
      const attempts = Array.from({ length: 5 }, () => bench.request(group, { approval_id, subject_id }));
      const [first, ...others] = await Promise.all(attempts);
      for (const other of others) expect(other).to.deep.equal(first);
      group.members[1]!.role = 'member';
      group.members[2]!.role = 'member';
      expect(await bench.request(group, { approval_id, subject_id })).to.include({ id: approval_id });
      expect(await count(group)).to.equal(1);
      expect((await bench.eventTypes(group.id)).filter((type) => type === 'approval.requested')).to.have.length(1);
    });

    it('open one for each id, also for many parallel repeats', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      for (let round = 0; round < 100; round += 1) {
        const [approval_id, subject_id] = [bench.newId(), bench.newId()];
        const attempts = Array.from({ length: 12 }, () => bench.request(group, { approval_id, subject_id }));
        const ids = (await Promise.all(attempts)).map(({ id }) => id);
        expect(new Set(ids)).to.deep.equal(new Set([approval_id]));
      }
      expect(await count(group)).to.equal(100);
    });

    it('are refused if no member may decide them, and leave nothing behind', async () => {
      const alone = bench.found('president', 'member');
      expect(await outcomeOf(bench.request(alone))).to.equal('no_eligible_approver');
      const pair = bench.found('president', 'treasurer');
      const own = { concerned_member_id: pair.members[1]!.member_id };
      expect(await outcomeOf(bench.request(pair, own))).to.equal('no_eligible_approver');
      expect([await count(alone), await count(pair)]).to.deep.equal([0, 0]);
      expect(await bench.eventTypes(pair.id)).to.deep.equal([]);
    });

    it('can be checked first, which writes nothing', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const check = (concerned_member_id: string | null) =>
        bench.command(governance.checkEligibility, {
          association_id: group.id,
          subject_type: 'distribution',
          requested_by_member_id: group.members[0]!.member_id,
          concerned_member_id,
        });
      expect(await check(null)).to.deep.equal({ required_approvals: 1 });
      const [, treasurer] = group.members;
      expect(await outcomeOf(check(treasurer!.member_id))).to.equal('no_eligible_approver');
      expect(await count(group)).to.equal(0);
    });

    it('survive a process that dies once they are stored', async () => {
      const group = bench.found('president', 'treasurer');
      const ids = { approval_id: bench.newId(), subject_id: bench.newId() };
      await bench.dieAt('governance.approval_stored', () => bench.request(group, ids));
      expect(await bench.request(group, ids)).to.include({ id: ids.approval_id, status: 'pending' });
      expect(await bench.eventTypes(group.id)).to.deep.equal(['approval.requested']);
    });
  });

  describe('of the board itself', () => {
    it('are proposals, decided by the others', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const payload = { member_id: group.members[2]!.member_id.toUpperCase(), role: 'Secretary' };
      const proposal = await bench.propose(0, group, payload);
      expect(proposal).to.include({ type: 'role_change', title: 'A change', association_id: group.id });
      expect(proposal.payload).to.deep.equal({ member_id: group.members[2]!.member_id, role: 'secretary' });
      expect(proposal.approval).to.include({ status: 'pending', subject_id: proposal.id, required_approvals: 1 });
      expect(bench.headOf(proposal).location).to.match(
        new RegExp(`/associations/${group.id}/governance/approvals/${proposal.approval.id}$`),
      );
      expect((await bench.approve(1, proposal.approval)).execution.status).to.equal('done');
    });

    it('are decided by the president, even to replace the president', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const { approval } = await bench.propose(1, group, { member_id: group.members[2]!.member_id, role: 'president' });
      expect((await bench.approve(0, approval)).status).to.equal('approved');
    });

    it('are not decided by the member whose role they change', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      const { approval } = await bench.propose(0, group, { member_id: group.members[1]!.member_id, role: 'member' });
      expect(await outcomeOf(bench.approve(1, approval))).to.equal('beneficiary_cannot_approve');
      const own = await bench.propose(0, group, { member_id: group.members[0]!.member_id, role: 'member' });
      expect(await outcomeOf(bench.approve(0, own.approval))).to.equal('own_request');
    });

    it('are approved by making them, and executed at once, while the board is one person', async () => {
      const group = bench.found('president', 'member');
      const { approval } = await bench.propose(0, group, { member_id: group.members[1]!.member_id, role: 'treasurer' });
      expect(approval).to.include({ status: 'approved', required_approvals: 0 });
      expect(approval.execution).to.deep.equal({ status: 'done', error: null });
      expect(bench.toldOf(approval)).to.deep.equal(['approved']);
      expect(await bench.eventTypes(group.id)).to.deep.equal(['approval.requested', 'approval.approved']);
    });

    it('are executed after a crash right after they were stored', async () => {
      const group = bench.found('president', 'member');
      const payload = { member_id: group.members[1]!.member_id, role: 'treasurer' };
      await bench.dieAt('governance.proposal_stored', () => bench.propose(0, group, payload));
      await eventually(async () => {
        const { data } = await bench.by(0, governance.listApprovals, { path: { association_id: group.id } });
        expect(data.map(({ execution }) => execution.status)).to.deep.equal(['done']);
      });
    });

    it('are refused to plain members, for unknown members, and if no member may decide them', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const [, treasurer, member] = group.members;
      const propose = (index: number, member_id: string) =>
        refusalOf(bench.propose(index, group, { member_id, role: 'secretary' }));
      expect(await propose(2, member!.member_id)).to.include({ code: 'role_not_allowed' });
      expect(await propose(0, bench.newId())).to.include({ code: 'not_found' });
      expect(await propose(0, 'no-such-member')).to.include({ code: 'not_found' });
      expect(await propose(0, treasurer!.member_id)).to.include({ code: 'no_eligible_approver' });
      member!.status = 'left';
      expect(await propose(0, member!.member_id)).to.include({ code: 'not_found' });
      expect(await count(group)).to.equal(0);
    });

    it('have the payload of their type, and nothing else', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const { member_id } = group.members[2]!;
      const pointers = async (payload: Record<string, unknown>) => {
        const { code, extras } = await refusalOf(bench.propose(0, group, payload));
        expect(code).to.equal('validation_failed');
        return (extras.errors as { pointer: string }[]).map((error) => error.pointer);
      };
      expect(await pointers({})).to.have.members(['/payload/member_id', '/payload/role']);
      expect(await pointers({ member_id, role: 'king' })).to.deep.equal(['/payload/role']);
      expect(await pointers({ member_id, role: 'member', 'a/b': 1 })).to.deep.equal(['/payload/a~1b']);
      expect(await pointers({ member_id: null, role: 'member' })).to.deep.equal(['/payload/member_id']);
    });
  });

  describe('are cancelled', () => {
    it('by their requester, even without a board role by then', async () => {
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      group.members[0]!.role = 'member';
      const cancelled = await bench.cancel(0, approval);
      expect(cancelled.status).to.equal('cancelled');
      expect(cancelled.decided_at).to.be.a('string');
      expect(bench.toldOf(approval)).to.deep.equal(['cancelled']);
      expect((await bench.eventTypes(group.id)).at(-1)).to.equal('approval.cancelled');
    });

    it('only if they exist, and by active members of an active association', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const approval = await bench.request(group);
      group.terms.status = 'closed';
      expect(await outcomeOf(bench.cancel(0, { ...approval, id: bench.newId() }))).to.equal('not_found');
      expect(await outcomeOf(bench.cancel(0, approval))).to.equal('association_closed');
      group.terms.status = 'active';
      group.members[0]!.status = 'left';
      expect(await outcomeOf(bench.cancel(0, approval))).to.equal('not_found');
    });

    it('not once they have expired, even before that is recorded', async () => {
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      bench.clock.offset_ms = 336 * HOUR_MS;
      expect(await outcomeOf(bench.cancel(0, approval))).to.equal('approval_not_pending');
    });

    it('by no other member, and only while pending', async () => {
      const group = bench.found('president', 'treasurer', 'member');
      const approval = await bench.request(group);
      expect(await outcomeOf(bench.cancel(1, approval))).to.equal('not_requester');
      expect(await outcomeOf(bench.cancel(9, approval))).to.equal('not_found');
      await bench.approve(1, approval);
      expect(await outcomeOf(bench.cancel(0, approval))).to.equal('approval_not_pending');
    });

    it('or decided, never both, when both are tried at once', async () => {
      const group = bench.found('president', 'treasurer');
      for (let round = 0; round < 5; round += 1) {
        const approval = await bench.request(group);
        const outcomes = await Promise.allSettled([bench.cancel(0, approval), bench.approve(1, approval)]);
        expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).to.have.length(1);
        expect(bench.toldOf(approval)).to.have.length(1);
      }
    });
  });

  describe('expire', () => {
    it('when their time is over, and their owner is told', async () => {
      const group = bench.found('president', 'treasurer');
      const approval = await bench.request(group);
      bench.clock.offset_ms = 336 * HOUR_MS + 1_000;
      await eventually(() => {
        expect(bench.toldOf(approval)).to.deep.equal(['expired']);
      });
      expect(await bench.read(approval)).to.include({ status: 'expired' });
      expect((await bench.eventTypes(group.id)).filter((type) => type === 'approval.expired')).to.have.length(1);
    });
  });

  describe('are decided or expire, never both', () => {
    it('when the last vote comes as their time ends', async () => {
      const group = bench.found('president', 'treasurer');
      for (let round = 0; round < 6; round += 1) {
        bench.clock.offset_ms = 0;
        const approval = await bench.request(group);
        // From some milliseconds before the end to some after it, as votes and sweeps come.
        bench.clock.offset_ms = Date.parse(approval.expires_at) - Date.now() - 10 * round;
        const [vote] = await Promise.allSettled([bench.approve(1, approval)]);
        if (vote.status === 'rejected') expect(vote.reason).to.include({ type: 'approval_not_pending' });
        const ended = vote.status === 'fulfilled' ? 'approved' : 'expired';
        await eventually(() => {
          expect(new Set(bench.toldOf(approval))).to.deep.equal(new Set([ended]));
        });
        const { status, decided_at, expires_at } = await bench.read(approval);
        expect(status).to.equal(ended);
        expect(Date.parse(decided_at ?? '') < Date.parse(expires_at)).to.equal(ended === 'approved');
      }
      const ends = (await bench.eventTypes(group.id)).filter((type) =>
        ['approval.approved', 'approval.expired'].includes(type),
      );
      expect(ends).to.have.length(6);
    });
  });

  describe('are judged again when the board changes', () => {
    it('because a member left, and rejected if too few remain', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      const approval = await bench.request(group, { subject_type: 'distribution' });
      const other = await bench.request(group);
      await eventually(async () => {
        expect(await bench.sql('SELECT 1 FROM approvals WHERE rejudge_mark IS NOT NULL')).to.deep.equal([]);
      });
      group.members[2]!.status = 'left';
      await bench.publish('membership', group.id, 'member.left', {
        member_id: group.members[2]!.member_id,
        user_id: 'user-2',
      });
      await eventually(() => {
        expect(bench.toldOf(approval)).to.deep.equal(['rejected']);
      });
      expect((await bench.read(other)).status).to.equal('pending');
    });

    it('because a member was expelled', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      const approval = await bench.request(group, { subject_type: 'distribution' });
      await eventually(async () => {
        expect(await bench.sql('SELECT 1 FROM approvals WHERE rejudge_mark IS NOT NULL')).to.deep.equal([]);
      });
      const [, , { member_id, user_id }] = group.members as [unknown, unknown, (typeof group.members)[0]];
      group.members[2]!.status = 'expelled';
      await bench.publish('membership', group.id, 'member.expelled', {
        member_id,
        user_id,
        approval_id: bench.newId(),
      });
      await eventually(() => {
        expect(bench.toldOf(approval)).to.deep.equal(['rejected']);
      });
    });

    it('not with a board that was read before a vote', async () => {
      const group = bench.found('president', 'treasurer', 'secretary', 'secretary');
      const approval = await bench.request(group, { subject_type: 'distribution' });
      await bench.approve(1, approval);
      const unmarked = async () => {
        expect(await bench.sql('SELECT 1 FROM approvals WHERE rejudge_mark IS NOT NULL')).to.deep.equal([]);
      };
      await eventually(unmarked);
      // The sweeper learns of a board with the treasurer, and gets no further.
      const held = Promise.withResolvers<void>();
      const boards = bench.membership.received(board);
      const before = boards.length;
      bench.membership.next(board, held.promise);
      await bench.sql('UPDATE approvals SET rejudge_mark = $2 WHERE id = $1', approval.id, bench.newId());
      await eventually(() => expect(boards.length).to.be.above(before));
      expect(boards.at(-1)).to.deep.equal({ association_id: group.id });
      group.members[1]!.role = 'member';
      expect((await bench.approve(2, approval)).status).to.equal('pending');
      held.resolve();
      await eventually(unmarked);
      expect((await bench.read(approval)).status).to.equal('pending');
    });

    it('but not approved once their time is over', async () => {
      const group = bench.found('president', 'treasurer', 'secretary', 'secretary');
      const approvals = await Promise.all(
        Array.from({ length: 20 }, () => bench.request(group, { subject_type: 'distribution' })),
      );
      await Promise.all(approvals.map((approval) => bench.approve(1, approval)));
      group.members[1]!.role = 'member';
      await Promise.all(approvals.map((approval) => bench.approve(2, approval)));
      await eventually(async () => {
        expect(await bench.sql('SELECT 1 FROM approvals WHERE rejudge_mark IS NOT NULL')).to.deep.equal([]);
      });
      // The former officer's votes would count again now.
      group.members[1]!.role = 'treasurer';
      bench.clock.offset_ms = 336 * HOUR_MS + 1_000;
      await bench.sql(
        `UPDATE approvals SET rejudge_mark = $2 WHERE association_id = $1 AND status = 'pending'`,
        group.id,
        bench.newId(),
      );
      await eventually(async () => {
        const ended = await Promise.all(approvals.map((approval) => bench.read(approval)));
        expect(ended.map((approval) => approval.status)).to.deep.equal(approvals.map(() => 'expired'));
      });
    });

    it('because a role changed, and approved votes of former officers no longer count', async () => {
      const group = bench.found('president', 'treasurer', 'secretary');
      const approval = await bench.request(group, { subject_type: 'distribution' });
      await bench.approve(1, approval);
      group.members[1]!.role = 'member';
      await bench.publish('membership', group.id, 'member.role_changed', {
        member_id: group.members[1]!.member_id,
        from: 'treasurer',
        to: 'member',
        approval_id: null,
      });
      await eventually(async () => {
        expect((await bench.read(approval)).status).to.equal('rejected');
      });
    });
  });

  describe('are listed', () => {
    it('newest first, page by page, by status and type', async () => {
      const group = bench.found('president', 'treasurer', 'secretary', 'member');
      const made: string[] = [];
      for (let index = 0; index < 5; index += 1) made.unshift((await bench.request(group)).id);
      const distribution = await bench.request(group, { subject_type: 'distribution' });
      const [newest] = made;
      await bench.approve(1, { association_id: group.id, id: newest! } as governance.Approval);
      // As over HTTP, where nothing is typed: bad queries are sent as well.
      const list = (query: object, reader = 3) =>
        bench.by(reader, governance.listApprovals, { path: { association_id: group.id }, query: query as never });
      const first = await list({ subject_type: 'cash_deposit', limit: 2 });
      expect(first.data.map((approval) => approval.id)).to.deep.equal(made.slice(0, 2));
      expect(first.data[0]?.votes).to.have.length(1);
      const second = await list({ subject_type: 'cash_deposit', limit: 3, cursor: first.next_cursor });
      expect(second.data.map((approval) => approval.id)).to.deep.equal(made.slice(2));
      expect(second.next_cursor).to.equal(null);
      expect((await list({ status: 'approved' })).data.map((approval) => approval.id)).to.deep.equal([newest]);
      expect((await list({ subject_type: 'distribution' })).data).to.deep.equal([distribution]);
      const foreign = list({ subject_type: 'distribution', cursor: first.next_cursor });
      expect(await outcomeOf(foreign)).to.equal('validation_failed');
    });

    it('and shown to members alone', async () => {
      const [group, other] = [bench.found('president', 'treasurer'), bench.found('president', 'treasurer')];
      const approval = await bench.request(group);
      expect(await bench.read(approval)).to.deep.equal(approval);
      expect(await outcomeOf(bench.read({ ...approval, association_id: other.id }))).to.equal('not_found');
      const path = { association_id: group.id };
      expect(await outcomeOf(bench.by(9, governance.listApprovals, { path }))).to.equal('not_found');
    });
  });

  it('answers for its health', async () => {
    expect(await bench.command(governance.health, {})).to.deep.equal({ ok: true, delayed_events: false });
  });
});
