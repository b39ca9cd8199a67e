import { expect } from 'chai';
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import type { Approval } from '../../../lib/contracts/governance.ts';
import { lockAssociation as lockContribution } from '../../../lib/contracts/contribution.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import { lockAssociation as lockTreasury } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { eventually } from '../../harness/eventually.ts';
import type { FakeAssociation } from '../../harness/fakes/membership.ts';
import { useGovernance } from '../../harness/governance.ts';
import { outcomeOf } from '../../harness/refusal.ts';

const LOCK = { contribution: lockContribution, treasury: lockTreasury };
const DONE: ExecutionOutcome = { status: 'done', error: null };
const NOT_EMPTY: ExecutionOutcome = { status: 'failed', error: 'association_not_empty' };
const CLOSED: ExecutionOutcome = { status: 'failed', error: 'association_closed' };

describe('governance: the closure of an association', () => {
  const bench = useGovernance();

  const board = () => bench.found('president', 'treasurer', 'secretary');
  const proposed = async (group: FakeAssociation) => (await bench.propose(0, group, {}, 'closure')).approval;
  const opened = async (group: FakeAssociation) => {
    const { approval } = await bench.propose(0, group, { text: 'Thanks' }, 'motion');
    return approval;
  };
  /** As two who propose it at the same moment would have it. */
  const openedClosure = (group: FakeAssociation) => bench.request(group, { subject_type: 'closure', payload: {} });
  const decide = async (approval: Approval) => {
    await bench.approve(1, approval);
    return bench.approve(2, approval);
  };
  const pendingIn = async (group: FakeAssociation) =>
    (await bench.sql(`SELECT id FROM approvals WHERE association_id = $1 AND status = 'pending'`, group.id)).length;
  const executionOf = async (approval: Approval) => (await bench.read(approval)).execution;

  it('is not proposed while the others find something left, and they are only asked', async () => {
    for (const left of ['contribution', 'treasury'] as const) {
      const group = board();
      bench[left].remains = 'something';
      expect(await outcomeOf(proposed(group)), left).to.equal('association_not_empty');
      const { contribution, treasury } = bench;
      const asked = [contribution.received(LOCK.contribution), treasury.received(LOCK.treasury)].flat();
      const ofGroup = asked.filter((each) => each.association_id === group.id);
      expect(ofGroup.map((each) => each.dry_run)).to.deep.equal([true, true]);
      bench[left].remains = 'nothing';
      expect(await bench.eventTypes(group.id)).to.deep.equal([]);
    }
  });

  it('is proposed while the others have at most what they have not accepted: that is judged when it is carried out', async () => {
    const group = board();
    bench.contribution.remains = 'undecided';
    bench.treasury.remains = 'undecided';
    expect((await proposed(group)).status).to.equal('pending');
  });

  it('is asked for again while membership cannot tell how it ends', async () => {
    const group = board();
    const closure = await proposed(group);
    bench.ownerAnswers(() => Promise.reject(problem('service_unavailable')));
    expect((await decide(closure)).execution).to.deep.equal({ status: 'pending', error: null });
    expect(await outcomeOf(opened(group))).to.equal('service_unavailable');
    bench.ownerAnswers(() => NOT_EMPTY);
    await eventually(async () => {
      expect(await executionOf(closure)).to.deep.equal(NOT_EMPTY);
    });
    expect((await opened(group)).status).to.equal('pending');
  });

  it('is not proposed while another approval is pending, but once that is decided or its time is over', async () => {
    const group = board();
    const motion = await opened(group);
    expect(await outcomeOf(proposed(group))).to.equal('association_not_empty');
    await bench.approve(1, motion);
    const first = await proposed(group);
    expect(await outcomeOf(proposed(group))).to.equal('association_not_empty');
    bench.clock.offset_ms = Date.parse(first.expires_at) - Date.now();
    expect((await proposed(group)).status).to.equal('pending');
  });

  it('fails while another approval is pending, without a word to membership, and can be tried again', async () => {
    const group = board();
    const closure = await proposed(group);
    const motion = await opened(group);
    const decided = await decide(closure);
    expect(decided).to.deep.include({ status: 'approved', execution: NOT_EMPTY });
    expect(bench.toldOf(closure)).to.deep.equal([]);
    await bench.approve(1, motion);
    const again = await proposed(group);
    expect((await decide(again)).execution).to.deep.equal(DONE);
    expect(bench.toldOf(again)).to.deep.equal(['approved']);
  });

  it('lets no proposal be made while it is carried out, and no approval be opened after', async () => {
    const group = board();
    const closure = await proposed(group);
    bench.ownerAnswers(() => new Promise(() => undefined));
    expect((await decide(closure)).execution.status).to.equal('pending');
    expect(await outcomeOf(opened(group))).to.equal('service_unavailable');
    bench.ownerAnswers(() => DONE);
    await eventually(async () => {
      expect(await executionOf(closure)).to.deep.equal(DONE);
    });
    expect(await outcomeOf(opened(group))).to.equal('association_closed');
    expect(await outcomeOf(bench.request(group))).to.equal('association_closed');
    const path = { association_id: group.id };
    expect((await bench.by(0, governance.listApprovals, { path })).data).to.have.length(1);
  });

  it('keeps no service waiting that has stored what it asks an approval for: the closure waits for that', async () => {
    const group = board();
    const closure = await proposed(group);
    bench.ownerAnswers(() => new Promise(() => undefined));
    await decide(closure);
    expect((await bench.request(group)).status).to.equal('pending');
  });

  it('has proposals wait for how it ends', async () => {
    for (const end of [DONE, NOT_EMPTY]) {
      const group = board();
      const closure = await proposed(group);
      let made: Promise<string> | undefined;
      const waiting = Promise.withResolvers<void>();
      bench.once('governance.proposal_waits', () => {
        waiting.resolve();
      });
      bench.ownerAnswers(async ({ approval_id }) => {
        // Closures that earlier tests have left are told as well.
        if (approval_id !== closure.id) return DONE;
        made ??= outcomeOf(opened(group));
        await waiting.promise;
        return end;
      });
      await decide(closure);
      expect(await made).to.equal(end === DONE ? 'association_closed' : 'done');
    }
  });

  it('lets approvals be opened again once it has failed', async () => {
    const group = board();
    bench.ownerAnswers(() => NOT_EMPTY);
    expect((await decide(await proposed(group))).execution).to.deep.equal(NOT_EMPTY);
    expect((await opened(group)).status).to.equal('pending');
    expect(await bench.sql('SELECT 1 FROM locks WHERE subject = $1 AND NOT lifted', group.id)).to.deep.equal([]);
  });

  it('either is done and leaves nothing pending, or fails for what is, when both are tried at once', async () => {
    const ends = new Set<string>();
    for (let round = 0; round < 8; round += 1) {
      const group = board();
      const closure = await proposed(group);
      await bench.approve(1, closure);
      const attempts = [bench.approve(2, closure), ...Array.from({ length: 3 }, () => opened(group))];
      // The closure comes first in half of the rounds.
      const outcomes = await Promise.allSettled(round % 2 === 0 ? attempts : attempts.toReversed());
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      const { status, error } = await executionOf(closure);
      const pending = (await pendingIn(group)) > 0;
      expect({ pending, error }).to.deep.equal(
        status === 'done' ? { pending: false, error: null } : { pending: true, error: 'association_not_empty' },
      );
      expect(refused.length > 0).to.equal(status === 'done');
      ends.add(status);
    }
    expect([...ends].every((end) => ['done', 'failed'].includes(end))).to.equal(true);
  });

  it('waits for requests that are being stored, and sees them', async () => {
    const group = board();
    const closure = await proposed(group);
    await bench.approve(1, closure);
    let decided: Promise<Approval> | undefined;
    await bench.inTransaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock_shared(7207, hashtext($1))', [group.id]);
      const changes = JSON.stringify({ id: bench.newId(), subject_id: bench.newId() });
      await client.query(
        `INSERT INTO approvals SELECT (jsonb_populate_record(approval, $2::jsonb)).* FROM approvals AS approval WHERE id = $1`,
        [closure.id, changes],
      );
      decided = bench.approve(2, closure);
      await bench.lockAwaited(group.id);
      expect((await executionOf(closure)).status).to.equal('pending');
    });
    expect((await decided)?.execution).to.deep.equal(NOT_EMPTY);
  });

  it('keeps proposals waiting while it looks, and once it has sealed', async () => {
    const group = board();
    const closure = await proposed(group);
    let refused: Promise<string> | undefined;
    await bench.inTransaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock(7207, hashtext($1))', [group.id]);
      refused = outcomeOf(opened(group));
      await bench.lockAwaited(group.id);
      await client.query('INSERT INTO locks VALUES ($1, $2, false)', [group.id, closure.id]);
    });
    expect(await refused).to.equal('service_unavailable');
  });

  for (const point of ['locking', 'locking.acted', 'notifying', 'notifying.acted', 'notified']) {
    it(`is executed once when the process dies at ${point}`, async () => {
      const group = board();
      const closure = await proposed(group);
      await bench.approve(1, closure);
      await bench.dieAt(`governance.execution.${point}`, () => bench.approve(2, closure));
      await eventually(async () => {
        expect(await executionOf(closure)).to.deep.equal(DONE);
      });
      expect(
        await bench.sql('SELECT owner_id AS approval_id FROM locks WHERE subject = $1 AND NOT lifted', group.id),
      ).to.deep.equal([{ approval_id: closure.id }]);
    });
  }

  it('is refused for good where membership has executed another, and then holds no lock', async () => {
    const group = board();
    const [first, second] = [await openedClosure(group), await openedClosure(group)];
    for (const closure of [first, second]) await bench.approve(1, closure);
    bench.ownerAnswers(({ approval_id }) => (approval_id === second.id ? DONE : CLOSED));
    // The first is decided, but not begun: it would find the second pending.
    bench.reached = () => Promise.reject(new Error('the process dies here'));
    await bench.approve(2, first);
    bench.reached = () => undefined;
    await bench.approve(2, second);
    await eventually(async () => {
      expect([await executionOf(second), await executionOf(first)]).to.deep.equal([DONE, CLOSED]);
    });
    const locked = await bench.sql('SELECT owner_id FROM locks WHERE subject = $1 AND NOT lifted', group.id);
    expect(locked).to.deep.equal([{ owner_id: second.id }]);
  });
});
