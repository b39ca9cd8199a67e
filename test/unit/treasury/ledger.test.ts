import { expect } from 'chai';
import { decide } from '../../../services/treasury/ledger/decide.rules.ts';
import type { Decision, LedgerView } from '../../../services/treasury/ledger/decide.rules.ts';
import { assertWellFormed, fingerprintOf } from '../../../services/treasury/ledger/posting.rules.ts';
import type { Draw, Posting } from '../../../services/treasury/ledger/posting.rules.ts';

const ASSOCIATION = '01890a5d-ac96-774b-bcce-000000000001';
const WALLET = '01890a5d-ac96-774b-bcce-000000000002';
const EUROS = '01890a5d-ac96-774b-bcce-000000000003';
const POSTED_AT = '2026-01-31T12:00:00.000Z';
const MAX = Number.MAX_SAFE_INTEGER;

let ids = 0;
const freshId = () => `01890a5d-ac96-774b-bcce-${String((ids += 1)).padStart(12, '0')}`;

function wallet(id: string, currency: string, balance: bigint): LedgerView['accounts'] {
  const account_id = `wallet:${id}`;
  const fixed = { association_id: null, money: 'emoney' as const, may_go_negative: false, fresh: false };
  const held = { owner_user_id: 'u', balance, savings: 0n, entry_count: 0n };
  const account = { account_id, name: account_id, currency, ...held, ...fixed };
  return new Map([[account_id, account]]);
}

function emptyView(): LedgerView {
  const accounts = new Map([...wallet(WALLET, 'XAF', 1_000n), ...wallet(EUROS, 'EUR', 1_000n)]);
  return { chains: new Map(), accounts, known: new Map() };
}

function moving(from: string, to: string, amount_minor: number, given: Partial<Posting> = {}): Posting {
  return {
    id: freshId(),
    chain_id: ASSOCIATION,
    association_id: ASSOCIATION,
    kind: 'contribution',
    currency: 'XAF',
    reference: null,
    movement: {
      legs: [
        { account: from, amount_minor: -amount_minor },
        { account: to, amount_minor },
      ],
    },
    payer_user_id: 'u',
    member_id: null,
    ...given,
  };
}

const drawing = (amount_minor: number): Posting => {
  const from = { emoney: 'treasury', cash: 'cash_treasury' };
  const to = { emoney: 'reserved', cash: 'cash_reserved' };
  return moving('treasury', 'reserved', 1, { movement: { draw: { amount_minor, from, to } satisfies Draw } });
};

