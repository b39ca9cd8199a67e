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
/** Enough for repeats to meet in each order. */
const ROUNDS = 25;
/** The time after which an approval expires by the default rules. */
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
  /** Requests approval of a distribution, which needs two votes; a cash deposit needs one. */
  const distribution = () => harness.request(group, { subject_type: 'distribution' });
  const ownerNotified = (approval: Approval, ...decisions: string[]) =>
    eventually(() => expect(harness.sentDecisions(approval)).to.deep.equal(decisions));

  describe('of other services', () => {
    it('open an approval with the required votes and expiry of the rules', async () => {
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

    it('open one approval per id, even if repeats are concurrent or the board has changed', async () => {
      let ids = { approval_id: '', subject_id: '' };
      for (let round = 0; round < ROUNDS; round += 1) {
        ids = { approval_id: harness.newId(), subject_id: harness.newId() };
        const [first, ...others] = await Promise.all(atOnce(12, () => harness.request(group, ids)));
        expect(first!.id).to.equal(ids.approval_id);
        for (const other of others) expect(other).to.deep.equal(first);
      }
      for (const index of [1, 2]) group.members[index]!.role = 'member';
      expect(await harness.request(group, ids)).to.include({ id: ids.approval_id });
      expect(await stored()).to.have.length(ROUNDS);
      expect(await harness.events(group.id, 'approval.requested')).to.have.length(ROUNDS);
    });

    for (const [roles, concerned, required] of [
      [['president', 'treasurer', 'secretary'], 2, 1],
      [['president', 'treasurer'], 1, 0],
      [['president', 'member'], null, 0],
    ] as const) {
      it(`need ${String(required)} approvals of ${roles.join(' and ')}, and are refused if no member may vote`, async () => {
        const { id: association_id } = found(...roles);
        const concerned_member_id = concerned === null ? null : harness.memberId(group, concerned);
        const check = harness.command(governance.checkEligibility, {
          association_id,
          subject_type: 'cash_deposit',
          concerned_member_id,
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

    it('are refused to the only board member for every subject, although a proposal would be carried out', async () => {
      for (const subject_type of ['cash_deposit', 'distribution', 'closure'] as const) {
        found('president', 'member');
        expect(await outcomeOf(harness.request(group, { subject_type })), subject_type).to.equal(
          'no_eligible_approver',
        );
      }
    });

    it('survive a process that dies after it has stored them', async () => {
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
      expect(harness.sentDecisions(approval)).to.deep.equal(['cancelled']);
      expect((await harness.eventTypes(group.id)).at(-1)).to.equal('approval.cancelled');
    });

    it('only if they exist, by their requester, in an active association, while the requester is an active member', async () => {
      expect(await outcomeOf(harness.cancel(1, approval))).to.equal('not_requester');
      expect(await outcomeOf(harness.cancel(9, approval))).to.equal('not_found');
      group.terms.status = 'closed';
      expect(await outcomeOf(harness.cancel(0, { ...approval, id: harness.newId() }))).to.equal('not_found');
      expect(await outcomeOf(harness.cancel(0, approval))).to.equal('association_closed');
      group.terms.status = 'active';
      group.members[0]!.status = 'left';
      expect(await outcomeOf(harness.cancel(0, approval))).to.equal('not_found');
    });

    it('only while they are pending, neither decided nor expired, even if the expiry is not yet recorded', async () => {
      const late = await harness.request(group);
      await harness.approve(1, approval);
      expect(await outcomeOf(harness.cancel(0, approval))).to.equal('approval_not_pending');
      harness.clock.offset_ms = EXPIRY_MS;
      expect(await outcomeOf(harness.cancel(0, late))).to.equal('approval_not_pending');
    });

    it('or decided, never both, when a cancellation and a vote are concurrent', async () => {
      for (let round = 0; round < RACES; round += 1) {
        const raced = await harness.request(group);
        const outcomes = await outcomesOf([harness.cancel(0, raced), harness.approve(1, raced)]);
        expect(outcomes).to.deep.equal(['approval_not_pending', 'done']);
        expect(harness.sentDecisions(raced)).to.have.length(1);
      }
    });
  });

  describe('expire', () => {
    it('at `expires_at`, and their owner is notified', async () => {
      const approval = await harness.request(group);
      harness.clock.offset_ms = EXPIRY_MS + 1_000;
      await ownerNotified(approval, 'expired');
      expect(await harness.read(approval)).to.include({ status: 'expired' });
      expect(await harness.events(group.id, 'approval.expired')).to.have.length(1);
    });

    it('or are decided, never both, when the last vote arrives around `expires_at`', async () => {
      for (let round = 0; round < RACES; round += 1) {
        harness.clock.offset_ms = 0;
        const approval = await harness.request(group);
        // The vote and recovery arrive a few milliseconds before or after `expires_at`.
        harness.clock.offset_ms = Date.parse(approval.expires_at) - Date.now() - 10 * round;
        const outcome = await outcomeOf(harness.approve(1, approval));
        expect(outcome).to.be.oneOf(['done', 'approval_not_pending']);
        const ended = outcome === 'done' ? 'approved' : 'expired';
        await eventually(() => expect(new Set(harness.sentDecisions(approval))).to.deep.equal(new Set([ended])));
        const { status, decided_at, expires_at } = await harness.read(approval);
        expect(status).to.equal(ended);
        expect(Date.parse(decided_at ?? '') < Date.parse(expires_at)).to.equal(ended === 'approved');
      }
      const types = (await harness.eventTypes(group.id)).filter((type) => /approved|expired/.test(type));
      expect(types).to.have.length(RACES);
    });
  });

  describe('are evaluated again', () => {
    for (const [event, change, type, data] of [
      ['has left', { status: 'left' }, 'member.left', { user_id: 'user-2' }],
      ['was expelled', { status: 'expelled' }, 'member.expelled', { user_id: 'user-2', approval_id: harness.newId() }],
      [
        'has lost their role',
        { role: 'member' },
        'member.role_changed',
        { from: 'secretary', to: 'member', approval_id: null },
      ],
    ] as const) {
      it(`when a member of the board ${event}: their vote no longer counts, and too few voters mean rejection`, async () => {
        const voted = await distribution();
        const unvoted = await distribution();
        const other = await harness.request(group);
        await harness.approve(2, voted);
        await harness.waitUntilReevaluated();
        Object.assign(group.members[2]!, change);
        await harness.publish('membership', group.id, type, { member_id: harness.memberId(group, 2), ...data });
        await ownerNotified(voted, 'rejected');
        await ownerNotified(unvoted, 'rejected');
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
          group.id,
          harness.newId(),
        );

      it('but never with a board that was read before a vote', async () => {
        const approval = await distribution();
        await harness.approve(1, approval);
        await harness.waitUntilReevaluated();
        // Recovery reads a board with the treasurer and is held there.
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
        await harness.waitUntilReevaluated();
        expect((await harness.read(approval)).status).to.equal('pending');
      });

      it('but are not approved after `expires_at`', async () => {
        const approvals = await Promise.all(atOnce(20, distribution));
        await Promise.all(approvals.map((approval) => harness.approve(1, approval)));
        group.members[1]!.role = 'member';
        await Promise.all(approvals.map((approval) => harness.approve(2, approval)));
        await harness.waitUntilReevaluated();
        // From now on the votes of the former officer would count again.
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
    // As over HTTP, queries are untyped and may be invalid.
    const list = (query: object, index = 0) =>
      harness.by(index, governance.listApprovals, { path: { association_id: group.id }, query: query as never });
    const listed = async (query: object) => (await list(query)).data.map(({ id }) => id);

    it('newest first, in pages, filtered by status and type', async () => {
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

    it('and shown only to members', async () => {
      const approval = await harness.request(group);
      expect(await harness.read(approval)).to.deep.equal(approval);
      const { id: association_id } = harness.found('president', 'treasurer');
      expect(await outcomeOf(harness.read({ ...approval, association_id }))).to.equal('not_found');
      expect(await outcomeOf(list({}, 9))).to.equal('not_found');
    });
  });

  it('the service is healthy while its database answers', async () => {
    expect(await harness.command(governance.health, {})).to.deep.equal({ ok: true, delayed_events: false });
  });
});
