import { expect } from 'chai';
import fc from 'fast-check';
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import { firstBreak } from '../../harness/chain.ts';
import { decide, type Decision, type LedgerView } from '../../../services/treasury/ledger/decide.rules.ts';
import { fingerprintOf, legsBetween, savingsChangeOf } from '../../../services/treasury/ledger/posting.rules.ts';
import type { Outcome, Posting } from '../../../services/treasury/ledger/posting.rules.ts';

const uuid = (n: number) => `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`;
const CHAINS = [uuid(1), uuid(2)];
const WALLETS = [`wallet:${uuid(11)}`, `wallet:${uuid(12)}`];
const EMONEY = [...WALLETS, 'treasury', 'reserved', `pool:${uuid(21)}`];
const CASH = ['cash_funding', 'cash_treasury', 'cash_reserved', `cash_pool:${uuid(21)}`];
const OPENING = 500n;

function openingView(): LedgerView {
  const accounts: LedgerView['accounts'] = new Map();
  for (const name of WALLETS) {
    const fixed = { association_id: null, money: 'emoney' as const, may_go_negative: false, fresh: false };
    const held = { currency: 'XAF', owner_user_id: 'u', balance: OPENING, savings: 0n, entry_count: 0n };
    accounts.set(name, { account_id: name, name, ...held, ...fixed });
  }
  return { chains: new Map(), accounts, known: new Map() };
}

const amount = fc.oneof(
  fc.integer({ min: 1, max: 300 }),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 100),
);

/** Legs that sum to zero, from one paying account to some receiving accounts of the same kind. */
function transferWithin(accounts: string[]): fc.Arbitrary<Posting['movement']> {
  const shares = fc.array(fc.tuple(fc.constantFrom(...accounts), fc.integer({ min: 1, max: 200 })), {
    minLength: 1,
    maxLength: 3,
  });
  const small = fc.tuple(fc.constantFrom(...accounts), shares).map(([from, to]) => ({
    legs: [
      { account: from, amount_minor: -to.reduce((sum, [, share]) => sum + share, 0) },
      ...to.map(([account, share]) => ({ account, amount_minor: share })),
    ],
  }));
  const large = fc
    .tuple(fc.constantFrom(...accounts), fc.constantFrom(...accounts), amount)
    .map(([from, to, moved]) => ({ legs: legsBetween(from, to, BigInt(moved)) }));
  return fc.oneof({ weight: 4, arbitrary: small }, { weight: 1, arbitrary: large });
}

const split: fc.Arbitrary<Posting['movement']> = amount.map((amount_minor) => ({
  split: {
    amount_minor,
    from: { emoney: 'treasury', cash: 'cash_treasury' },
    to: { emoney: 'reserved', cash: 'cash_reserved' },
  },
}));

/** Changes of savings that a posting may name, including changes that are too large. */
const change = fc.oneof(fc.constant(0), fc.integer({ min: -250, max: 250 }));
const savings = fc.option(fc.record({ emoney_minor: change, cash_minor: change }), { nil: undefined });

/** Few ids, so that repeats and conflicts are common. */
const posting: fc.Arbitrary<Posting> = fc
  .record({
    id: fc.integer({ min: 100, max: 140 }).map(uuid),
    chain_id: fc.constantFrom(...CHAINS),
    movement: fc.oneof(transferWithin(EMONEY), transferWithin(CASH), split),
    payer_user_id: fc.constantFrom('u', 'u', 'u', 'thief', null),
    savings,
    metadata: fc.constantFrom(null, null, null, { receipt: '1' }, { receipt: '2' }),
  })
  .map((given) => ({
    ...given,
    savings: 'split' in given.movement ? undefined : withLegs(given.savings, given.movement.legs),
    association_id: given.chain_id,
    kind: 'contribution',
    currency: 'XAF',
    reference: null,
    member_id: null,
  }));

/** Limits a change of savings to the accounts that the posting moves. */
function withLegs(given: Posting['savings'], legs: { account: string }[]): Posting['savings'] {
  const moved = (account: string, amount_minor = 0) => (legs.some((leg) => leg.account === account) ? amount_minor : 0);
  if (given === undefined) return undefined;
  return {
    emoney_minor: moved('treasury', given.emoney_minor),
    cash_minor: moved('cash_treasury', given.cash_minor),
  };
}

const postings = fc.array(posting, { minLength: 1, maxLength: 80 });

function run(view: LedgerView, sequence: Posting[]): Decision[] {
  return sequence.map((each) => decide(view, each, fingerprintOf(each), '2026-01-31T12:00:00.000Z'));
}