describe('ledger: the rules of posting', () => {
  let view: LedgerView;
  beforeEach(() => {
    view = emptyView();
  });

  const post = (posting: Posting): Decision => decide(view, posting, fingerprintOf(posting), POSTED_AT);
  const refusalOf = (posting: Posting) => {
    const decision = post(posting);
    if (decision.status !== 'refused') throw new Error(`it is ${decision.status}`);
    return decision.refusal;
  };
  const balance = (name: string) =>
    view.accounts.get(name.startsWith('wallet:') ? name : `${ASSOCIATION}/${name}`)?.balance;

  it('takes no more than an account holds, also where the same transfer gives it back', () => {
    const itself = `wallet:${WALLET}`;
    expect(refusalOf(moving(itself, itself, 1_001)).code).to.equal('insufficient_funds');
    expect(post(moving(itself, itself, 1_000)).status).to.equal('posted');
  });

  it('posts to accounts that come to be with it', () => {
    const decision = post(moving(`wallet:${WALLET}`, 'treasury', 400));
    if (decision.status !== 'posted') throw new Error('not posted');
    expect(decision.transfer).to.include({ seq: 1, prev_hash: '0'.repeat(64), posted_at: POSTED_AT });
    expect([balance(`wallet:${WALLET}`), balance('treasury')]).to.deep.equal([600n, 400n]);
    expect(decision.entries.map((entry) => [entry.account.entry_count, entry.account.balance])).to.deep.equal([
      [1n, 600n],
      [1n, 400n],
    ]);
  });

  it('links each transfer to the one before it', () => {
    const one = post(moving(`wallet:${WALLET}`, 'treasury', 1));
    const two = post(moving(`wallet:${WALLET}`, 'treasury', 1));
    if (one.status !== 'posted' || two.status !== 'posted') throw new Error('not posted');
    expect(two.transfer).to.include({ seq: 2, prev_hash: one.transfer.hash });
  });

  it('gives a repeat the first outcome, a refusal too', () => {
    const [good, bad] = [moving(`wallet:${WALLET}`, 'treasury', 1), moving(`wallet:${WALLET}`, 'treasury', 9_999)];
    const [posted, refused] = [post(good), post(bad)];
    if (posted.status !== 'posted') throw new Error('not posted');
    expect(post(good)).to.deep.equal({
      status: 'repeat',
      outcome: { status: 'posted', transfer: posted.transfer },
    });
    expect(post(bad)).to.deep.equal({ status: 'repeat', outcome: refused });
    expect(balance('treasury')).to.equal(1n);
  });

  it('takes another content under a known id for a conflict', () => {
    const posting = moving(`wallet:${WALLET}`, 'treasury', 1);
    post(posting);
    const others: Partial<Posting>[] = [
      { movement: moving(`wallet:${WALLET}`, 'treasury', 2).movement },
      { kind: 'settlement' },
      { currency: 'EUR' },
      { reference: 'other' },
      { payer_user_id: 'v' },
      { association_id: freshId() },
    ];
    for (const other of others) expect(post({ ...posting, ...other }).status).to.equal('conflict');
    // Whom it is about is not what was asked of the ledger.
    expect(post({ ...posting, member_id: freshId() }).status).to.equal('repeat');
  });

  it('refuses in order: wallet, currency, funds, limit', () => {
    const [ours, theirs] = [`wallet:${WALLET}`, `wallet:${EUROS}`];
    const nobodys = `wallet:${freshId()}`;
    expect(refusalOf(moving(theirs, nobodys, 9_999)).code).to.equal('not_found');
    expect(refusalOf(moving(theirs, 'treasury', 9_999, { payer_user_id: 'v' })).code).to.equal('not_found');
    expect(refusalOf(moving(theirs, 'treasury', 9_999, { payer_user_id: null })).code).to.equal('not_found');
    expect(refusalOf(moving(theirs, 'treasury', 9_999)).code).to.equal('wallet_currency_mismatch');
    expect(refusalOf(moving(ours, 'treasury', 1_001)).code).to.equal('insufficient_funds');
    post(moving('cash_funding', 'cash_treasury', MAX));
    expect(refusalOf(moving('cash_funding', 'cash_treasury', 1)).code).to.equal('balance_limit_exceeded');
    expect(refusalOf(moving('cash_reserved', 'cash_treasury', 1)).code).to.equal('insufficient_funds');
  });

  it('lets anyone pay into a wallet', () => {
    post(moving(`wallet:${WALLET}`, 'treasury', 10));
    const payout = moving('treasury', `wallet:${WALLET}`, 10, { payer_user_id: null });
    expect(post(payout).status).to.equal('posted');
  });

  it('judges a transfer by what it does to each account in all', () => {
    const movement = {
      legs: [
        { account: 'treasury', amount_minor: 60 },
        { account: 'treasury', amount_minor: -50 },
        { account: `wallet:${WALLET}`, amount_minor: -10 },
      ],
    };
    const decision = post(moving('treasury', 'reserved', 1, { movement }));
    if (decision.status !== 'posted') throw new Error('not posted');
    expect(balance('treasury')).to.equal(10n);
    expect(decision.entries.map((entry) => entry.account.entry_count)).to.deep.equal([1n, 2n, 1n]);
  });

  it('lets nothing but the outside world go below zero', () => {
    for (const name of ['treasury', 'reserved', `pool:${WALLET}`]) {
      expect(refusalOf(moving(name, `wallet:${WALLET}`, 1)).code).to.equal('insufficient_funds');
    }
    expect(post(moving('cash_funding', 'cash_treasury', 5)).status).to.equal('posted');
    expect(balance('cash_funding')).to.equal(-5n);
  });

  it('takes an account of the association in another currency for a mistake', () => {
    post(moving(`wallet:${WALLET}`, 'treasury', 5));
    expect(post(moving(`wallet:${EUROS}`, 'treasury', 5, { currency: 'EUR' })).status).to.equal('mistake');
  });

  describe('a draw', () => {
    beforeEach(() => {
      post(moving(`wallet:${WALLET}`, 'treasury', 100));
      post(moving('cash_funding', 'cash_treasury', 50));
    });

    const reserved = () => [balance('reserved') ?? 0n, balance('cash_reserved') ?? 0n];

    it('takes e-money alone while that suffices', () => {
      post(drawing(100));
      expect(reserved()).to.deep.equal([100n, 0n]);
    });

    it('takes the rest in cash', () => {
      post(drawing(101));
      expect(reserved()).to.deep.equal([100n, 1n]);
      post(drawing(49));
      expect(reserved()).to.deep.equal([100n, 50n]);
    });

    it('is refused with what there is in both monies', () => {
      const refusal = refusalOf(drawing(151));
      expect(refusal).to.deep.equal({ code: 'insufficient_funds', extras: { available: 150 } });
      expect(reserved()).to.deep.equal([0n, 0n]);
    });

    it('counts once', () => {
      const posting = drawing(60);
      post(posting);
      expect(post(posting).status).to.equal('repeat');
      expect(reserved()).to.deep.equal([60n, 0n]);
    });
  });

  describe('savings', () => {
    const savingOf = (emoney_minor: number, cash_minor = 0) => ({ savings: { emoney_minor, cash_minor } });
    const savings = (name: string) => view.accounts.get(`${ASSOCIATION}/${name}`)?.savings;
    const save = (amount: number, saved = amount) =>
      post(moving(`wallet:${WALLET}`, 'treasury', amount, savingOf(saved)));
    const saveCash = (amount: number) => post(moving('cash_funding', 'cash_treasury', amount, savingOf(0, amount)));

    it('are a part of the balance, in each money by itself', () => {
      save(100, 60);
      saveCash(50);
      expect([balance('treasury'), savings('treasury')]).to.deep.equal([100n, 60n]);
      expect([balance('cash_treasury'), savings('cash_treasury')]).to.deep.equal([50n, 50n]);
    });

    it('cannot be taken by anything that does not lower them', () => {
      save(100, 60);
      expect(refusalOf(moving('treasury', `wallet:${WALLET}`, 41)).code).to.equal('insufficient_funds');
      expect(post(moving('treasury', `wallet:${WALLET}`, 40)).status).to.equal('posted');
      expect(post(moving('treasury', `wallet:${WALLET}`, 60, savingOf(-60))).status).to.equal('posted');
      expect([balance('treasury'), savings('treasury')]).to.deep.equal([0n, 0n]);
    });

    it('never exceed the balance, nor fall below zero', () => {
      save(100, 60);
      expect(refusalOf(moving('treasury', `wallet:${WALLET}`, 1, savingOf(-61))).code).to.equal('insufficient_funds');
      expect(refusalOf(moving(`wallet:${WALLET}`, 'treasury', 10, savingOf(51))).code).to.equal('insufficient_funds');
      expect(savings('treasury')).to.equal(60n);
    });

    it('stay where a draw takes the rest, and are not offered to one', () => {
      save(100, 60);
      saveCash(50);
      post(moving('cash_funding', 'cash_treasury', 5));
      expect(refusalOf(drawing(46))).to.deep.equal({ code: 'insufficient_funds', extras: { available: 45 } });
      expect(post(drawing(45)).status).to.equal('posted');
      expect([balance('reserved'), balance('cash_reserved')]).to.deep.equal([40n, 5n]);
      expect([savings('treasury'), savings('cash_treasury')]).to.deep.equal([60n, 50n]);
    });

    it('are judged with all legs of their account together', () => {
      const movement = {
        legs: [
          { account: 'treasury', amount_minor: -10 },
          { account: 'treasury', amount_minor: 40 },
          { account: `wallet:${WALLET}`, amount_minor: -30 },
        ],
      };
      post(moving(`wallet:${WALLET}`, 'treasury', 10, savingOf(10)));
      const decision = post(moving('treasury', 'reserved', 1, { movement, ...savingOf(30) }));
      expect(decision.status).to.equal('posted');
      expect([balance('treasury'), savings('treasury')]).to.deep.equal([40n, 40n]);
    });

    it('are part of what was asked under an id', () => {
      const posting = moving(`wallet:${WALLET}`, 'treasury', 10, savingOf(10));
      post(posting);
      expect(post(posting).status).to.equal('repeat');
      expect(post({ ...posting, ...savingOf(9) }).status).to.equal('conflict');
      expect(post({ ...posting, savings: undefined }).status).to.equal('conflict');
    });

    it('come and go with a leg of their account, and not with a draw', () => {
      const wrong = [
        moving(`wallet:${WALLET}`, 'reserved', 10, savingOf(10)),
        moving(`wallet:${WALLET}`, 'treasury', 10, savingOf(10, 1)),
        moving(`wallet:${WALLET}`, 'treasury', 10, savingOf(0.5)),
        { ...drawing(5), ...savingOf(5) },
      ];
      for (const posting of wrong) expect(() => assertWellFormed(posting)).to.throw();
      assertWellFormed(moving(`wallet:${WALLET}`, 'treasury', 10, savingOf(10)));
    });
  });

  describe('whose statement an entry is on', () => {
    const [one, two] = [freshId(), freshId()];
    const members = (posting: Posting) => {
      const decision = post(posting);
      if (decision.status !== 'posted') throw new Error('not posted');
      return decision.entries.map((entry) => entry.member_id);
    };

    it('is the leg’s member, or else the transfer’s, where the association meets its members', () => {
      const movement = {
        legs: [
          { account: `wallet:${WALLET}`, amount_minor: -10 },
          { account: `wallet:${WALLET}`, amount_minor: 4, member_id: two },
          { account: 'treasury', amount_minor: 6, member_id: two },
          { account: 'cash_funding', amount_minor: -5, member_id: two },
          { account: `cash_pool:${WALLET}`, amount_minor: 5 },
        ],
      };
      const posting = moving('treasury', 'reserved', 1, { movement, member_id: one });
      expect(members(posting)).to.deep.equal([one, two, null, two, null]);
      const { legs } = (view.known.get(posting.id)?.outcome as Extract<Decision, { status: 'posted' }>).transfer;
      for (const leg of legs) expect(leg).to.have.all.keys('account', 'amount_minor');
    });

    it('is nobody’s on a wallet’s own chain', () => {
      const chain_id = `wallet:${WALLET}`;
      const given = { chain_id, association_id: null, member_id: one };
      expect(members(moving('funding', chain_id, 10, given))).to.deep.equal([null, null]);
    });
  });

  it('tells repeats of what was posted before there were savings and members of legs', () => {
    const base = moving(`wallet:${WALLET}`, 'treasury', 5, { reference: 'round 1' });
    // Made by the first release.
    expect(fingerprintOf(base)).to.equal('c4be0c707bd95e8ad1adfaf1b26635323a969dc2edf7e4940455807a18224150');
    const { movement } = drawing(5);
    expect(fingerprintOf({ ...base, movement })).to.equal(
      '3ba92e11d10840e9aed3d24e2e71c55eff21e59b807fdc93ba1dc0dd52a958a4',
    );
    const legs = (base.movement as { legs: object[] }).legs.map((leg) => ({ ...leg, member_id: freshId() }));
    // Spread from a union: the compiler no longer knows that they are legs.
    expect(fingerprintOf({ ...base, movement: { legs } as never, savings: undefined })).to.equal(fingerprintOf(base));
  });

  it('knows what no caller may get wrong', () => {
    const legs = (...pairs: [string, number][]) => ({
      legs: pairs.map(([account, amount_minor]) => ({ account, amount_minor })),
    });
    const wrong: Partial<Posting>[] = [
      { movement: legs(['treasury', -1], ['reserved', 2]) },
      { movement: legs(['treasury', -1], ['cash_treasury', 1]) },
      { movement: legs(['treasury', 0], ['reserved', 0]) },
      { movement: legs(['treasury', -0.5], ['reserved', 0.5]) },
      { movement: legs(['funding', -1], ['treasury', 1]) },
      { movement: legs(['treasury', -1], ['savings', 1]) },
      { movement: legs(['treasury', 1]) },
      { chain_id: `wallet:${WALLET}`, movement: legs(['funding', -1], ['treasury', 1]) },
      { chain_id: `wallet:${WALLET}`, movement: legs(['funding', -1], [`wallet:${EUROS}`, 1]) },
      // A draw without accounts is one that no caller can write.
      { movement: { draw: { ...drawing(1).movement, amount_minor: 0 } as never } },
    ];
    for (const given of wrong) {
      const posting = moving('treasury', 'reserved', 1, given);
      expect(() => assertWellFormed(posting), JSON.stringify(given)).to.throw();
    }
    const own = legs(['funding', -1], [`wallet:${WALLET}`, 1]);
    assertWellFormed(moving('treasury', 'reserved', 1));
    assertWellFormed(moving('treasury', 'reserved', 1, { chain_id: `wallet:${WALLET}`, movement: own }));
  });
});
