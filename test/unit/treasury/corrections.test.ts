import { expect } from 'chai';
import fc from 'fast-check';
import { TRANSFER_KINDS, type TransferLeg } from '../../../lib/contracts/treasury.ts';
import { finalStates } from '../../../lib/saga/states.ts';
import {
  amountOf,
  reversalPosting,
  REVERSIBLE,
  undoneWith,
  type ReversedTransfer,
} from '../../../services/treasury/corrections/correction.rules.ts';
import { CORRECTION_STATES } from '../../../services/treasury/corrections/correction.table.ts';
import {
  paymentPosting,
  releasePosting,
  reservePosting,
  reservedBy,
} from '../../../services/treasury/distributions/distribution.rules.ts';
import type { Distribution } from '../../../services/treasury/distributions/distribution.table.ts';
import { decide, type Decision, type LedgerView } from '../../../services/treasury/ledger/decide.rules.ts';
import { assertWellFormed, fingerprintOf, type Posting } from '../../../services/treasury/ledger/posting.rules.ts';

const uuid = (n: number) => `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`;
const ASSOCIATION = uuid(1);
const MEMBER = uuid(2);
const OWNER = 'user';
const WALLET = `wallet:${uuid(3)}`;
const POSTED_AT = '2026-01-31T12:00:00.000Z';

/** A ledger with one wallet, and with e-money and cash in the treasury. */
function openedView(emoney: bigint, cash: bigint): LedgerView {
  const accounts: LedgerView['accounts'] = new Map();
  const add = (account_id: string, name: string, money: 'emoney' | 'cash', balance: bigint) => {
    const owner_user_id = name === WALLET ? OWNER : null;
    const association_id = name === WALLET ? null : ASSOCIATION;
    const fixed = { currency: 'XAF', savings: 0n, entry_count: 0n, may_go_negative: false, fresh: false };
    accounts.set(account_id, { account_id, association_id, name, money, owner_user_id, balance, ...fixed });
  };
  add(WALLET, WALLET, 'emoney', 1_000n);
  add(`${ASSOCIATION}/treasury`, 'treasury', 'emoney', emoney);
  add(`${ASSOCIATION}/cash_treasury`, 'cash_treasury', 'cash', cash);
  return { chains: new Map(), accounts, known: new Map() };
}

const act = (view: LedgerView, posting: Posting): Decision => {
  assertWellFormed(posting);
  return decide(view, posting, fingerprintOf(posting), POSTED_AT);
};
const balancesOf = ({ accounts }: LedgerView) =>
  Object.fromEntries(
    [...accounts].filter(([, { balance }]) => balance !== 0n).map(([id, { balance }]) => [id, balance]),
  );

/** What a reversal reads of a posted transfer. */
function readBack(posting: Posting, decision: Decision): ReversedTransfer {
  if (decision.status !== 'posted') throw new Error(`The transfer is ${decision.status}`);
  const members = Map.groupBy(
    decision.entries.map(({ account: { name }, member_id }) => ({ name, member_id })),
    ({ name }) => name,
  );
  return {
    id: posting.id,
    association_id: ASSOCIATION,
    legs: decision.transfer.legs,
    currency: 'XAF',
    member_id: posting.member_id,
    members: new Map([...members].map(([name, each]) => [name, each.map(({ member_id }) => member_id)])),
    owner_user_id: OWNER,
  };
}

function postingOf(id: string, legs: TransferLeg[]): Posting {
  const fixed = { chain_id: ASSOCIATION, association_id: ASSOCIATION, kind: 'contribution' as const, currency: 'XAF' };
  return { id, ...fixed, reference: null, movement: { legs }, payer_user_id: OWNER, member_id: MEMBER };
}

