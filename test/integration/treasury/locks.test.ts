import { expect } from 'chai';
import { requestApproval } from '../../../lib/contracts/governance.ts';
import { authorize } from '../../../lib/contracts/membership.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { eventually } from '../../harness/eventually.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { legs, useTreasury } from '../../harness/treasury.ts';

describe('treasury: the locks of an association', () => {
  const treasury = useTreasury();
  const { newId } = treasury;
  let approval_id: string;

  beforeEach(() => {
    approval_id = newId();
  });

  /** Locks the group. @returns what remains, for which it may not be locked */
  const lockGroup = async (dry_run = false) =>
    (await treasury.command(contract.lockAssociation, { ...treasury.path(), approval_id, dry_run })).remains;
  const unlockGroup = (of = approval_id) =>
    treasury.command(contract.unlockAssociation, { ...treasury.path(), approval_id: of });
  const distribute = () => treasury.distribute({ amount: 10 });
  const recordCash = () => treasury.recordCash();
  const stored = async () => [
    ...(await treasury.requests('cash_deposits')),
    ...(await treasury.requests('distributions')),
  ];
  /** What locking finds when the treasury comes to a fault point. */
  const lockAt = (point: string) => {
    const { promise, resolve } = Promise.withResolvers<string[]>();
    treasury.once(point, async () => {
      resolve([await lockGroup(), await lockGroup(true)]);
    });
    return promise;
  };

  it('lets nothing new in, as often as it is set', async () => {
    for (let times = 0; times < 2; times += 1) {
      expect(await lockGroup()).to.equal('nothing');
      expect(await outcomeOf(recordCash())).to.equal('service_unavailable');
      expect(await outcomeOf(distribute())).to.equal('service_unavailable');
    }
    expect(await stored()).to.deep.equal([]);
    // It is the group's alone.
    treasury.group = await treasury.newGroup();
    expect(await outcomeOf(recordCash())).to.equal('done');
  });

  it('is not set while any account is not at zero', async () => {
    await treasury.endow(5);
    expect(await lockGroup()).to.equal('something');
    const movement = legs('treasury', treasury.wallet(), 5);
    await treasury.transfer({ kind: 'settlement', payer_user_id: null, ...movement });
    expect(await lockGroup()).to.equal('nothing');
  });

  it('is not set while cash or a distribution awaits its decision', async () => {
    const deposit = await recordCash();
    expect([await lockGroup(true), await lockGroup()]).to.deep.equal(['something', 'something']);
    await treasury.decide(deposit.id, 'rejected');
    await treasury.endow(10);
    const distribution = await distribute();
    expect(await lockGroup()).to.equal('something');
    await treasury.decide(distribution.id, 'approved');
    expect(await lockGroup()).to.equal('nothing');
  });

  it('waits for cash that is not decided yet, and is set once governance has refused it', async () => {
    const seen = lockAt('treasury.cash_deposit.recording');
    treasury.governance.next(requestApproval, problem('no_eligible_approver'));
    expect(await outcomeOf(recordCash())).to.equal('no_eligible_approver');
    expect(await seen).to.deep.equal(['undecided', 'undecided']);
    expect(await lockGroup()).to.equal('nothing');
  });

  it('is not set once such cash awaits its decision', async () => {
    treasury.governance.next(requestApproval, 'request_lost');
    expect(await outcomeOf(recordCash())).to.equal('outcome_unknown');
    expect(await lockGroup()).to.equal('undecided');
    // Recovery opens its approval.
    await eventually(async () => expect(await lockGroup()).to.equal('something'));
  });

  it('waits for a distribution that has not found its money yet, which it never will', async () => {
    const seen = lockAt('treasury.distribution.reserving');
    expect(await outcomeOf(distribute())).to.equal('insufficient_funds');
    expect(await seen).to.deep.equal(['undecided', 'undecided']);
    expect(await lockGroup()).to.equal('nothing');
  });

  it('is not set for what is undecided where something else remains', async () => {
    await treasury.endow(10);
    const seen = lockAt('treasury.distribution.reserving');
    await distribute();
    expect(await seen).to.deep.equal(['something', 'something']);
  });

  it('is not set by a dry run', async () => {
    expect(await lockGroup(true)).to.equal('nothing');
    expect(await outcomeOf(recordCash())).to.equal('done');
  });

  it('is undone for the approval that set it, and for no other', async () => {
    await lockGroup();
    await unlockGroup(newId());
    expect(await outcomeOf(recordCash())).to.equal('service_unavailable');
    for (let times = 0; times < 2; times += 1) expect(await unlockGroup()).to.deep.equal({ ok: true });
    expect(await outcomeOf(recordCash())).to.equal('done');
  });

  it('does not stand if it was undone before it was set', async () => {
    await unlockGroup();
    expect(await lockGroup()).to.equal('something');
    expect(await outcomeOf(recordCash())).to.equal('done');
  });

  it('never stands together with a request that came at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      treasury.group = await treasury.newGroup();
      const [locked, recorded] = await Promise.all([lockGroup(), outcomeOf(recordCash()), lockGroup()]);
      expect([await lockGroup(), recorded]).to.deep.be.oneOf([
        ['nothing', 'service_unavailable'],
        ['something', 'done'],
      ]);
      if (locked === 'nothing') expect(recorded).to.equal('service_unavailable');
    }
  });

  describe('of a membership', function () {
    this.timeout(90_000);
    const departure_id = newId();
    const membership = (tenure = 0) => {
      const { member_id } = treasury.group.m;
      return { ...treasury.path(), member_id, tenure, departure_id };
    };
    const lock = async (tenure?: number) =>
      (await treasury.command(contract.lockMembership, membership(tenure))).locked;
    const unlock = () => treasury.command(contract.unlockMembership, membership());
    /** Asks for both once the membership is locked; `then` happens while they wait. */
    const askedWhileLocked = async (then: () => unknown) => {
      await treasury.endow(10);
      expect(await lock()).to.equal(true);
      const asked = [outcomeOf(recordCash()), outcomeOf(distribute())];
      // Each is authorized once before it meets the lock, and again while it waits.
      await eventually(() => {
        const asked = treasury.membership.received(authorize).map(({ permission }) => permission);
        for (const permission of ['record_cash', 'request_distribution']) {
          expect(asked.filter((each) => each === permission).length).to.be.above(1);
        }
      });
      expect(await stored()).to.deep.equal([]);
      await then();
      return Promise.all(asked);
    };
    it('is not set while cash or a distribution of the member is open', async () => {
      const deposit = await recordCash();
      expect(await lock()).to.equal(false);
      await treasury.decide(deposit.id, 'rejected');
      for (let times = 0; times < 2; times += 1) expect(await lock()).to.equal(true);
    });

    it('lets requests for the member wait, which are refused once they have left', async () => {
      const codes = await askedWhileLocked(() => (treasury.group.m.status = 'left'));
      expect(codes).to.deep.equal(['not_found', 'not_found']);
    });

    it('lets them in once it is undone, and does not stand if it comes late', async () => {
      expect(await askedWhileLocked(unlock)).to.deep.equal(['done', 'done']);
      treasury.group = await treasury.newGroup();
      await unlock();
      expect(await lock()).to.equal(false);
    });

    it('refuses nothing while it is undecided', async () => {
      expect(await askedWhileLocked(() => undefined)).to.deep.equal(['service_unavailable', 'service_unavailable']);
    });

    it('stays with the tenure: a request from before is refused, one from after is not', async () => {
      const codes = await askedWhileLocked(() => treasury.membership.tenures.set(treasury.group.m.member_id, 1));
      expect(codes).to.deep.equal(['not_found', 'not_found']);
      expect((await recordCash()).status).to.equal('pending_approval');
      expect(await lock(1)).to.equal(false);
    });

    it('is set or has the request stored, never both, in 24 tries', async () => {
      for (let n = 0; n < 24; n += 1) {
        treasury.group = await treasury.newGroup();
        await treasury.endow(10);
        const ask = n % 2 === 0 ? recordCash : distribute;
        // The lock comes first in half of the tries.
        const early = n % 4 < 2 ? undefined : lock();
        const outcome = await Promise.all([outcomeOf(ask()), early ?? lock()]);
        expect(outcome).to.deep.be.oneOf([
          ['done', false],
          ['service_unavailable', true],
        ]);
      }
    });
  });
});