const outcomeOf = (decision: Decision): Outcome | Decision =>
  decision.status === 'repeat'
    ? decision.outcome
    : decision.status === 'posted'
      ? { status: 'posted', transfer: decision.transfer }
      : decision;

const chainOf = (decisions: Decision[], chain_id: string): TransferRecord[] =>
  decisions.flatMap((each) =>
    each.status === 'posted' && each.transfer.association_id === chain_id ? [each.transfer] : [],
  );

/** Properties that hold after any sequence of postings. */
const RULES: Record<string, (sequence: Posting[]) => void> = {
  'neither creates nor loses e-money or cash': (sequence) => {
    const view = openingView();
    run(view, sequence);
    const sums = { emoney: 0n, cash: 0n };
    for (const account of view.accounts.values()) sums[account.money] += account.balance;
    expect(sums).to.deep.equal({ emoney: OPENING * BigInt(WALLETS.length), cash: 0n });
  },

  'keeps every balance within the safe integers, and none below zero except that of cash_funding': (sequence) => {
    const view = openingView();
    run(view, sequence);
    for (const { name, balance } of view.accounts.values()) {
      if (name !== 'cash_funding') expect(balance >= 0n, name).to.equal(true);
      expect(Number.isSafeInteger(Number(balance)), name).to.equal(true);
    }
  },

  'keeps savings within the balances of the treasury, and changes them only by a posting that names the change': (
    sequence,
  ) => {
    const view = openingView();
    const saved = new Map<string, bigint>();
    for (const each of sequence) {
      const [decision] = run(view, [each]);
      for (const { account_id, name, balance, savings: held } of view.accounts.values()) {
        expect(held >= 0n && (held === 0n || balance >= held), name).to.equal(true);
        if (held !== 0n) expect(name).to.be.oneOf(['treasury', 'cash_treasury']);
        const posted = decision?.status === 'posted' && account_id.startsWith(each.chain_id);
        const delta = posted ? savingsChangeOf(each, name) : 0n;
        expect(held).to.equal((saved.get(account_id) ?? 0n) + delta);
        saved.set(account_id, held);
      }
    }
  },

  'keeps each chain verifiable and without gaps': (sequence) => {
    const decisions = run(openingView(), sequence);
    // firstBreak() checks that the numbers begin at 1 and have no gaps.
    for (const chain_id of CHAINS) expect(firstBreak(chainOf(decisions, chain_id))).to.equal(undefined);
  },

  'numbers the entries of each account without gaps, and each continues from the balance before it': (sequence) => {
    const opening = openingView();
    const last = new Map([...opening.accounts].map(([id, account]) => [id, { no: 0n, balance: account.balance }]));
    for (const decision of run(openingView(), sequence)) {
      if (decision.status !== 'posted') continue;
      for (const { account, amount: moved } of decision.entries) {
        const before = last.get(account.account_id) ?? { no: 0n, balance: 0n };
        expect(account.entry_count).to.equal(before.no + 1n);
        expect(account.balance).to.equal(before.balance + moved);
        last.set(account.account_id, { no: account.entry_count, balance: account.balance });
      }
    }
  },

  'always answers a repeat with its first outcome, and posts no transfer twice': (sequence) => {
    const view = openingView();
    const first = run(view, sequence).map(outcomeOf);
    const balances = [...view.accounts.values()].map((account) => account.balance);
    expect(run(view, sequence).map(outcomeOf)).to.deep.equal(first);
    expect([...view.accounts.values()].map((account) => account.balance)).to.deep.equal(balances);
  },
};

describe('ledger: any sequence of postings', () => {
  for (const [rule, check] of Object.entries(RULES)) it(rule, () => fc.assert(fc.property(postings, check)));

  it('has the same outcomes regardless of its division into batches', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 80, maxLength: 80 });
    fc.assert(
      fc.property(postings, sizes, (sequence, parts) => {
        const together = run(openingView(), sequence).map(outcomeOf);
        let view = openingView();
        const inBatches: unknown[] = [];
        let at = 0;
        for (const size of parts) {
          inBatches.push(...run(view, sequence.slice(at, at + size)).map(outcomeOf));
          at += size;
          // The next batch reads what is stored from the database.
          view = reloaded(view);
        }
        expect(inBatches).to.deep.equal(together);
      }),
    );
  });
});

function reloaded(view: LedgerView): LedgerView {
  const settled = <T extends { fresh: boolean }>(map: Map<string, T>) =>
    new Map([...map].map(([key, value]) => [key, { ...value, fresh: false }]));
  return { chains: settled(view.chains), accounts: settled(view.accounts), known: new Map(view.known) };
}
