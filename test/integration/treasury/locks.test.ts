import { expect } from 'chai';
import * as contract from '../../../lib/contracts/treasury.ts';
import { eventually } from '../../harness/eventually.ts';
import { RIGHT_PIN } from '../../harness/fake-membership.ts';
import { codeOf, legs, newId, TreasuryBench } from '../../harness/treasury.ts';
import type { TestAssociation } from '../../harness/treasury.ts';

const NOTHING = { remains: 'nothing' };
const UNDECIDED = { remains: 'undecided' };
const SOMETHING = { remains: 'something' };

describe('treasury: the locks of an association', () => {
  let bench: TreasuryBench;
  let group: TestAssociation;
  let approval_id: string;

  before(async () => {
    bench = await TreasuryBench.start();
  });
  after(() => bench.stop());
  beforeEach(async () => {
    group = await bench.group();
    approval_id = newId();
  });

  const path = () => ({ association_id: group.id });
  const lockAssociation = (given: object = {}) =>
    bench.command(contract.lockAssociation, { ...path(), approval_id, dry_run: false, ...given });
  const unlockAssociation = (given: object = {}) =>
    bench.command(contract.unlockAssociation, { ...path(), approval_id, ...given });
  const distribute = (amount = 10) => {
    const body = { beneficiary_member_id: group.m.member_id, amount, reason: 'a roof' };
    return bench.as(group.p.user_id, contract.requestDistribution, { path: path(), body });
  };
  const recordCash = () => {
    const body = { member_id: group.m.member_id, amount: 10, reason: 'in hand', pin: RIGHT_PIN };
    return bench.as(group.t.user_id, contract.recordCashContribution, { path: path(), body });
  };
  const payOut = (amount_minor: number) =>
    bench.command(contract.transfer, {
      ...{ id: newId(), association_id: group.id, kind: 'settlement', currency: 'XAF', reference: null },
      ...{ payer_user_id: null, member_id: null },
      ...legs('treasury', `wallet:${group.m.payout_wallet_id ?? ''}`, amount_minor),
    });

  const plans = () =>
    bench.sql(
      'SELECT FROM cash_deposits WHERE association_id = $1 UNION ALL SELECT FROM distributions WHERE association_id = $1',
      group.id,
    );

  it('lets nothing new in, as often as it is set', async () => {
    expect(await lockAssociation()).to.deep.equal(NOTHING);
    expect(await lockAssociation()).to.deep.equal(NOTHING);
    expect(await codeOf(recordCash())).to.equal('service_unavailable');
    expect(await codeOf(distribute())).to.equal('service_unavailable');
    expect(await lockAssociation()).to.deep.equal(NOTHING);
    expect(await plans()).to.deep.equal([]);
  });

  it('is not set while any account is not at zero', async () => {
    await bench.endow(group.id, 5);
    expect(await lockAssociation()).to.deep.equal(SOMETHING);
    await payOut(5);
    expect(await lockAssociation()).to.deep.equal(NOTHING);
  });

  it('is not set while cash or a distribution awaits its decision', async () => {
    const deposit = await recordCash();
    expect(await lockAssociation()).to.deep.equal(SOMETHING);
    await bench.decide(deposit.id, 'rejected');
    await bench.endow(group.id, 10);
    const distribution = await distribute(10);
    expect(await lockAssociation()).to.deep.equal(SOMETHING);
    await bench.decide(distribution.id, 'approved');
    expect(await lockAssociation()).to.deep.equal(NOTHING);
  });

  it('waits for cash that is not decided yet, and is set once governance has refused it', async () => {
    let seenWhileOpening: Promise<unknown> | undefined;
    bench.reached = (step) => {
      if (step === 'treasury.cash_deposit.recording')
        seenWhileOpening = Promise.all([lockAssociation(), lockAssociation({ dry_run: true })]);
      return seenWhileOpening;
    };
    bench.governance.mishaps.push('refused');
    expect(await codeOf(recordCash())).to.equal('no_eligible_approver');
    bench.reached = () => undefined;
    expect(await seenWhileOpening).to.deep.equal([UNDECIDED, UNDECIDED]);
    expect(await lockAssociation()).to.deep.equal(NOTHING);
  });

  it('is not set once such cash awaits its decision', async () => {
    bench.governance.mishaps.push('request_lost');
    expect(await codeOf(recordCash())).to.equal('outcome_unknown');
    expect(await lockAssociation()).to.deep.equal(UNDECIDED);
    // The sweeper opens its approval.
    await eventually(async () => {
      expect(await lockAssociation()).to.deep.equal(SOMETHING);
    });
  });

  it('waits for a distribution that has not found its money yet, which it never will', async () => {
    let seen: Promise<unknown> | undefined;
    bench.reached = (step) => (step === 'treasury.distribution.reserving' ? (seen = lockAssociation()) : undefined);
    expect(await codeOf(distribute())).to.equal('insufficient_funds');
    bench.reached = () => undefined;
    expect(await seen).to.deep.equal(UNDECIDED);
    expect(await lockAssociation()).to.deep.equal(NOTHING);
  });

  it('is not set for what is undecided where something else remains', async () => {
    await bench.endow(group.id, 10);
    let seen: Promise<unknown> | undefined;
    bench.reached = (step) => (step === 'treasury.distribution.reserving' ? (seen = lockAssociation()) : undefined);
    await distribute();
    bench.reached = () => undefined;
    expect(await seen).to.deep.equal(SOMETHING);
  });

  it('is only looked at in a dry run', async () => {
    expect(await lockAssociation({ dry_run: true })).to.deep.equal(NOTHING);
    expect((await recordCash()).status).to.equal('pending_approval');
    expect(await lockAssociation({ dry_run: true })).to.deep.equal(SOMETHING);
  });

  it('is undone for the approval that set it, and for no other', async () => {
    await lockAssociation();
    await unlockAssociation({ approval_id: newId() });
    expect(await codeOf(recordCash())).to.equal('service_unavailable');
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
    const membership = (tenure = 0) => ({ ...path(), member_id: group.m.member_id, tenure, departure_id });
    const lock = (tenure?: number) => bench.command(contract.lockMembership, membership(tenure));
    const unlock = () => bench.command(contract.unlockMembership, membership());
    /** Asks for both once the membership is locked; `then` happens while they wait. */
    const askedWhileLocked = async (then: () => unknown) => {
      await bench.endow(group.id, 10);
      expect(await lock()).to.deep.equal({ locked: true });
      bench.membership.asked.length = 0;
      const asked = [codeOf(recordCash()), codeOf(distribute())];
      // Each is authorized once before it meets the lock, and again while it waits.
      await eventually(() => {
        const times = ['record_cash', 'request_distribution'].map(
          (permission) => bench.membership.asked.filter((each) => each === permission).length > 1,
        );
        expect(times).to.deep.equal([true, true]);
      });
      expect(await plans()).to.deep.equal([]);
      await then();
      return Promise.all(asked.map((each) => each.catch(() => 'accepted')));
    };
    const member = () =>
      bench.membership.associations.get(group.id)!.members.find((each) => each.user_id === group.m.user_id)!;

    it('is not set while cash or a distribution of the member is open', async () => {
      const deposit = await recordCash();
      expect(await lock()).to.deep.equal({ locked: false });
      await bench.decide(deposit.id, 'rejected');
      expect(await lock()).to.deep.equal({ locked: true });
      expect(await lock()).to.deep.equal({ locked: true });
    });

    it('lets requests for the member wait, which are refused once they have left', async () => {
      const codes = await askedWhileLocked(() => (member().status = 'left'));
      expect(codes).to.deep.equal(['not_found', 'not_found']);
    });

    it('lets them in once it is undone, and does not stand if it comes late', async () => {
      expect(await askedWhileLocked(unlock)).to.deep.equal(['accepted', 'accepted']);
      group = await bench.group();
      await unlock();
      expect(await lock()).to.deep.equal({ locked: false });
    });

    it('refuses nothing while it is undecided', async () => {
      expect(await askedWhileLocked(() => undefined)).to.deep.equal(['service_unavailable', 'service_unavailable']);
    });

    it('stays with the tenure: a request from before is refused, one from after is not', async () => {
      const codes = await askedWhileLocked(() => bench.membership.tenures.set(group.m.member_id, 1));
      expect(codes).to.deep.equal(['not_found', 'not_found']);
      expect((await recordCash()).status).to.equal('pending_approval');
      expect(await lock(1)).to.deep.equal({ locked: false });
    });

    it('is set or has the request stored, never both, in 24 tries', async () => {
      for (let n = 0; n < 24; n += 1) {
        group = await bench.group();
        await bench.endow(group.id, 10);
        const ask = n % 2 === 0 ? recordCash : distribute;
        const attempts = [() => codeOf(ask()).catch(() => 'accepted'), () => lock()];
        const [first, second] = await Promise.all((n % 4 < 2 ? attempts : attempts.toReversed()).map((each) => each()));
        const [asked, locked] = typeof first === 'string' ? [first, second] : [second, first];
        expect([asked, locked]).to.deep.be.oneOf([
          ['accepted', { locked: false }],
          ['service_unavailable', { locked: true }],
        ]);
      }
    });
  });

  it('is one association’s alone', async () => {
    await lockAssociation();
    group = await bench.group();
    expect((await recordCash()).status).to.equal('pending_approval');
  });

  it('never stands beside a request that came at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      group = await bench.group();
      const [locked, recorded] = await Promise.allSettled([lockAssociation(), recordCash(), lockAssociation()]);
      if (locked.status !== 'fulfilled') throw new Error('locking failed');
      const { remains } = await lockAssociation();
      expect(remains).to.equal(recorded.status === 'rejected' ? 'nothing' : 'something');
      if (locked.value.remains === 'nothing') expect(recorded.status).to.equal('rejected');
    }
  });
});
