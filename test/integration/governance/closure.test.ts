import { expect } from 'chai';
import type { ExecutionOutcome } from '../../../lib/contracts/approvals.ts';
import type { Approval } from '../../../lib/contracts/governance.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import { problem, problemCode } from '../../../lib/errors/problem.ts';
import { eventually } from '../../harness/eventually.ts';
import { GovernanceBench } from '../../harness/governance.ts';
import type { TestAssociation } from '../../harness/governance.ts';
import { refusalOf } from '../../harness/refusal.ts';

const DONE: ExecutionOutcome = { status: 'done', error: null };
const NOT_EMPTY: ExecutionOutcome = { status: 'failed', error: 'association_not_empty' };
const CLOSED: ExecutionOutcome = { status: 'failed', error: 'association_closed' };

describe('governance: the closure of an association', () => {
  let bench: GovernanceBench;

  before(async () => {
    bench = await GovernanceBench.start();
  });
  after(() => bench.stop());
  afterEach(() => {
    bench.offset_ms = 0;
    bench.onStep = () => Promise.resolve();
    bench.owner = () => Promise.resolve(DONE);
    bench.remains = { contribution: 'nothing', treasury: 'nothing' };
  });

  const board = () => bench.found('president', 'treasurer', 'secretary');
  const proposed = async (group: TestAssociation) => (await bench.propose(0, group, {}, 'closure')).approval;
  const opened = async (group: TestAssociation) => {
    const { approval } = await bench.propose(0, group, { text: 'Thanks' }, 'motion');
    return approval;
  };
  /** As two who propose it at the same moment would have it. */
  const openedClosure = (group: TestAssociation) => bench.request(group, { subject_type: 'closure', payload: {} });
  const decide = async (approval: Approval) => {
    await bench.approve(1, approval);
    return bench.approve(2, approval);
  };
  const pendingIn = async (group: TestAssociation) =>
    (await bench.sql(`SELECT id FROM approvals WHERE association_id = $1 AND status = 'pending'`, group.id)).length;
  const executionOf = async (approval: Approval) => (await bench.read(approval)).execution;

  it('is not proposed while the others find something left, and they are only asked', async () => {
    for (const left of ['contribution', 'treasury'] as const) {
      const group = board();
      bench.remains = { contribution: 'nothing', treasury: 'nothing', [left]: 'something' };
      expect(await refusalOf(proposed(group)), left).to.include({ code: 'association_not_empty' });
      const asked = bench.lock_requests.filter((each) => each.association_id === group.id);
      expect(asked.map((each) => each.dry_run)).to.deep.equal([true, true]);
      expect(await bench.events(group)).to.deep.equal([]);
    }
  });

  it('is proposed while the others have at most what they have not accepted: that is judged when it is carried out', async () => {
    const group = board();
    bench.remains = { contribution: 'undecided', treasury: 'undecided' };
    expect((await proposed(group)).status).to.equal('pending');
  });

  it('is asked for again while membership cannot tell how it ends', async () => {
    const group = board();
    const closure = await proposed(group);
    bench.owner = () => Promise.reject(problem('service_unavailable'));
    expect((await decide(closure)).execution).to.deep.equal({ status: 'pending', error: null });
    expect(await refusalOf(opened(group))).to.include({ code: 'service_unavailable' });
    bench.owner = () => Promise.resolve(NOT_EMPTY);
    await eventually(async () => {
      expect(await executionOf(closure)).to.deep.equal(NOT_EMPTY);
    });
    expect((await opened(group)).status).to.equal('pending');
  });

  it('is not proposed while another approval is pending, but once that is decided or its time is over', async () => {
    const group = board();
    const motion = await opened(group);
    expect(await refusalOf(proposed(group))).to.include({ code: 'association_not_empty' });
    await bench.approve(1, motion);
    const first = await proposed(group);
    expect(await refusalOf(proposed(group))).to.include({ code: 'association_not_empty' });
    bench.offset_ms = Date.parse(first.expires_at) - Date.now();
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
    bench.owner = () => new Promise(() => undefined);
    expect((await decide(closure)).execution.status).to.equal('pending');
    expect(await refusalOf(opened(group))).to.include({ code: 'service_unavailable' });
    bench.owner = () => Promise.resolve(DONE);
    await eventually(async () => {
      expect(await executionOf(closure)).to.deep.equal(DONE);
    });
    expect(await refusalOf(opened(group))).to.include({ code: 'association_closed' });
    expect(await refusalOf(bench.request(group))).to.include({ code: 'association_closed' });
    const path = { association_id: group.id };
    expect((await bench.as(0, governance.listApprovals, { path })).data).to.have.length(1);
  });

  it('keeps no service waiting that has stored what it asks an approval for: the closure waits for that', async () => {
    const group = board();
    const closure = await proposed(group);
    bench.owner = () => new Promise(() => undefined);
    await decide(closure);
    expect((await bench.request(group)).status).to.equal('pending');
  });

  it('has proposals wait for how it ends', async () => {
    for (const end of [DONE, NOT_EMPTY]) {
      const group = board();
      const closure = await proposed(group);
      let made: Promise<unknown> | undefined;
      const waiting = Promise.withResolvers<void>();
      bench.onStep = (at) => {
        if (at === 'governance.proposal_waits') waiting.resolve();
        return Promise.resolve();
      };
      bench.owner = async ({ approval_id }) => {
        // Closures that earlier tests have left are told as well.
        if (approval_id !== closure.id) return DONE;
        made ??= opened(group).then(
          () => 'made',
          (error: unknown) => problemCode(error),
        );
        await waiting.promise;
        return end;
      };
      await decide(closure);
      expect(await made).to.equal(end === DONE ? 'association_closed' : 'made');
    }
  });

  it('lets approvals be opened again once it has failed', async () => {
    const group = board();
    bench.owner = () => Promise.resolve(NOT_EMPTY);
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
    let refused: ReturnType<typeof refusalOf> | undefined;
    await bench.inTransaction(async (client) => {
      await client.query('SELECT pg_advisory_xact_lock(7207, hashtext($1))', [group.id]);
      refused = refusalOf(opened(group));
      await bench.lockAwaited(group.id);
      await client.query('INSERT INTO locks VALUES ($1, $2, false)', [group.id, closure.id]);
    });
    expect(await refused).to.include({ code: 'service_unavailable' });
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
    bench.owner = ({ approval_id }) => Promise.resolve(approval_id === second.id ? DONE : CLOSED);
    // The first is decided, but not begun: it would find the second pending.
    bench.onStep = () => Promise.reject(new Error('the process dies here'));
    await bench.approve(2, first);
    bench.onStep = () => Promise.resolve();
    await bench.approve(2, second);
    await eventually(async () => {
      expect([await executionOf(second), await executionOf(first)]).to.deep.equal([DONE, CLOSED]);
    });
    const locked = await bench.sql('SELECT owner_id FROM locks WHERE subject = $1 AND NOT lifted', group.id);
    expect(locked).to.deep.equal([{ owner_id: second.id }]);
  });
});
