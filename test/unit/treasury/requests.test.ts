import { expect } from 'chai';
import fc from 'fast-check';
import { SAGA_TIMINGS } from '../../../lib/saga/timings.ts';
import { finalStates, statesBefore, statesWhere, type StateTable } from '../../../lib/saga/states.ts';
import { summarize } from '../../../services/treasury/association/balances.rules.ts';
import { cashDepositPayload, cashDepositPosting } from '../../../services/treasury/cash/cash-deposit.rules.ts';
import { createCashDepositSaga } from '../../../services/treasury/cash/cash-deposit.saga.ts';
import { CASH_DEPOSIT_STATES, type CashDeposit } from '../../../services/treasury/cash/cash-deposit.table.ts';
import { createCorrectionSaga } from '../../../services/treasury/corrections/correction.saga.ts';
import { CORRECTION_STATES } from '../../../services/treasury/corrections/correction.table.ts';
import {
  paymentPosting,
  releasePosting,
  reservedBy,
  returnPosting,
} from '../../../services/treasury/distributions/distribution.rules.ts';
import { createDistributionSaga } from '../../../services/treasury/distributions/distribution.saga.ts';
import { DISTRIBUTION_STATES, type Distribution } from '../../../services/treasury/distributions/distribution.table.ts';
import { showDistribution, statesShown } from '../../../services/treasury/distributions/distribution.view.ts';
import { assertWellFormed } from '../../../services/treasury/ledger/posting.rules.ts';

const uuid = (n: number) => `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`;

const NOW = new Date('2026-01-31T12:00:00.000Z');

function distribution(reserved_emoney: bigint, reserved_cash: bigint): Distribution {
  return {
    id: uuid(1),
    association_id: uuid(2),
    beneficiary_member_id: uuid(3),
    payout_wallet_id: uuid(4),
    amount: reserved_emoney + reserved_cash,
    currency: 'EUR',
    reason: 'a roof',
    reserved_emoney,
    reserved_cash,
    status: 'pending_approval',
    approval_id: uuid(5),
    decision: null,
    decided_at: null,
    refusal: null,
    closing_transfer_id: uuid(6),
    return_transfer_id: uuid(7),
    requested_by_member_id: uuid(8),
    requested_at: NOW,
    last_attempt_at: NOW,
    metadata: null,
  };
}

type States = StateTable<string, { undecided: boolean; obliges: boolean }>;

