import { expect } from 'chai';
import type { EndpointInput } from '../../../lib/contracts/action.ts';
import { checkEligibility, requestApproval } from '../../../lib/contracts/governance.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { firstBreak } from '../../harness/chain.ts';
import { eventually } from '../../harness/eventually.ts';
import { DONE, failed } from '../../harness/fakes/fake.ts';
import { atOnce, outcomeOf, outcomesOf, refusalOf } from '../../harness/refusal.ts';
import { useTreasury } from '../../harness/treasury.ts';

describe('treasury: distributions', () => {
  const treasury = useTreasury();
  const { newId } = treasury;

  const list = (query: Partial<EndpointInput<typeof contract.listDistributions>['query']> = {}) =>
    treasury.as(treasury.group.m.user_id, contract.listDistributions, {
      path: treasury.path(),
      query: { limit: 50, ...query },
    });
  const listedIds = async (query = {}) => (await list(query)).data.map(({ id }) => id);
  const shown = (distribution_id: string) =>
    treasury.as(treasury.group.m.user_id, contract.getDistribution, { path: { ...treasury.path(), distribution_id } });
  const walletBalance = () => treasury.balanceOf(treasury.group.m.payout_wallet_id ?? '', treasury.group.m.user_id);
  const statuses = () => treasury.statuses('distributions');
  /** Requests a distribution from a treasury with enough funds, and returns its id. */
  const requested = async () => {
    await treasury.endow(1_000);
    return (await treasury.distribute()).id;
  };
  const expectHeld = async (held: number, reserved: number) =>
    expect(await treasury.balances()).to.deep.include({ treasury: held, reserved });

  it('reserve the funds and request an approval immediately', async () => {
    const { group } = treasury;
    await treasury.endow(1_000);
    const distribution = await treasury.distribute();
    expect(distribution).to.deep.include({
      association_id: group.id,
      beneficiary_member_id: group.m.member_id,
      amount: 300,
      currency: 'XAF',
      reason: 'a roof',
      status: 'pending_approval',
      requested_by_member_id: group.p.member_id,
      payouts: [],
      decided_at: null,
    });
    const location = `/association-service/api/v1/associations/${group.id}/distributions/${distribution.id}`;
    expect(treasury.headOf(distribution).location).to.equal(location);
    expect(treasury.governance.approvalOf(distribution.id)).to.deep.include({
      approval_id: distribution.approval_id,
      concerned_member_id: group.m.member_id,
      payload: { beneficiary_member_id: group.m.member_id, amount: 300, currency: 'XAF', reason: 'a roof' },
    });
    expect(await treasury.balances()).to.deep.include({ treasury: 700, reserved: 300, available: 700, cash: 0 });
    expect(await shown(distribution.id)).to.deep.equal(distribution);
    expect(await treasury.publishedTypes()).to.deep.equal(['distribution.requested']);
    expect(await treasury.isObliged()).to.equal(true);
  });

  it('are paid once, even if the approval is repeated and the beneficiary has left', async () => {
    const { m } = treasury.group;
    const id = await requested();
    m.status = 'left';
    const outcomes = await Promise.all(atOnce(5, () => treasury.decide(id, 'approved')));
    for (const outcome of outcomes) expect(outcome).to.deep.equal(DONE);
    m.status = 'active';
    const { status, decided_at, payouts } = await shown(id);
    expect(status).to.equal('paid');
    expect(decided_at).to.be.a('string');
    const payout = { member_id: m.member_id, wallet_id: m.payout_wallet_id, method: 'wallet', amount: 300 };
    expect(payouts).to.deep.equal([{ ...payout, transfer_id: payouts[0]?.transfer_id }]);
    expect(await walletBalance()).to.equal(300);
    await expectHeld(700, 0);
    expect(await treasury.publishedTypes()).to.deep.equal(['distribution.requested', 'distribution.paid']);
  });

  it('are paid in e-money first and then in cash, as separate payouts', async () => {
    await treasury.bringCash(250);
    await treasury.endow(100);
    const { id } = await treasury.distribute();
    expect(await treasury.balances()).to.deep.include({ treasury: 50, reserved: 300, cash: 250, available: 50 });
    expect(await treasury.decide(id, 'approved')).to.deep.equal(DONE);
    const { payouts } = await shown(id);
    expect(payouts.map(({ method, amount, wallet_id }) => [method, amount, wallet_id])).to.deep.equal([
      ['wallet', 100, treasury.group.m.payout_wallet_id],
      ['cash', 200, null],
    ]);
    expect(await walletBalance()).to.equal(100);
    expect(await treasury.balances()).to.deep.include({ treasury: 50, reserved: 0, cash: 50 });
    const box = await treasury.cashLedger();
    expect(box.map((entry) => [entry.kind, entry.amount, entry.balance_after, entry.reference])).to.deep.equal([
      ['distribution_payment', -200, 50, 'a roof'],
      ['cash_deposit', 250, 250, 'in hand'],
    ]);
    expect(firstBreak((await treasury.exportLedger()).transfers)).to.equal(undefined);
  });

  for (const decision of ['rejected', 'expired', 'cancelled'] as const) {
    it(`release the funds when the approval is ${decision}`, async () => {
      const id = await requested();
      for (let times = 0; times < 2; times += 1) expect(await treasury.decide(id, decision)).to.deep.equal(DONE);
      expect(await shown(id)).to.deep.include({ status: 'rejected', payouts: [] });
      await expectHeld(1_000, 0);
      expect(await treasury.publishedTypes()).to.deep.equal(['distribution.requested', 'distribution.rejected']);
    });
  }

  it('are either paid or released, never both, when contradictory decisions are concurrent', async () => {
    const id = await requested();
    const decisions = ['approved', 'rejected', 'approved', 'cancelled'] as const;
    const outcomes = await Promise.all(decisions.map((decision) => treasury.decide(id, decision)));
    const { status } = await shown(id);
    expect(status).to.be.oneOf(['paid', 'rejected']);
    expect(outcomes.filter((outcome) => outcome.status === 'done')).to.have.length(2);
    expect(await walletBalance()).to.equal(status === 'paid' ? 300 : 0);
    await expectHeld(status === 'paid' ? 700 : 1_000, 0);
  });

  it('are refused with the available amount if that is less, and then not shown', async () => {
    await treasury.bringCash(100);
    await treasury.endow(199);
    const refusal = await refusalOf(treasury.distribute());
    expect(refusal).to.deep.equal({ code: 'insufficient_funds', extras: { available: 299 } });
    expect(await listedIds()).to.deep.equal([]);
    const [{ id } = { id: '' }] = await treasury.requests('distributions');
    expect(await outcomeOf(shown(id))).to.equal('not_found');
    expect(await treasury.publishedTypes()).to.not.include('distribution.requested');
  });

  it('never reserve more than is available when requests are concurrent', async () => {
    await treasury.endow(1_000);
    const outcomes = await outcomesOf(atOnce(8, () => treasury.distribute()));
    expect(outcomes.filter((outcome) => outcome === 'done')).to.have.length(3);
    await expectHeld(100, 900);
  });

  it('are listed newest first, filtered by status, in pages', async () => {
    await treasury.endow(1_000);
    const ids: string[] = [];
    for (const amount of [1, 2, 3]) ids.unshift((await treasury.distribute({ amount })).id);
    await treasury.decide(ids[1] ?? '', 'approved');
    expect(await listedIds()).to.deep.equal(ids);
    expect(await listedIds({ status: 'paid' })).to.deep.equal([ids[1]]);
    const paged = await treasury.listed<{ id: string }>(contract.listDistributions, 2);
    expect(paged.map(({ id }) => id)).to.deep.equal(ids);
    const cursor = (await list({ limit: 2 })).next_cursor ?? '';
    expect(await outcomeOf(list({ status: 'paid', cursor }))).to.equal('validation_failed');
  });

  it('are refused in the documented order of refusals, and then not stored', async () => {
    await treasury.endow(1_000);
    for (const [code, given, user_id] of [
      ['not_found', {}, 'stranger'],
      ['role_not_allowed', { amount: 0.5 }, treasury.group.m.user_id],
      ['amount_precision', { amount: 0.5, beneficiary_member_id: newId() }],
      ['not_found', { beneficiary_member_id: newId() }],
    ] as const) {
      expect(await outcomeOf(treasury.distribute(given, {}, user_id))).to.equal(code);
    }
    treasury.governance.next(checkEligibility, problem('no_eligible_approver'));
    expect(await outcomeOf(treasury.distribute({ amount: 5_000 }))).to.equal('no_eligible_approver');
    expect(await statuses()).to.deep.equal([]);
  });

  it('release the funds if governance refuses to open an approval or is unavailable', async () => {
    await treasury.endow(1_000);
    treasury.governance.next(requestApproval, problem('no_eligible_approver'), 'unavailable');
    expect(await outcomeOf(treasury.distribute())).to.equal('no_eligible_approver');
    expect(await outcomeOf(treasury.distribute())).to.equal('service_unavailable');
    await expectHeld(1_000, 0);
    expect(await statuses()).to.deep.equal(['refused', 'refused']);
    expect(await listedIds()).to.deep.equal([]);
  });

  it('release the funds, with the reason, if they cannot be paid', async () => {
    const { m } = treasury.group;
    m.payout_wallet_id = await treasury.fundedWallet(m.user_id, 0, 'EUR');
    const id = await requested();
    for (let times = 0; times < 2; times += 1) {
      expect(await treasury.decide(id, 'approved')).to.deep.equal(failed('wallet_currency_mismatch'));
    }
    expect(await shown(id)).to.deep.include({ status: 'failed', payouts: [] });
    await expectHeld(1_000, 0);
    expect(await treasury.publishedTypes()).to.deep.equal(['distribution.requested', 'distribution.failed']);
  });

  it('open a wallet for a beneficiary who has no payout wallet', async () => {
    treasury.group.m.payout_wallet_id = null;
    const id = await requested();
    await treasury.decide(id, 'approved');
    expect((await shown(id)).payouts[0]?.wallet_id).to.be.a('string');
  });

  for (const state of ['reserving', 'reserving.acted', 'requesting', 'requesting.acted']) {
    it(`get one approval and reserve the funds once after a failure at ${state}`, async () => {
      treasury.failAt(`treasury.distribution.${state}`);
      expect(await outcomeOf(requested())).to.equal('outcome_unknown');
      await eventually(async () => expect(await listedIds()).to.have.length(1));
      await expectHeld(700, 300);
      expect(await treasury.publishedTypes()).to.deep.equal(['distribution.requested']);
    });
  }

  for (const [decision, state, end] of [
    ['approved', 'paying', 'paid'],
    ['approved', 'paying.acted', 'paid'],
    ['approved', 'failing.acted', 'failed'],
    ['rejected', 'releasing', 'rejected'],
    ['rejected', 'releasing.acted', 'rejected'],
  ] as const) {
    it(`are ${end} after a failure at ${state}, without another call of governance`, async () => {
      if (end === 'failed') treasury.group.m.payout_wallet_id = newId();
      const id = await requested();
      treasury.failAt(`treasury.distribution.${state}`);
      expect(await outcomeOf(treasury.decide(id, decision))).to.equal('internal_error');
      await eventually(async () => expect((await shown(id)).status).to.equal(end));
      await expectHeld(end === 'paid' ? 700 : 1_000, 0);
      expect(await treasury.publishedTypes()).to.have.length(2);
    });
  }
});
