import { expect } from 'chai';
import * as governance from '../../../lib/contracts/governance.ts';
import type { Approval } from '../../../lib/contracts/governance.ts';
import { board } from '../../../lib/contracts/membership.ts';
import type { Role } from '../../../lib/contracts/permissions.ts';
import { eventually } from '../../harness/eventually.ts';
import type { FakeAssociation } from '../../harness/fakes/membership.ts';
import { useGovernance } from '../../harness/governance.ts';
import { atOnce, outcomeOf, outcomesOf } from '../../harness/refusal.ts';

const HOUR_MS = 3_600_000;
/** After so long an approval has expired, unless the rules say otherwise. */
const EXPIRY_MS = 336 * HOUR_MS;
const RACES = 6;

describe('governance: requests', () => {
  const harness = useGovernance();
  let group: FakeAssociation;
  const found = (...roles: Role[]) => (group = harness.found(...roles));
  beforeEach(() => {
    found('president', 'treasurer', 'secretary');
  });

  const stored = () => harness.sql('SELECT 1 FROM approvals WHERE association_id = $1', group.id);
  /** For this, the rules ask two approvals, and one for cash. */
  const distribution = () => harness.request(group, { subject_type: 'distribution' });
  const told = (approval: Approval, ...decisions: string[]) =>
    eventually(() => expect(harness.toldOf(approval)).to.deep.equal(decisions));

  describe('of other services', () => {
    it('open an approval by the rules of the association', async () => {
      group.terms.rules.approvals.distribution = 10;
      group.terms.rules.approval_expires_in_hours = 5;
      const before = Date.now();
      const concerned_member_id = harness.memberId(group, 2);
      const approval = await harness.request(group, { subject_type: 'distribution', concerned_member_id });
      expect(approval).to.deep.include({
        subject_type: 'distribution',
        required_approvals: 1,
        status: 'pending',
        execution: { status: 'none', error: null },
      });
      expect(approval.payload_hash).to.match(/^[0-9a-f]{64}$/);
      expect(Date.parse(approval.expires_at) - before).to.be.within(5 * HOUR_MS, 5 * HOUR_MS + 5_000);
    });

    it('open one for each id, also for many parallel repeats, and after changes of the board', async () => {
      let ids = { approval_id: '', subject_id: '' };
      for (let round = 0; round < 100; round += 1) {
        ids = { approval_id: harness.newId(), subject_id: harness.newId() };
        const [first, ...others] = await Promise.all(atOnce(12, () => harness.request(group, ids)));
        expect(first!.id).to.equal(ids.approval_id);
        for (const other of others) expect(other).to.deep.equal(first);
      }
      for (const index of [1, 2]) group.members[index]!.role = 'member';
      expect(await harness.request(group, ids)).to.include({ id: ids.approval_id });
      expect(await stored()).to.have.length(100);
      expect(await harness.events(group.id, 'approval.requested')).to.have.length(100);
    });

    for (const [roles, concerned, required] of [
      [['president', 'treasurer', 'secretary'], 2, 1],
      [['president', 'treasurer'], 1, 0],
      [['president', 'member'], null, 0],
    ] as const) {
      it(`need ${String(required)} of ${roles.join(' and ')}, and are refused for none, also when only checked`, async () => {
        const { id: association_id } = found(...roles);
        const concerned_member_id = concerned === null ? null : harness.memberId(group, concerned);
        const check = harness.command(governance.checkEligibility, {
          ...{ association_id, subject_type: 'cash_deposit', concerned_member_id },
          requested_by_member_id: harness.memberId(group, 0),
        });
        if (required > 0) {
          expect(await check).to.deep.equal({ required_approvals: required });
        } else {
          expect(await outcomeOf(check)).to.equal('no_eligible_approver');
          expect(await outcomeOf(harness.request(group, { concerned_member_id }))).to.equal('no_eligible_approver');
        }
        expect([await stored(), await harness.eventTypes(group.id)]).to.deep.equal([[], []]);
      });
    }

    it('survive a process that dies once they are stored', async () => {
      const ids = { approval_id: harness.newId(), subject_id: harness.newId() };
      await harness.dieAt('governance.approval_stored', () => harness.request(group, ids));
      expect(await harness.request(group, ids)).to.include({ id: ids.approval_id, status: 'pending' });
      expect(await harness.eventTypes(group.id)).to.deep.equal(['approval.requested']);
    });
  });

  describe('are cancelled', () => {
    let approval: Approval;
    beforeEach(async () => {
      approval = await harness.request(group);
    });

    it('by their requester, even without a board role by then', async () => {
      group.members[0]!.role = 'member';
      const cancelled = await harness.cancel(0, approval);
      expect(cancelled.status).to.equal('cancelled');
      expect(cancelled.decided_at).to.be.a('string');
      expect(harness.toldOf(approval)).to.deep.equal(['cancelled']);
      expect((await harness.eventTypes(group.id)).at(-1)).to.equal('approval.cancelled');
    });

    it('by no other member, and only if they exist, in an active association, by an active member', async () => {
      expect(await outcomeOf(harness.cancel(1, approval))).to.equal('not_requester');
      expect(await outcomeOf(harness.cancel(9, approval))).to.equal('not_found');
      group.terms.status = 'closed';
      expect(await outcomeOf(harness.cancel(0, { ...approval, id: harness.newId() }))).to.equal('not_found');
      expect(await outcomeOf(harness.cancel(0, approval))).to.equal('association_closed');
      group.terms.status = 'active';
      group.members[0]!.status = 'left';
      expect(await outcomeOf(harness.cancel(0, approval))).to.equal('not_found');
    });

    it('only while pending: not once decided, nor once expired, even before that is recorded', async () => {
      const late = await harness.request(group);
      await harness.approve(1, approval);
      expect(await outcomeOf(harness.cancel(0, approval))).to.equal('approval_not_pending');
      harness.clock.offset_ms = EXPIRY_MS;
      expect(await outcomeOf(harness.cancel(0, late))).to.equal('approval_not_pending');
    });

    it('or decided, never both, when both are tried at once', async () => {
      for (let round = 0; round < RACES; round += 1) {
        const raced = await harness.request(group);
        const outcomes = await outcomesOf([harness.cancel(0, raced), harness.approve(1, raced)]);
        expect(outcomes).to.deep.equal(['approval_not_pending', 'done']);
        expect(harness.toldOf(raced)).to.have.length(1);
      }
    });
  });

  describe('expire', () => {
    it('when their time is over, and their owner is told', async () => {
      const approval = await harness.request(group);
      harness.clock.offset_ms = EXPIRY_MS + 1_000;
      await told(approval, 'expired');
      expect(await harness.read(approval)).to.include({ status: 'expired' });
      expect(await harness.events(group.id, 'approval.expired')).to.have.length(1);
    });

    it('or are decided, never both, when the last vote comes as their time ends', async () => {
      for (let round = 0; round < RACES; round += 1) {
        harness.clock.offset_ms = 0;
        const approval = await harness.request(group);
        // From some milliseconds before the end to some after it, as votes and recovery come.
        harness.clock.offset_ms = Date.parse(approval.expires_at) - Date.now() - 10 * round;
        const outcome = await outcomeOf(harness.approve(1, approval));
        expect(outcome).to.be.oneOf(['done', 'approval_not_pending']);
        const ended = outcome === 'done' ? 'approved' : 'expired';
        await eventually(() => expect(new Set(harness.toldOf(approval))).to.deep.equal(new Set([ended])));
        const { status, decided_at, expires_at } = await harness.read(approval);
        expect(status).to.equal(ended);
        expect(Date.parse(decided_at ?? '') < Date.parse(expires_at)).to.equal(ended === 'approved');
      }
      const types = (await harness.eventTypes(group.id)).filter((type) => /approved|expired/.test(type));
      expect(types).to.have.length(RACES);
    });
  });

  describe('are judged again', () => {
    for (const [what, change, type, data] of [
      ['has left', { status: 'left' }, 'member.left', { user_id: 'user-2' }],
      ['was expelled', { status: 'expelled' }, 'member.expelled', { user_id: 'user-2', approval_id: harness.newId() }],
      [
        'has lost their role',
        { role: 'member' },
        'member.role_changed',
        { from: 'secretary', to: 'member', approval_id: null },
      ],
    ] as const) {
      it(`when a member of the board ${what}: rejected if too few remain, whose vote no longer counts`, async () => {
        const [voted, unvoted, other] = [await distribution(), await distribution(), await harness.request(group)];
        await harness.approve(2, voted);
        await harness.rejudged();
        Object.assign(group.members[2]!, change);
        await harness.publish('membership', group.id, type, { member_id: harness.memberId(group, 2), ...data });
        await told(voted, 'rejected');
        await told(unvoted, 'rejected');
        expect((await harness.read(other)).status).to.equal('pending');
      });
    }

    describe('by recovery', () => {
      beforeEach(() => {
        found('president', 'treasurer', 'secretary', 'secretary');
      });
      const mark = () =>
        harness.sql(
          `UPDATE approvals SET rejudge_mark = $2 WHERE association_id = $1 AND status = 'pending'`,
          ...[group.id, harness.newId()],
        );

      it('not with a board that was read before a vote', async () => {
        const approval = await distribution();
        await harness.approve(1, approval);
        await harness.rejudged();
        // It reads a board with the treasurer, and gets no further.
        const held = Promise.withResolvers<void>();
        const boards = harness.membership.received(board);
        const before = boards.length;
        harness.membership.next(board, held.promise);
        await mark();
        await eventually(() => expect(boards.length).to.be.above(before));
        expect(boards.at(-1)).to.deep.equal({ association_id: group.id });
        group.members[1]!.role = 'member';
        expect((await harness.approve(2, approval)).status).to.equal('pending');
        held.resolve();
        await harness.rejudged();
        expect((await harness.read(approval)).status).to.equal('pending');
      });

      it('but not approved once their time is over', async () => {
        const approvals = await Promise.all(atOnce(20, distribution));
        await Promise.all(approvals.map((approval) => harness.approve(1, approval)));
        group.members[1]!.role = 'member';
        await Promise.all(approvals.map((approval) => harness.approve(2, approval)));
        await harness.rejudged();
        // The former officer's votes would count again now.
        group.members[1]!.role = 'treasurer';
        harness.clock.offset_ms = EXPIRY_MS + 1_000;
        await mark();
        await eventually(async () => {
          const ended = await Promise.all(approvals.map((approval) => harness.read(approval)));
          expect(ended.map((approval) => approval.status)).to.deep.equal(approvals.map(() => 'expired'));
        });
      });
    });
  });

  describe('are listed', () => {
    // As over HTTP, where nothing is typed: bad queries are sent as well.
    const list = (query: object, index = 0) =>
      harness.by(index, governance.listApprovals, { path: { association_id: group.id }, query: query as never });
    const listed = async (query: object) => (await list(query)).data.map(({ id }) => id);

    it('newest first, page by page, by status and type', async () => {
      const made: Approval[] = [];
      for (let index = 0; index < 5; index += 1) made.unshift(await harness.request(group));
      const ids = made.map(({ id }) => id);
      const other = await distribution();
      await harness.approve(1, made[0]!);
      const first = await list({ subject_type: 'cash_deposit', limit: 2 });
      expect(first.data.map(({ id }) => id)).to.deep.equal(ids.slice(0, 2));
      expect(first.data[0]?.votes).to.have.length(1);
      const second = await list({ subject_type: 'cash_deposit', limit: 3, cursor: first.next_cursor });
      expect(second.data.map(({ id }) => id)).to.deep.equal(ids.slice(2));
      expect(second.next_cursor).to.equal(null);
      expect(await listed({ status: 'approved' })).to.deep.equal([ids[0]]);
      expect((await list({ subject_type: 'distribution' })).data).to.deep.equal([other]);
      const foreign = list({ subject_type: 'distribution', cursor: first.next_cursor });
      expect(await outcomeOf(foreign)).to.equal('validation_failed');
    });

    it('and shown to members alone', async () => {
      const approval = await harness.request(group);
      expect(await harness.read(approval)).to.deep.equal(approval);
      const { id: association_id } = harness.found('president', 'treasurer');
      expect(await outcomeOf(harness.read({ ...approval, association_id }))).to.equal('not_found');
      expect(await outcomeOf(list({}, 9))).to.equal('not_found');
    });
  });

  it('answers for its health', async () => {
    expect(await harness.command(governance.health, {})).to.deep.equal({ ok: true, delayed_events: false });
  });
});