describe('treasury: a request to the board', () => {
  const create = [{ runtime: { clock: () => new Date() } }, SAGA_TIMINGS, {}] as never as Parameters<
    typeof createCashDepositSaga
  >;
  const machines = {
    cash_deposit: { states: CASH_DEPOSIT_STATES as States, saga: createCashDepositSaga(...create).saga },
    distribution: { states: DISTRIBUTION_STATES as States, saga: createDistributionSaga(...create).saga },
    correction: { states: CORRECTION_STATES as States, saga: createCorrectionSaga(...create, {} as never).saga },
  };
  for (const [name, { states, saga }] of Object.entries(machines)) {
    it(`of type ${name} always reaches a final state, in which it obliges no member`, () => {
      const ends = (state: string): boolean =>
        states[state]?.next.length === 0 || states[state]?.next.some(ends) === true;
      expect(Object.keys(states).every(ends)).to.equal(true);
      expect(statesWhere(states, ({ next, undecided, obliges }) => next.length === 0 && (undecided || obliges))).to.be
        .empty;
    });

    it(`of type ${name} is left to recovery unless it waits for the board or is done`, () => {
      const resting = Object.keys(states).filter((status) => saga.isIdle({ status } as never));
      // A deposit or distribution that is done stays so, unless a correction reverses it.
      const done = statesBefore(states, 'reversed');
      expect(resting).to.have.members(['pending_approval', ...done, ...finalStates(states)]);
    });
  }

  it('for a distribution is shown once it waits for its approval, as pending until the money has moved', () => {
    const pending = ['pending_approval', 'paying', 'failing', 'releasing'];
    expect(statesShown()).to.have.members([...pending, 'paid', 'reversed', 'rejected', 'failed']);
    expect(statesShown('pending_approval')).to.have.members(pending);
    expect(statesShown('failed')).to.deep.equal(['failed']);
  });

  const amounts = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.bigInt({ min: 0n, max: 10n ** 15n }));

  it('for a distribution moves exactly its reserve when it is paid, released or returned', () => {
    fc.assert(
      fc.property(
        amounts.filter(([emoney, cash]) => emoney + cash > 0n),
        ([emoney, cash]) => {
          const plan = distribution(emoney, cash);
          const payment = paymentPosting(plan);
          const release = releasePosting(plan);
          const back = returnPosting(plan);
          expect(payment.id).to.equal(release.id);
          expect(back.id).to.not.equal(release.id);
          for (const posting of [payment, release, back]) {
            assertWellFormed(posting);
            if (!('legs' in posting.movement)) throw new Error('no legs');
            const out = posting.movement.legs.map(({ account, amount_minor }) => ({
              account,
              amount_minor: -amount_minor,
            }));
            expect(reservedBy(out)).to.deep.equal({ reserved_emoney: emoney, reserved_cash: cash });
          }
        },
      ),
    );
  });

  it('for a distribution shows the requested amount as paid, e-money first', () => {
    const paid = showDistribution({ ...distribution(1_050n, 25n), status: 'paid' });
    expect(paid.amount).to.equal(10.75);
    expect(paid.payouts.map(({ method, amount }) => [method, amount])).to.deep.equal([
      ['wallet', 10.5],
      ['cash', 0.25],
    ]);
    expect(showDistribution(distribution(1_050n, 25n)).payouts).to.deep.equal([]);
    expect(showDistribution({ ...distribution(0n, 25n), status: 'paid' }).payouts).to.have.length(1);
  });
});

describe('treasury: a cash deposit', () => {
  it('is shown to the board in the currency’s major unit, and posted in its minor unit', () => {
    const deposit: CashDeposit = {
      id: uuid(1),
      association_id: uuid(2),
      member_id: uuid(3),
      meeting_id: uuid(9),
      approval_id: uuid(5),
      amount: 1_050n,
      currency: 'EUR',
      reason: 'the box',
      status: 'confirming',
      decision: 'approved',
      recorded_by_member_id: uuid(8),
      recorded_at: NOW,
      last_attempt_at: NOW,
      refusal: null,
      metadata: null,
    };
    const shown = { member_id: uuid(3), amount: 10.5, currency: 'EUR', reason: 'the box', meeting_id: uuid(9) };
    expect(cashDepositPayload(deposit)).to.deep.equal(shown);
    const posting = cashDepositPosting(deposit);
    assertWellFormed(posting);
    expect(posting.movement).to.have.nested.property('legs[1].amount_minor', 1_050);
  });
});

describe('treasury: holdings', () => {
  it('sum e-money and cash, include cash in reserves and pools, and exclude savings from `available`', () => {
    const holding = (balance: bigint, savings = 0n) => ({ balance, savings });
    const accounts = new Map([
      ['treasury', holding(10n, 9n)],
      ['cash_treasury', holding(20n, 4n)],
      ['reserved', holding(3n)],
      ['cash_reserved', holding(4n)],
      [`pool:${uuid(2)}`, holding(5n)],
      [`cash_pool:${uuid(2)}`, holding(6n)],
      [`pool:${uuid(1)}`, holding(7n)],
      [`pool:${uuid(3)}`, holding(0n)],
      ['cash_funding', holding(-30n)],
    ]);
    expect(summarize(accounts)).to.deep.equal({
      treasury: 30n,
      reserved: 7n,
      cash: 30n,
      available: 17n,
      pools: [
        { meeting_id: uuid(1), amount: 7n, cash_amount: 0n },
        { meeting_id: uuid(2), amount: 11n, cash_amount: 6n },
      ],
    });
  });
});
