import { expect } from 'chai';
import { lockAssociation as lockContribution } from '../../../lib/contracts/contribution.ts';
import type { Approval } from '../../../lib/contracts/governance.ts';
import { lockAssociation as lockTreasury } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { SUBJECT_LOCKS } from '../../../lib/locks/advisory.ts';
import { DONE, failed } from '../../harness/fakes/fake.ts';
import type { FakeAssociation } from '../../harness/fakes/membership.ts';
import { useGovernance } from '../../harness/governance.ts';
import { atOnce, outcomeOf } from '../../harness/refusal.ts';

const PENDING = { status: 'pending', error: null };
const NOT_EMPTY = failed('association_not_empty');
const CLOSED = failed('association_closed');

describe('governance: the closure of an association', () => {
  const harness = useGovernance();
  let group: FakeAssociation;
  beforeEach(() => {
    group = harness.found('president', 'treasurer', 'secretary');
  });

  const proposed = async () => (await harness.propose(0, group, {}, 'closure')).approval;
  const opened = async () => (await harness.propose(0, group, { text: 'Thanks' }, 'motion')).approval;
  /** Proposes a closure that lacks only the approval of member 2. */
  const almostDecided = async () => {
    const closure = await proposed();
    await harness.approve(1, closure);
    return closure;
  };
  const decide = async (approval: Approval) => {
    await harness.approve(1, approval);
    return harness.approve(2, approval);
  };
  const pending = () =>
    harness.sql(`SELECT id FROM approvals WHERE association_id = $1 AND status = 'pending'`, group.id);
  const executionOf = async (approval: Approval) => (await harness.read(approval)).execution;
  /** The approvals that have locked the association. */
  const lockedBy = async () => {
    const text = 'SELECT owner_id FROM locks WHERE subject = $1 AND NOT lifted';
    return (await harness.sql<{ owner_id: string }>(text, group.id)).map(({ owner_id }) => owner_id);
  };

  for (const left of ['contribution', 'treasury'] as const) {
    it(`cannot be proposed while ${left} still holds something, and the check is a dry run in both services`, async () => {
      const { contribution, treasury } = harness;
      harness[left].remains = 'something';
      expect(await outcomeOf(proposed())).to.equal('association_not_empty');
      const asked = [...contribution.received(lockContribution), ...treasury.received(lockTreasury)];
      const ofGroup = asked.filter((each) => each.association_id === group.id);
      expect(ofGroup.map((each) => each.dry_run)).to.deep.equal([true, true]);
      expect(await harness.eventTypes(group.id)).to.deep.equal([]);
    });
  }

  it('can be proposed while other services hold undecided requests, which its execution checks', async () => {
    harness.contribution.remains = 'undecided';
    harness.treasury.remains = 'undecided';
    expect((await proposed()).status).to.equal('pending');
  });

  it('can be proposed only when no other approval is pending: all are decided or have expired', async () => {
    const motion = await opened();
    expect(await outcomeOf(proposed())).to.equal('association_not_empty');
    await harness.approve(1, motion);
    const first = await proposed();
    expect(await outcomeOf(proposed())).to.equal('association_not_empty');
    harness.clock.offset_ms = Date.parse(first.expires_at) - Date.now();
    expect((await proposed()).status).to.equal('pending');
  });

  it('fails without a call to membership if another approval is pending, and can be proposed again', async () => {
    const closure = await proposed();
    const motion = await opened();
    expect(await decide(closure)).to.deep.include({ status: 'approved', execution: NOT_EMPTY });
    expect(harness.sentDecisions(closure)).to.deep.equal([]);
    await harness.approve(1, motion);
    const again = await proposed();
    expect((await decide(again)).execution).to.deep.equal(DONE);
    expect(harness.sentDecisions(again)).to.deep.equal(['approved']);
  });

  for (const [fault, answer, end] of [
    ['is unavailable', () => Promise.reject(problem('service_unavailable')), NOT_EMPTY],
    ['does not answer', () => new Promise<never>(() => undefined), DONE],
  ] as const) {
    it(`refuses proposals while membership ${fault}, until a retry of the call answers ${end.status}`, async () => {
      const closure = await proposed();
      harness.ownerAnswers(answer);
      expect((await decide(closure)).execution).to.deep.equal(PENDING);
      expect(await outcomeOf(opened())).to.equal('service_unavailable');
      expect(await lockedBy()).to.deep.equal([closure.id]);
      harness.ownerAnswers(() => end);
      await harness.waitUntilExecuted(closure, end);
      const [code, locks] = end === DONE ? ['association_closed', [closure.id]] : ['done', []];
      expect([await outcomeOf(opened()), await outcomeOf(harness.request(group))]).to.deep.equal([code, code]);
      expect(await lockedBy()).to.deep.equal(locks);
      expect(await pending()).to.have.length(end === DONE ? 0 : 2);
    });
  }

  it('does not delay approvals that a service requests for a stored request', async () => {
    const closure = await proposed();
    harness.ownerAnswers(() => new Promise(() => undefined));
    await decide(closure);
    expect((await harness.request(group)).status).to.equal('pending');
  });

  for (const [end, code] of [
    [DONE, 'association_closed'],
    [NOT_EMPTY, 'done'],
  ] as const) {
    it(`makes concurrent proposals wait until it is ${end.status}`, async () => {
      const closure = await proposed();
      let made: Promise<string> | undefined;
      const waiting = Promise.withResolvers<void>();
      harness.once('governance.proposal_waits', () => {
        waiting.resolve();
      });
      harness.ownerAnswers(async ({ approval_id }) => {
        // Membership is also notified of closures that earlier tests have left.
        if (approval_id !== closure.id) return DONE;
        made ??= outcomeOf(opened());
        await waiting.promise;
        return end;
      });
      await decide(closure);
      expect(await made).to.equal(code);
    });
  }

  it('either succeeds and leaves no approval pending, or fails because of a concurrent proposal', async () => {
    for (let round = 0; round < 8; round += 1) {
      group = harness.found('president', 'treasurer', 'secretary');
      const closure = await almostDecided();
      const attempts = [harness.approve(2, closure), ...atOnce(3, opened)];
      // The closure is sent first in half of the rounds.
      const outcomes = await Promise.allSettled(round % 2 === 0 ? attempts : attempts.toReversed());
      const isRefused = outcomes.some((outcome) => outcome.status === 'rejected');
      const isPending = (await pending()).length > 0;
      const execution = await executionOf(closure);
      expect({ execution, isPending, isRefused }).to.deep.be.oneOf([
        { execution: DONE, isPending: false, isRefused: true },
        { execution: NOT_EMPTY, isPending: true, isRefused: false },
      ]);
    }
  });

  it('waits for approvals that are being stored, and takes them into account', async () => {
    const closure = await almostDecided();
    let decided: Promise<Approval> | undefined;
    await harness.inTransaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock_shared($1, hashtext($2))', [SUBJECT_LOCKS, group.id]);
      const changes = JSON.stringify({ id: harness.newId(), subject_id: harness.newId() });
      await client.query(
        `INSERT INTO approvals SELECT (jsonb_populate_record(approval, $2::jsonb)).* FROM approvals AS approval WHERE id = $1`,
        [closure.id, changes],
      );
      decided = harness.approve(2, closure);
      await harness.waitForLockWaiter(group.id);
      expect((await executionOf(closure)).status).to.equal('pending');
    });
    expect((await decided)?.execution).to.deep.equal(NOT_EMPTY);
  });

  it('makes proposals wait while it checks for pending approvals, and refuses them once it holds the lock', async () => {
    const closure = await proposed();
    let refused: Promise<string> | undefined;
    await harness.inTransaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [SUBJECT_LOCKS, group.id]);
      refused = outcomeOf(opened());
      await harness.waitForLockWaiter(group.id);
      await client.query('INSERT INTO locks VALUES ($1, $2, false)', [group.id, closure.id]);
    });
    expect(await refused).to.equal('service_unavailable');
  });

  for (const point of ['locking', 'locking.acted', 'notifying', 'notifying.acted', 'notified']) {
    it(`is executed once when the process dies at ${point}`, async () => {
      const closure = await almostDecided();
      await harness.dieAt(`governance.execution.${point}`, () => harness.approve(2, closure));
      await harness.waitUntilExecuted(closure);
      expect(await lockedBy()).to.deep.equal([closure.id]);
    });
  }

  it('is refused permanently if membership has executed another closure, and then holds no lock', async () => {
    // Two members who propose a closure concurrently open two approvals.
    const [first, second] = await Promise.all(
      atOnce(2, () => harness.request(group, { subject_type: 'closure', payload: {} })),
    );
    for (const closure of [first!, second!]) await harness.approve(1, closure);
    harness.ownerAnswers(({ approval_id }) => (approval_id === second!.id ? DONE : CLOSED));
    // Both are decided before recovery executes either: it would find the other one pending.
    harness.reached = () => Promise.reject(new Error('the process dies here'));
    for (const closure of [first!, second!]) await harness.approve(2, closure);
    harness.reached = () => undefined;
    await harness.waitUntilExecuted(second!);
    await harness.waitUntilExecuted(first!, CLOSED);
    expect(await lockedBy()).to.deep.equal([second!.id]);
  });
});
