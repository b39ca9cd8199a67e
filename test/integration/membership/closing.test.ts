import { expect } from 'chai';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import {
  authorize,
  bindCycle,
  board,
  changeOwnMembership,
  checkProposal,
  createInvitation,
  getAssociation,
  leaveAssociation,
  listMembers,
} from '../../../lib/contracts/membership.ts';
import type { Member } from '../../../lib/contracts/membership.ts';
import { eventually } from '../../harness/eventually.ts';
import { useMembership } from '../../harness/membership.ts';
import { outcomeOf } from '../../harness/refusal.ts';

const DONE = { status: 'done', error: null };
const LOCK = { contribution: contribution.lockAssociation, treasury: treasury.lockAssociation };
const NOT_EMPTY = { status: 'failed', error: 'association_not_empty' };

/** Every fault point of a closing. */
const POINTS_OF_CLOSED = [
  'membership.ending.locking',
  'membership.ending.contribution_locked',
  'membership.ending.locking.acted',
  'membership.ending.done',
];
const POINTS_OF_REOPENED = [
  'membership.ending.locking',
  'membership.ending.contribution_locked',
  'membership.ending.locking.acted',
  'membership.ending.unlocking',
  'membership.ending.unlocking.acted',
  'membership.ending.refused',
];

describe('the closing of an association', () => {
  const bench = useMembership();
  let association_id: string;
  let awa: Member;
  beforeEach(async () => {
    ({ id: association_id } = await bench.found('host'));
    awa = await bench.join('awa', association_id);
  });

  const path = () => ({ path: { association_id } });
  const close = (approval_id = bench.newId()) => bench.execute(association_id, 'closure', {}, approval_id);
  const status = async () => (await bench.as('host', getAssociation, path())).status;
  const closedEvents = async () =>
    (await bench.events(association_id)).filter(({ type }) => type === 'association.closed');
  const lockedBy = (approval_id: string) => [
    bench.contribution.association_locks.has(approval_id),
    bench.treasury.association_locks.has(approval_id),
  ];
  const expectOpen = async (approval_id: string) => {
    expect(await status()).to.equal('active');
    expect(lockedBy(approval_id)).to.deep.equal([false, false]);
    expect(await closedEvents()).to.deep.equal([]);
    await bench.as('awa', changeOwnMembership, { ...path(), body: { display_name: 'Awa B' } });
  };
  const expectClosed = async (approval_id: string) => {
    expect(await status()).to.equal('closed');
    expect(lockedBy(approval_id)).to.deep.equal([true, true]);
    expect(await closedEvents()).to.deep.equal([{ type: 'association.closed', data: { approval_id } }]);
  };
  const expectNoChanges = async () => {
    const changes = [
      () => bench.join('binta', association_id),
      () => bench.as('host', createInvitation, path()),
      () => bench.as('awa', leaveAssociation, path()),
      () => bench.as('awa', changeOwnMembership, { ...path(), body: { hands: 2 } }),
      () => bench.command(bindCycle, { association_id, cycle_id: bench.newId() }),
      () => bench.command(authorize, { association_id, user_id: 'host', permission: 'propose' }),
    ];
    for (const change of changes) expect(await outcomeOf(change())).to.equal('association_closed');
  };
  /** Stops the closing at a fault point while `work` runs. */
  const stoppedAt = async <T>(point: string, work: () => Promise<T>): Promise<T> => {
    const { there, goOn } = bench.holdAt(point);
    const closing = close();
    await there;
    try {
      return await work();
    } finally {
      goOn();
      await closing;
    }
  };

  it('locks what is empty, tells the event stream once, and takes no change after', async () => {
    await bench.command(checkProposal, { association_id, type: 'closure', payload: {} });
    const approval_id = bench.newId();
    expect(await close(approval_id)).to.deep.equal(DONE);
    await expectClosed(approval_id);
    expect(await close(approval_id)).to.deep.equal(DONE);
    await expectClosed(approval_id);

    await expectNoChanges();
    expect((await bench.as('awa', listMembers, path())).data).to.have.length(2);
  });

  for (const holder of ['contribution', 'treasury'] as const) {
    it(`fails while ${holder} holds something of it, and leaves it open and unlocked`, async () => {
      bench[holder].remains = 'something';
      const approval_id = bench.newId();
      expect(await close(approval_id)).to.deep.equal(NOT_EMPTY);
      await expectOpen(approval_id);
      // For good, whatever comes after; another approval may succeed.
      bench[holder].remains = 'nothing';
      expect(await close(approval_id)).to.deep.equal(NOT_EMPTY);
      await expectOpen(approval_id);
      expect(await close()).to.deep.equal(DONE);
    });
  }

  for (const holder of ['contribution', 'treasury'] as const) {
    it(`asks ${holder} again while it has not decided on a request, and ends as that ends`, async () => {
      for (const holds of [false, true]) {
        ({ id: association_id } = await bench.found('host'));
        await bench.join('awa', association_id);
        const undecided = { remains: 'undecided' as const };
        bench[holder].next(LOCK[holder], undecided, undecided, undecided);
        bench[holder].remains = holds ? 'something' : 'nothing';
        const approval_id = bench.newId();
        expect(await close(approval_id)).to.deep.equal(holds ? NOT_EMPTY : DONE);
        await (holds ? expectOpen : expectClosed)(approval_id);
      }
    });

    it(`leaves it to recovery if ${holder} does not decide for long, and locks nothing until then`, async () => {
      bench[holder].remains = 'undecided';
      const approval_id = bench.newId();
      expect(await outcomeOf(close(approval_id))).to.equal('service_unavailable');
      await expectOpen(approval_id);
      bench[holder].remains = 'nothing';
      await eventually(async () => {
        expect(await status()).to.equal('closed');
      });
      await expectClosed(approval_id);
      expect(await close(approval_id)).to.deep.equal(DONE);
    });
  }

  it('fails for an association that is closed', async () => {
    await close();
    expect(await close()).to.deep.equal({ status: 'failed', error: 'association_closed' });
    const roleChange = await bench.execute(association_id, 'role_change', { member_id: awa.id, role: 'treasurer' });
    expect(roleChange).to.deep.equal({ status: 'failed', error: 'association_closed' });
    expect(await closedEvents()).to.have.length(1);
  });

  it('leaves no lock of an attempt that was overtaken by the one that reopened it', async () => {
    bench.treasury.remains = 'something';
    bench.treasury.remains_at_first = 'nothing';
    const approval_id = bench.newId();
    const { there, goOn } = bench.holdAt('membership.ending.contribution_locked');
    const overtaken = close(approval_id);
    await there;
    expect(await close(approval_id)).to.deep.equal(NOT_EMPTY);
    bench.treasury.remains = 'nothing';
    goOn();
    expect(await overtaken).to.deep.equal(NOT_EMPTY);
    await expectOpen(approval_id);
  });

  it('never leaves a lock behind while what is held comes and goes', async () => {
    for (let round = 0; round < 15; round += 1) {
      ({ id: association_id } = await bench.found('host'));
      await bench.join('awa', association_id);
      const approval_id = bench.newId();
      let calls = 0;
      bench.reached = async (point) => {
        if (!POINTS_OF_REOPENED.includes(point)) return;
        // Each attempt sees another state of things.
        bench.treasury.remains = (calls += 1) % 3 === round % 3 ? 'something' : 'nothing';
        await new Promise((resolve) => setTimeout(resolve, calls % 4));
      };
      const outcomes = await Promise.all(Array.from({ length: 4 }, () => close(approval_id)));
      expect(new Set(outcomes.map(({ status }) => status)).size).to.equal(1);
      bench.reached = () => undefined;
      await (outcomes[0]?.status === 'done' ? expectClosed : expectOpen)(approval_id);
    }
  });

  describe('while it is under way', () => {
    it('refuses nothing, as it may fail', async () => {
      await stoppedAt('membership.ending.locking.acted', async () => {
        expect(await status()).to.equal('active');
        expect((await bench.command(board, { association_id })).terms.status).to.equal('active');
        await bench.command(authorize, { association_id, user_id: 'host', permission: 'propose' });
        expect(await bench.execute(association_id, 'rules_change', { contribution_amount: 5 })).to.deep.equal(DONE);
        await bench.join('binta', association_id);
        await bench.as('awa', leaveAssociation, path());
      });
      expect(await status()).to.equal('closed');
    });

    it('is all that another closure waits for', async () => {
      for (const holds of [false, true]) {
        ({ id: association_id } = await bench.found('host'));
        bench.treasury.remains = holds ? 'something' : 'nothing';
        bench.treasury.remains_at_first = 'nothing';
        const [first, second] = await Promise.all([close(), close()]);
        const failed = { status: 'failed', error: 'association_closed' };
        expect([first, second]).to.have.deep.members(holds ? [NOT_EMPTY, NOT_EMPTY] : [DONE, failed]);
      }
    });

    it('and joining at once end in a member before it or a refusal', async () => {
      for (let round = 0; round < 8; round += 1) {
        ({ id: association_id } = await bench.found('host'));
        const joining = Array.from({ length: 4 }, (_, n) => bench.join(`guest${String(n)}`, association_id));
        const [outcome, ...joined] = await Promise.allSettled([close(), ...joining]);
        expect(outcome).to.have.nested.property('value.status', 'done');
        for (const each of joined) {
          if (each.status === 'rejected') expect(each).to.have.nested.property('reason.type', 'association_closed');
        }
        const types = (await bench.events(association_id)).map(({ type }) => type);
        expect(types.at(-1)).to.equal('association.closed');
        const [row] = await bench.sql<{ member_count: number }>(
          'SELECT member_count FROM associations WHERE id = $1',
          association_id,
        );
        expect(row?.member_count).to.equal(1 + joined.filter((each) => each.status === 'fulfilled').length);
      }
    });
  });

  describe('that dies', () => {
    const endOf = async (approval_id: string) =>
      (await bench.sql('SELECT status, error FROM executed_approvals WHERE approval_id = $1', approval_id))[0];

    for (const point of POINTS_OF_CLOSED) {
      it(`at ${point} is closed by recovery`, async () => {
        const approval_id = bench.newId();
        bench.failAt(point);
        expect(await outcomeOf(close(approval_id))).to.equal('internal_error');
        await eventually(async () => expect(await endOf(approval_id)).to.deep.equal(DONE));
        await expectClosed(approval_id);
        expect(await close(approval_id)).to.deep.equal(DONE);
      });
    }

    for (const point of POINTS_OF_REOPENED) {
      it(`at ${point} is undone by recovery where something is held`, async () => {
        bench.treasury.remains = 'something';
        bench.treasury.remains_at_first = 'nothing';
        const approval_id = bench.newId();
        bench.failAt(point);
        expect(await outcomeOf(close(approval_id))).to.equal('internal_error');
        await eventually(async () => expect(await endOf(approval_id)).to.deep.equal(NOT_EMPTY));
        await expectOpen(approval_id);
        expect(await close(approval_id)).to.deep.equal(NOT_EMPTY);
      });
    }
  });
});
