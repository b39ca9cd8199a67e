import { expect } from 'chai';
import { requestApproval } from '../../../lib/contracts/governance.ts';
import { authorize } from '../../../lib/contracts/membership.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { eventually } from '../../harness/eventually.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { legs, useTreasury } from '../../harness/treasury.ts';

const NOTHING = { remains: 'nothing' };
const UNDECIDED = { remains: 'undecided' };
const SOMETHING = { remains: 'something' };

describe('treasury: the locks of an association', () => {
  const treasury = useTreasury();
  const { newId } = treasury;
  let approval_id: string;

  beforeEach(() => {
    approval_id = newId();
  });

  const lockAssociation = (given: object = {}) =>
    treasury.command(contract.lockAssociation, { ...treasury.path(), approval_id, dry_run: false, ...given });
  const unlockAssociation = (given: object = {}) =>
    treasury.command(contract.unlockAssociation, { ...treasury.path(), approval_id, ...given });
  const distribute = () => treasury.distribute({ amount: 10 });
  const recordCash = () => treasury.recordCash();
  const stored = async () => [
    ...(await treasury.requests('cash_deposits')),
    ...(await treasury.requests('distributions')),
  ];
  /** What locking finds when the treasury comes to a fault point. */
  const lockAt = (point: string) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    treasury.once(point, async () => {
      resolve(await Promise.all([lockAssociation(), lockAssociation({ dry_run: true })]));
    });
    return promise;
  };

  it('lets nothing new in, as often as it is set', async () => {
    expect(await lockAssociation()).to.deep.equal(NOTHING);
    expect(await lockAssociation()).to.deep.equal(NOTHING);
    expect(await outcomeOf(recordCash())).to.equal('service_unavailable');
    expect(await outcomeOf(distribute())).to.equal('service_unavailable');
    expect(await lockAssociation()).to.deep.equal(NOTHING);
    expect(await stored()).to.deep.equal([]);
  });

  it('is not set while any account is not at zero', async () => {
    await treasury.endow(5);
    expect(await lockAssociation()).to.deep.equal(SOMETHING);
    const movement = legs('treasury', treasury.wallet(), 5);
    await treasury.transfer({ kind: 'settlement', payer_user_id: null, ...movement });
    expect(await lockAssociation()).to.deep.equal(NOTHING);
  });

  it('is not set while cash or a distribution awaits its decision', async () => {
    const deposit = await recordCash();
    expect(await lockAssociation()).to.deep.equal(SOMETHING);
    await treasury.decide(deposit.id, 'rejected');
    await treasury.endow(10);
    const distribution = await distribute();
    expect(await lockAssociation()).to.deep.equal(SOMETHING);
    await treasury.decide(distribution.id, 'approved');
    expect(await lockAssociation()).to.deep.equal(NOTHING);
  });

  it('waits for cash that is not decided yet, and is set once governance has refused it', async () => {
    const seen = lockAt('treasury.cash_deposit.recording');
    treasury.governance.next(requestApproval, problem('no_eligible_approver'));
    expect(await outcomeOf(recordCash())).to.equal('no_eligible_approver');
    expect(await seen).to.deep.equal([UNDECIDED, UNDECIDED]);
    expect(await lockAssociation()).to.deep.equal(NOTHING);
  });

  it('is not set once such cash awaits its decision', async () => {
    treasury.governance.next(requestApproval, 'request_lost');
    expect(await outcomeOf(recordCash())).to.equal('outcome_unknown');
    expect(await lockAssociation()).to.deep.equal(UNDECIDED);
    // Recovery opens its approval.
    await eventually(async () => {
      expect(await lockAssociation()).to.deep.equal(SOMETHING);
    });
  });

  it('waits for a distribution that has not found its money yet, which it never will', async () => {
    const seen = lockAt('treasury.distribution.reserving');
    expect(await outcomeOf(distribute())).to.equal('insufficient_funds');
    expect(await seen).to.deep.equal([UNDECIDED, UNDECIDED]);
    expect(await lockAssociation()).to.deep.equal(NOTHING);
  });

  it('is not set for what is undecided where something else remains', async () => {
    await treasury.endow(10);
    const seen = lockAt('treasury.distribution.reserving');
    await distribute();
    expect(await seen).to.deep.equal([SOMETHING, SOMETHING]);
  });

  it('is only looked at in a dry run', async () => {
    expect(await lockAssociation({ dry_run: true })).to.deep.equal(NOTHING);
    expect((await recordCash()).status).to.equal('pending_approval');
    expect(await lockAssociation({ dry_run: true })).to.deep.equal(SOMETHING);
  });

  it('is undone for the approval that set it, and for no other', async () => {
    await lockAssociation();
    await unlockAssociation({ approval_id: newId() });
    expect(await outcomeOf(recordCash())).to.equal('service_unavailable');
    expect(await unlockAssociation()).to.deep.equal({ ok: true });
    expect(await unlockAssociation()).to.deep.equal({ ok: true });
    expect((await recordCash()).status).to.equal('pending_approval');
  });

  it('does not stand if it was undone before it was set', async () => {
    await unlockAssociation();
    expect(await lockAssociation()).to.deep.equal(SOMETHING);
    expect((await recordCash()).status).to.equal('pending_approval');
  });

  describe('of a membership', function () {
    this.timeout(90_000);
    const departure_id = newId();
    const membership = (tenure = 0) => ({
      ...treasury.path(),
      member_id: treasury.group.m.member_id,
      tenure,
      departure_id,
    });
    const lock = (tenure?: number) => treasury.command(contract.lockMembership, membership(tenure));
    const unlock = () => treasury.command(contract.unlockMembership, membership());
    /** Asks for both once the membership is locked; `then` happens while they wait. */
    const askedWhileLocked = async (then: () => unknown) => {
      await treasury.endow(10);
      expect(await lock()).to.deep.equal({ locked: true });
      const asked = [outcomeOf(recordCash()), outcomeOf(distribute())];
      // Each is authorized once before it meets the lock, and again while it waits.
      await eventually(() => {
        const times = ['record_cash', 'request_distribution'].map(
          (permission) =>
            treasury.membership.received(authorize).filter((each) => each.permission === permission).length > 1,
        );
        expect(times).to.deep.equal([true, true]);
      });
      expect(await stored()).to.deep.equal([]);
      await then();
      return Promise.all(asked);
    };
    const member = () => treasury.group.m;

    it('is not set while cash or a distribution of the member is open', async () => {
      const deposit = await recordCash();
      expect(await lock()).to.deep.equal({ locked: false });
      await treasury.decide(deposit.id, 'rejected');
      expect(await lock()).to.deep.equal({ locked: true });
      expect(await lock()).to.deep.equal({ locked: true });
    });

    it('lets requests for the member wait, which are refused once they have left', async () => {
      const codes = await askedWhileLocked(() => (member().status = 'left'));
      expect(codes).to.deep.equal(['not_found', 'not_found']);
    });

    it('lets them in once it is undone, and does not stand if it comes late', async () => {
      expect(await askedWhileLocked(unlock)).to.deep.equal(['done', 'done']);
      treasury.group = await treasury.newGroup();
      await unlock();
      expect(await lock()).to.deep.equal({ locked: false });
    });

    it('refuses nothing while it is undecided', async () => {
      expect(await askedWhileLocked(() => undefined)).to.deep.equal(['service_unavailable', 'service_unavailable']);
    });

    it('stays with the tenure: a request from before is refused, one from after is not', async () => {
      const codes = await askedWhileLocked(() => treasury.membership.tenures.set(treasury.group.m.member_id, 1));
      expect(codes).to.deep.equal(['not_found', 'not_found']);
      expect((await recordCash()).status).to.equal('pending_approval');
      expect(await lock(1)).to.deep.equal({ locked: false });
    });

    it('is set or has the request stored, never both, in 24 tries', async () => {
      for (let n = 0; n < 24; n += 1) {
        treasury.group = await treasury.newGroup();
        await treasury.endow(10);
        const ask = n % 2 === 0 ? recordCash : distribute;
        const attempts = [() => outcomeOf(ask()), () => lock()];
        const [first, second] = await Promise.all((n % 4 < 2 ? attempts : attempts.toReversed()).map((each) => each()));
        const [asked, locked] = typeof first === 'string' ? [first, second] : [second, first];
        expect([asked, locked]).to.deep.be.oneOf([
          ['done', { locked: false }],
          ['service_unavailable', { locked: true }],
        ]);
      }
    });
  });

  it('is one association’s alone', async () => {
    await lockAssociation();
    treasury.group = await treasury.newGroup();
    expect((await recordCash()).status).to.equal('pending_approval');
  });

  it('never stands beside a request that came at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      treasury.group = await treasury.newGroup();
      const [locked, recorded] = await Promise.allSettled([lockAssociation(), recordCash(), lockAssociation()]);
      if (locked.status !== 'fulfilled') throw new Error('locking failed');
      const { remains } = await lockAssociation();
      expect(remains).to.equal(recorded.status === 'rejected' ? 'nothing' : 'something');
      if (locked.value.remains === 'nothing') expect(recorded.status).to.equal('rejected');
    }
  });
});
