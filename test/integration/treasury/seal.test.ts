import { expect } from 'chai';
import * as contract from '../../../lib/contracts/treasury.ts';
import { eventually } from '../../support/eventually.ts';
import { RIGHT_PIN } from '../../support/fake-membership.ts';
import { codeOf, legs, newId, TreasuryBench } from '../../support/treasury.ts';
import type { TestAssociation } from '../../support/treasury.ts';

const NOTHING = { remains: 'nothing' };
const UNDECIDED = { remains: 'undecided' };
const SOMETHING = { remains: 'something' };

describe('treasury: the seal of an association', () => {
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
  const seal = (given: object = {}) =>
    bench.command(contract.seal, { ...path(), approval_id, dry_run: false, ...given });
  const unseal = (given: object = {}) => bench.command(contract.unseal, { ...path(), approval_id, ...given });
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

  it('lets nothing new in, as often as it is set', async () => {
    expect(await seal()).to.deep.equal(NOTHING);
    expect(await seal()).to.deep.equal(NOTHING);
    expect(await codeOf(recordCash())).to.equal('association_closed');
    expect(await codeOf(distribute())).to.equal('association_closed');
    expect(await seal()).to.deep.equal(NOTHING);
    const plans = await bench.sql(
      'SELECT FROM cash_deposits WHERE association_id = $1 UNION ALL SELECT FROM distributions WHERE association_id = $1',
      group.id,
    );
    expect(plans).to.deep.equal([]);
  });

  it('is not set while any account is not at zero', async () => {
    await bench.endow(group.id, 5);
    expect(await seal()).to.deep.equal(SOMETHING);
    await payOut(5);
    expect(await seal()).to.deep.equal(NOTHING);
  });

  it('is not set while cash or a distribution awaits its decision', async () => {
    const deposit = await recordCash();
    expect(await seal()).to.deep.equal(SOMETHING);
    await bench.decide(deposit.id, 'rejected');
    await bench.endow(group.id, 10);
    const distribution = await distribute(10);
    expect(await seal()).to.deep.equal(SOMETHING);
    await bench.decide(distribution.id, 'approved');
    expect(await seal()).to.deep.equal(NOTHING);
  });

  it('waits for cash of which nobody knows yet that it is to be, and is set once governance has refused it', async () => {
    let seenWhileOpening: Promise<unknown> | undefined;
    bench.reached = (step) => {
      if (step === 'treasury.cash.stored') seenWhileOpening = Promise.all([seal(), seal({ dry_run: true })]);
      return seenWhileOpening;
    };
    bench.governance.mishaps.push('refused');
    expect(await codeOf(recordCash())).to.equal('no_eligible_approver');
    bench.reached = () => undefined;
    expect(await seenWhileOpening).to.deep.equal([UNDECIDED, UNDECIDED]);
    expect(await seal()).to.deep.equal(NOTHING);
  });

  it('is not set once such cash awaits its decision', async () => {
    bench.governance.mishaps.push('request_lost');
    expect(await codeOf(recordCash())).to.equal('outcome_unknown');
    expect(await seal()).to.deep.equal(UNDECIDED);
    // The sweeper opens its approval.
    await eventually(async () => {
      expect(await seal()).to.deep.equal(SOMETHING);
    });
  });

  it('waits for a distribution that has not found its money yet, which it never will', async () => {
    let seen: Promise<unknown> | undefined;
    bench.reached = (step) => (step === 'treasury.distribution.stored' ? (seen = seal()) : undefined);
    expect(await codeOf(distribute())).to.equal('insufficient_funds');
    bench.reached = () => undefined;
    expect(await seen).to.deep.equal(UNDECIDED);
    expect(await seal()).to.deep.equal(NOTHING);
  });

  it('is not set for what is undecided where something else remains', async () => {
    await bench.endow(group.id, 10);
    let seen: Promise<unknown> | undefined;
    bench.reached = (step) => (step === 'treasury.distribution.stored' ? (seen = seal()) : undefined);
    await distribute();
    bench.reached = () => undefined;
    expect(await seen).to.deep.equal(SOMETHING);
  });

  it('is only looked at in a dry run', async () => {
    expect(await seal({ dry_run: true })).to.deep.equal(NOTHING);
    expect((await recordCash()).status).to.equal('pending_approval');
    expect(await seal({ dry_run: true })).to.deep.equal(SOMETHING);
  });

  it('is undone for the approval that set it, and for no other', async () => {
    await seal();
    await unseal({ approval_id: newId() });
    expect(await codeOf(recordCash())).to.equal('association_closed');
    expect(await unseal()).to.deep.equal({ ok: true });
    expect(await unseal()).to.deep.equal({ ok: true });
    expect((await recordCash()).status).to.equal('pending_approval');
  });

  it('does not stand if it was undone before it was set', async () => {
    await unseal();
    expect(await seal()).to.deep.equal(SOMETHING);
    expect((await recordCash()).status).to.equal('pending_approval');
  });

  it('is one association’s alone', async () => {
    await seal();
    group = await bench.group();
    expect((await recordCash()).status).to.equal('pending_approval');
  });

  it('never stands beside a request that came at the same time', async () => {
    for (let round = 0; round < 8; round += 1) {
      group = await bench.group();
      const [sealed, recorded] = await Promise.allSettled([seal(), recordCash(), seal()]);
      if (sealed.status !== 'fulfilled') throw new Error('sealing failed');
      const { remains } = await seal();
      expect(remains).to.equal(recorded.status === 'rejected' ? 'nothing' : 'something');
      if (sealed.value.remains === 'nothing') expect(recorded.status).to.equal('rejected');
    }
  });
});
