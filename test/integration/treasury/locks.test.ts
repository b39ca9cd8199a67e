import { expect } from 'chai';
import { requestApproval } from '../../../lib/contracts/governance.ts';
import { authorize } from '../../../lib/contracts/membership.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { eventually } from '../../harness/eventually.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { legs, useTreasury } from '../../harness/treasury.ts';

describe('treasury: the closure lock of an association', () => {
  const treasury = useTreasury();
  const { newId } = treasury;
  let approval_id: string;

  beforeEach(() => {
    approval_id = newId();
  });

  /** Locks the group, and returns what remains and prevents the lock. */
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
  /** Tries to lock when the treasury reaches a fault point, and returns what remained then. */
  const lockAt = (point: string) => {
    const { promise, resolve } = Promise.withResolvers<string[]>();
    treasury.once(point, async () => {
      resolve([await lockGroup(), await lockGroup(true)]);
    });
    return promise;
  };

  it('refuses new requests, and can be set repeatedly', async () => {
    for (let times = 0; times < 2; times += 1) {
      expect(await lockGroup()).to.equal('nothing');
      expect(await outcomeOf(recordCash())).to.equal('service_unavailable');
      expect(await outcomeOf(distribute())).to.equal('service_unavailable');
    }
    expect(await stored()).to.deep.equal([]);
    // The lock concerns only this group.
    treasury.group = await treasury.newGroup();
    expect(await outcomeOf(recordCash())).to.equal('done');
  });

  it('is not set while an account has a balance', async () => {
    await treasury.endow(5);
    expect(await lockGroup()).to.equal('something');
    const movement = legs('treasury', treasury.wallet(), 5);
    await treasury.transfer({ kind: 'settlement', payer_user_id: null, ...movement });
    expect(await lockGroup()).to.equal('nothing');
  });

  it('is not set while cash or a distribution is pending', async () => {
    const deposit = await recordCash();
    expect([await lockGroup(true), await lockGroup()]).to.deep.equal(['something', 'something']);
    await treasury.decide(deposit.id, 'rejected');
    await treasury.endow(10);
    const distribution = await distribute();
    expect(await lockGroup()).to.equal('something');
    await treasury.decide(distribution.id, 'approved');
    expect(await lockGroup()).to.equal('nothing');
  });

  it('is undecided while governance has not answered about cash, and is set after governance has refused it', async () => {
    const seen = lockAt('treasury.cash_deposit.recording');
    treasury.governance.next(requestApproval, problem('no_eligible_approver'));
    expect(await outcomeOf(recordCash())).to.equal('no_eligible_approver');
    expect(await seen).to.deep.equal(['undecided', 'undecided']);
    expect(await lockGroup()).to.equal('nothing');
  });

  it('is not set after governance has opened an approval of cash whose request was undecided', async () => {
    treasury.governance.next(requestApproval, 'request_lost');
    expect(await outcomeOf(recordCash())).to.equal('outcome_unknown');
    expect(await lockGroup()).to.equal('undecided');
    // Recovery opens its approval.
    await eventually(async () => expect(await lockGroup()).to.equal('something'));
  });

  it('is undecided while a distribution has not reserved its funds, and is set after that was refused', async () => {
    const seen = lockAt('treasury.distribution.reserving');
    expect(await outcomeOf(distribute())).to.equal('insufficient_funds');
    expect(await seen).to.deep.equal(['undecided', 'undecided']);
    expect(await lockGroup()).to.equal('nothing');
  });

  it('is not set if something remains in addition to an undecided request', async () => {
    await treasury.endow(10);
    const seen = lockAt('treasury.distribution.reserving');
    await distribute();
    expect(await seen).to.deep.equal(['something', 'something']);
  });

  it('is not set by a dry run', async () => {
    expect(await lockGroup(true)).to.equal('nothing');
    expect(await outcomeOf(recordCash())).to.equal('done');
  });

  it('is undone only for the approval that set it', async () => {
    await lockGroup();
    await unlockGroup(newId());
    expect(await outcomeOf(recordCash())).to.equal('service_unavailable');
    for (let times = 0; times < 2; times += 1) expect(await unlockGroup()).to.deep.equal({ ok: true });
    expect(await outcomeOf(recordCash())).to.equal('done');
  });

  it('has no effect if it was undone before it was set', async () => {
    await unlockGroup();
    expect(await lockGroup()).to.equal('something');
    expect(await outcomeOf(recordCash())).to.equal('done');
  });

  it('is set, or a concurrent request is stored, but never both', async () => {
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

  describe('the lock of a membership', function () {
    this.timeout(90_000);
    const departure_id = newId();
    const membership = (tenure = 0) => {
      const { member_id } = treasury.group.m;
      return { ...treasury.path(), member_id, tenure, departure_id };
    };
    const lock = async (tenure?: number) =>
      (await treasury.command(contract.lockMembership, membership(tenure))).locked;
    const unlock = () => treasury.command(contract.unlockMembership, membership());
    /** Sends both requests once the membership is locked; `then` happens while they wait. */
    const requestWhileLocked = async (then: () => unknown) => {
      await treasury.endow(10);
      expect(await lock()).to.equal(true);
      const asked = [outcomeOf(recordCash()), outcomeOf(distribute())];
      // Each request is authorized before it finds the lock, and again while it waits.
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

    it('makes requests for the member wait, and they are refused once the member has left', async () => {
      const codes = await requestWhileLocked(() => (treasury.group.m.status = 'left'));
      expect(codes).to.deep.equal(['not_found', 'not_found']);
    });

    it('lets waiting requests succeed when it is undone, and has no effect if it arrives after that', async () => {
      expect(await requestWhileLocked(unlock)).to.deep.equal(['done', 'done']);
      treasury.group = await treasury.newGroup();
      await unlock();
      expect(await lock()).to.equal(false);
    });

    it('makes requests answer `service_unavailable` while the departure is undecided', async () => {
      expect(await requestWhileLocked(() => undefined)).to.deep.equal(['service_unavailable', 'service_unavailable']);
    });

    it('concerns one tenure: earlier requests are refused, requests of the next tenure are not', async () => {
      const codes = await requestWhileLocked(() => treasury.membership.tenures.set(treasury.group.m.member_id, 1));
      expect(codes).to.deep.equal(['not_found', 'not_found']);
      expect((await recordCash()).status).to.equal('pending_approval');
      expect(await lock(1)).to.equal(false);
    });

    it('is set, or a concurrent request is stored, but never both', async () => {
      for (let n = 0; n < 24; n += 1) {
        treasury.group = await treasury.newGroup();
        await treasury.endow(10);
        const ask = n % 2 === 0 ? recordCash : distribute;
        // The lock is sent first in half of the attempts.
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
