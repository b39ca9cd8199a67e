import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import * as contribution from '../../../lib/contracts/contribution.ts';
import { authorize, board, checkProposal } from '../../../lib/contracts/membership.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { eventually } from '../../harness/eventually.ts';
import { DONE, failed } from '../../harness/fakes/fake.ts';
import { useAssociation } from '../../harness/membership.ts';
import { atOnce, outcomeOf, outcomesOf } from '../../harness/refusal.ts';

const LOCK = { contribution: contribution.lockAssociation, treasury: treasury.lockAssociation };
const HOLDERS = ['contribution', 'treasury'] as const;
const NOT_EMPTY = failed('association_not_empty');
const CLOSED = failed('association_closed');

/** The fault points of a closure that succeeds, and of one that fails. */
const LOCKING = ['locking', 'contribution_locked', 'locking.acted'].map((point) => `membership.ending.${point}`);
const POINTS_OF_CLOSED = [...LOCKING, 'membership.ending.done'];
const POINTS_OF_REOPENED = [
  ...LOCKING,
  ...['unlocking', 'unlocking.acted', 'refused'].map((point) => `membership.ending.${point}`),
];

describe('the closure of an association', () => {
  const harness = useAssociation();
  let approval_id: string;
  beforeEach(() => {
    approval_id = harness.newId();
  });

  const close = (id = approval_id) => harness.execute('closure', {}, id);
  const closeByNewApproval = () => close(harness.newId());
  const status = async () => (await harness.show()).status;
  const closedEvents = () => harness.events(harness.association_id, 'association.closed');
  const locks = () => HOLDERS.map((holder) => harness[holder].association_locks.has(approval_id));
  const expectOpen = async () => {
    expect(await status()).to.equal('active');
    expect(locks()).to.deep.equal([false, false]);
    expect(await closedEvents()).to.deep.equal([]);
    await harness.change('awa', { display_name: 'Awa B' });
  };
  const expectClosed = async () => {
    expect(await status()).to.equal('closed');
    expect(locks()).to.deep.equal([true, true]);
    expect(await closedEvents()).to.deep.equal([{ type: 'association.closed', data: { approval_id } }]);
  };
  /** Makes the treasury hold something that a dry run does not find. */
  const holdUnseen = () => {
    harness.treasury.remains = 'something';
    harness.treasury.dry_run_remains = 'nothing';
  };

  it('locks an empty association, publishes one event, and prevents later changes', async () => {
    const { association_id } = harness;
    await harness.command(checkProposal, { association_id, type: 'closure', payload: {} });
    for (let times = 0; times < 2; times += 1) {
      expect(await close()).to.deep.equal(DONE);
      await expectClosed();
    }
    const changes = await outcomesOf([
      harness.join('binta'),
      harness.invite('host'),
      harness.leave('awa'),
      harness.change('awa', { hands: 2 }),
      harness.bindCycle(),
      harness.command(authorize, { association_id, user_id: 'host', permission: 'propose' }),
    ]);
    expect(new Set(changes)).to.deep.equal(new Set(['association_closed']));
    expect(await harness.members('awa')).to.have.length(2);
    expect(await closeByNewApproval()).to.deep.equal(CLOSED);
    expect(await harness.execute('role_change', { member_id: harness.awa.id, role: 'treasurer' })).to.deep.equal(
      CLOSED,
    );
    expect(await closedEvents()).to.have.length(1);
  });

  for (const holder of HOLDERS) {
    it(`fails while ${holder} still holds something, and leaves the association open and unlocked`, async () => {
      harness[holder].remains = 'something';
      expect(await close()).to.deep.equal(NOT_EMPTY);
      await expectOpen();
      // The failure of this approval is permanent; another approval can succeed.
      harness[holder].remains = 'nothing';
      expect(await close()).to.deep.equal(NOT_EMPTY);
      await expectOpen();
      expect(await closeByNewApproval()).to.deep.equal(DONE);
    });

    for (const [remains, end] of [
      ['nothing', DONE],
      ['something', NOT_EMPTY],
    ] as const) {
      it(`asks ${holder} again while it has an undecided request, and is ${end.status} if then ${remains} remains`, async () => {
        const undecided = { remains: 'undecided' as const };
        harness[holder].next(LOCK[holder], undecided, undecided, undecided);
        harness[holder].remains = remains;
        expect(await close()).to.deep.equal(end);
        await (end === DONE ? expectClosed : expectOpen)();
      });
    }

    it(`is left to recovery, without a lock, if a request in ${holder} stays undecided`, async () => {
      harness[holder].remains = 'undecided';
      expect(await outcomeOf(close())).to.equal('service_unavailable');
      await expectOpen();
      harness[holder].remains = 'nothing';
      await eventually(async () => expect(await status()).to.equal('closed'));
      await expectClosed();
      expect(await close()).to.deep.equal(DONE);
    });
  }

  it('leaves no lock if a slow attempt is overtaken by an attempt that fails', async () => {
    holdUnseen();
    const { there, goOn } = harness.holdAt('membership.ending.contribution_locked');
    const overtaken = close();
    await there;
    expect(await close()).to.deep.equal(NOT_EMPTY);
    harness.treasury.remains = 'nothing';
    goOn();
    expect(await overtaken).to.deep.equal(NOT_EMPTY);
    await expectOpen();
  });

  it('leaves no lock if it fails, even if concurrent attempts find different holdings', async () => {
    for (let round = 0; round < 15; round += 1) {
      await harness.foundOurs();
      approval_id = harness.newId();
      let calls = 0;
      harness.reached = async (point) => {
        if (!POINTS_OF_REOPENED.includes(point)) return;
        // The holdings change at every fault point.
        harness.treasury.remains = (calls += 1) % 3 === round % 3 ? 'something' : 'nothing';
        await sleep(calls % 4);
      };
      const [first, ...others] = await Promise.all(atOnce(4, () => close()));
      for (const other of others) expect(other.status).to.equal(first!.status);
      harness.reached = () => undefined;
      await (first!.status === 'done' ? expectClosed : expectOpen)();
    }
  });

  describe('in progress', () => {
    it('does not refuse any change, because it may fail', async () => {
      const { association_id } = harness;
      const { there, goOn } = harness.holdAt('membership.ending.locking.acted');
      const closing = close();
      await there;
      expect(await status()).to.equal('active');
      expect((await harness.command(board, { association_id })).terms.status).to.equal('active');
      await harness.command(authorize, { association_id, user_id: 'host', permission: 'propose' });
      expect(await harness.execute('rules_change', { contribution_amount: 5 })).to.deep.equal(DONE);
      await harness.join('binta');
      await harness.leave('awa');
      goOn();
      await closing;
      expect(await status()).to.equal('closed');
    });

    it('makes a second closure wait for the first one, and for nothing else', async () => {
      expect(await Promise.all([closeByNewApproval(), closeByNewApproval()])).to.have.deep.members([DONE, CLOSED]);
      await harness.foundOurs();
      holdUnseen();
      expect(await Promise.all([closeByNewApproval(), closeByNewApproval()])).to.deep.equal([NOT_EMPTY, NOT_EMPTY]);
    });

    it('either succeeds after a concurrent join or makes it fail', async () => {
      for (let round = 0; round < 8; round += 1) {
        await harness.foundOurs();
        const joining = atOnce(4, (n) => harness.join(`guest${String(n)}`));
        const [end, ...joined] = await Promise.all([closeByNewApproval(), ...joining.map(outcomeOf)]);
        expect(end).to.deep.equal(DONE);
        for (const each of joined) expect(each).to.be.oneOf(['done', 'association_closed']);
        expect((await harness.eventTypes(harness.association_id)).at(-1)).to.equal('association.closed');
        const members = 2 + joined.filter((each) => each === 'done').length;
        expect((await harness.show()).member_count).to.equal(members);
      }
    });
  });

  describe('whose process dies', () => {
    for (const [points, end] of [
      [POINTS_OF_CLOSED, DONE],
      [POINTS_OF_REOPENED, NOT_EMPTY],
    ] as const) {
      for (const point of points) {
        it(`at ${point} is ${end === DONE ? 'completed' : 'undone, if something is held,'} by recovery`, async () => {
          if (end === NOT_EMPTY) holdUnseen();
          harness.failAt(point);
          expect(await outcomeOf(close())).to.equal('internal_error');
          const stored = 'SELECT status, error FROM executed_approvals WHERE approval_id = $1';
          await eventually(async () => expect(await harness.sql(stored, approval_id)).to.deep.equal([end]));
          await (end === DONE ? expectClosed : expectOpen)();
          expect(await close()).to.deep.equal(end);
        });
      }
    }
  });
});