describe('treasury: a correction', () => {
  it('is possible for the kinds on which something stands, and for no other', () => {
    const reversible = TRANSFER_KINDS.filter((kind) => REVERSIBLE[kind] !== null);
    expect(reversible).to.have.members([
      ...['contribution', 'cash_contribution', 'cash_deposit', 'fine_payment', 'meeting_sheet', 'distribution_payment'],
    ]);
    expect(() => undoneWith('settlement')).to.throw('cannot be reversed');
  });

  it('ends as done, rejected, failed, or refused before its approval was open', () => {
    expect(finalStates(CORRECTION_STATES)).to.have.members(['done', 'rejected', 'failed', 'refused']);
  });

  /** Cash of several members and e-money of a wallet, as a meeting sheet and a contribution move them. */
  const anyLegs = fc
    .array(fc.tuple(fc.integer({ min: 1, max: 500 }), fc.option(fc.integer({ min: 10, max: 15 }), { nil: null })), {
      minLength: 1,
      maxLength: 6,
    })
    .chain((parts) => fc.tuple(fc.constant(parts), fc.integer({ min: 1, max: 1_000 }), fc.boolean()))
    .map(([parts, paid, isFromWallet]): TransferLeg[] => {
      const cash = parts.map(([amount, member]) => {
        return {
          account: 'cash_funding',
          amount_minor: -amount,
          ...(member === null ? {} : { member_id: uuid(member) }),
        };
      });
      const sum = parts.reduce((total, [amount]) => total + amount, 0);
      const emoney = [
        { account: WALLET, amount_minor: -paid },
        { account: 'treasury', amount_minor: paid },
      ];
      return [...cash, { account: `cash_pool:${uuid(4)}`, amount_minor: sum }, ...(isFromWallet ? emoney : [])];
    });

  it('restores every balance, twice changes nothing, and is on the statements of the same members', () => {
    fc.assert(
      fc.property(anyLegs, (legs) => {
        const view = openedView(0n, 0n);
        const before = balancesOf(view);
        const posting = postingOf(uuid(50), legs);
        const posted = act(view, posting);
        const reversed = readBack(posting, posted);
        const reversal = reversalPosting(uuid(51), reversed);
        const decision = act(view, reversal);
        expect(balancesOf(view)).to.deep.equal(before);
        const again = act(view, reversalPosting(uuid(51), reversed));
        expect(again.status).to.equal('repeat');
        expect(balancesOf(view)).to.deep.equal(before);
        expect(reversal).to.include({ kind: 'reversal', reference: posting.id });
        if (posted.status !== 'posted' || decision.status !== 'posted') throw new Error('not posted');
        const listed = (entries: typeof posted.entries) =>
          entries.map(({ account, amount, member_id }) => [account.name, amount < 0n ? -amount : amount, member_id]);
        expect(listed(decision.entries)).to.deep.equal(listed(posted.entries));
        expect(amountOf(decision.transfer.legs)).to.equal(amountOf(posted.transfer.legs));
      }),
    );
  });

  it('is refused if it would take an account below zero, and then changes nothing', () => {
    const view = openedView(0n, 0n);
    const paying = postingOf(uuid(50), [
      { account: WALLET, amount_minor: -100 },
      { account: 'treasury', amount_minor: 100 },
    ]);
    const reversed = readBack(paying, act(view, paying));
    const spending = postingOf(uuid(51), [
      { account: 'treasury', amount_minor: -1 },
      { account: 'reserved', amount_minor: 1 },
    ]);
    expect(act(view, spending).status).to.equal('posted');
    const before = balancesOf(view);
    const decision = act(view, reversalPosting(uuid(52), reversed));
    expect(decision).to.deep.equal({ status: 'refused', refusal: { code: 'insufficient_funds', extras: {} } });
    expect(balancesOf(view)).to.deep.equal(before);
  });

  /** The steps of one distribution: what is paid may be reversed, and then reserved again by none. */
  interface Course {
    amount: number;
    end: 'open' | 'released' | 'paid' | 'reversed';
  }
  const courses: fc.Arbitrary<Course[]> = fc.array(
    fc.record({
      amount: fc.integer({ min: 1, max: 400 }),
      end: fc.constantFrom('open', 'released', 'paid', 'reversed', 'reversed'),
    }),
    { minLength: 1, maxLength: 6 },
  );

  it('of a distribution is never refused for its reserve, in whatever order distributions go on', () => {
    fc.assert(
      fc.property(
        courses,
        fc.infiniteStream(fc.nat()),
        fc.bigInt(0n, 600n),
        fc.bigInt(0n, 600n),
        (plans, order, emoney, cash) => {
          const view = openedView(emoney, cash);
          const before = balancesOf(view);
          const running = plans.map((course, index) => stepsOf(view, course, 100 + 10 * index));
          for (let left = running; left.length > 0;) {
            const place = order.next().value % left.length;
            if (left[place]!.next().done === true) left = left.filter((_, index) => index !== place);
          }
          const isAllGivenBack = plans.every(({ end }) => end === 'released' || end === 'reversed');
          if (isAllGivenBack) expect(balancesOf(view)).to.deep.equal(before);
        },
      ),
    );
  });

  /** Goes on with a distribution at each step. @throws if its reserve is not returned */
  function* stepsOf(view: LedgerView, { amount, end }: Course, first: number): Generator<undefined> {
    const [id, closing_transfer_id, payment_reversal, reserve_reversal] = [0, 1, 2, 3].map((n) => uuid(first + n)) as [
      ...[string, string, string, string],
    ];
    const asked = {
      ...{ id, closing_transfer_id, association_id: ASSOCIATION, currency: 'XAF', reason: 'a roof' },
      ...{ beneficiary_member_id: MEMBER, payout_wallet_id: WALLET.slice('wallet:'.length), amount: BigInt(amount) },
    } as Distribution;
    const reserving = reservePosting(asked);
    const reserve = act(view, reserving);
    // More than the treasury has is not reserved.
    if (reserve.status !== 'posted') return;
    yield undefined;
    const plan = { ...asked, ...reservedBy(reserve.transfer.legs) };
    if (end === 'open') return;
    const closing = end === 'released' ? releasePosting(plan) : paymentPosting(plan);
    const closed = act(view, closing);
    expect(closed.status).to.equal('posted');
    if (end !== 'reversed') return;
    yield undefined;
    const taken = act(view, reversalPosting(payment_reversal, readBack(closing, closed)));
    // The wallet has at least its opening balance, so that no payment is spent.
    expect(taken.status).to.equal('posted');
    yield undefined;
    expect(act(view, reversalPosting(reserve_reversal, readBack(reserving, reserve))).status).to.equal('posted');
  }
});
