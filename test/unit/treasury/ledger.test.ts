import { expect } from 'chai';
import type { TransferLeg } from '../../../lib/contracts/treasury.ts';
import { decide, type Decision, type LedgerView } from '../../../services/treasury/ledger/decide.rules.ts';
import { assertWellFormed, fingerprintOf } from '../../../services/treasury/ledger/posting.rules.ts';
import type { Split, Posting } from '../../../services/treasury/ledger/posting.rules.ts';

const ASSOCIATION = '01890a5d-ac96-774b-bcce-000000000001';
const OURS = 'wallet:01890a5d-ac96-774b-bcce-000000000002';
const EUROS = 'wallet:01890a5d-ac96-774b-bcce-000000000003';
const POSTED_AT = '2026-01-31T12:00:00.000Z';

let ids = 0;
const freshId = () => `01890a5d-ac96-774b-bcce-${String((ids += 1)).padStart(12, '0')}`;

/** Two wallets of the user `u`, with 1 000 each. */
function openingView(): LedgerView {
  const wallet = (account_id: string, currency: string) => ({
    account_id,
    name: account_id,
    currency,
    association_id: null,
    money: 'emoney' as const,
    owner_user_id: 'u',
    balance: 1_000n,
    savings: 0n,
    entry_count: 0n,
    may_go_negative: false,
    fresh: false,
  });
  const accounts = [wallet(OURS, 'XAF'), wallet(EUROS, 'EUR')];
  return { chains: new Map(), accounts: new Map(accounts.map((each) => [each.account_id, each])), known: new Map() };
}

const legs = (...pairs: [account: string, amount_minor: number, member_id?: string][]): { legs: TransferLeg[] } => ({
  legs: pairs.map(([account, amount_minor, member_id]) =>
    member_id === undefined ? { account, amount_minor } : { account, amount_minor, member_id },
  ),
});
const postingOf = (movement: Posting['movement'], given: Partial<Posting> = {}): Posting => ({
  id: freshId(),
  chain_id: ASSOCIATION,
  association_id: ASSOCIATION,
  kind: 'contribution',
  currency: 'XAF',
  reference: null,
  movement,
  payer_user_id: 'u',
  member_id: null,
  ...given,
});
const moving = (from: string, to: string, amount_minor: number, given: Partial<Posting> = {}) =>
  postingOf(legs([from, -amount_minor], [to, amount_minor]), given);
const drawing = (amount_minor: number) => {
  const from = { emoney: 'treasury', cash: 'cash_treasury' };
  return postingOf({
    split: { amount_minor, from, to: { emoney: 'reserved', cash: 'cash_reserved' } } satisfies Split,
  });
};

describe('ledger: the rules of posting', () => {
  let view: LedgerView;
  beforeEach(() => {
    view = openingView();
  });

  const decideOn = (posting: Posting): Decision => decide(view, posting, fingerprintOf(posting), POSTED_AT);
  const post = (posting: Posting) => {
    const decision = decideOn(posting);
    if (decision.status !== 'posted') throw new Error(`it is ${decision.status}`);
    return decision;
  };
  const refusalOf = (posting: Posting) => {
    const decision = decideOn(posting);
    if (decision.status !== 'refused') throw new Error(`it is ${decision.status}`);
    return decision.refusal;
  };
  const account = (name: string) => view.accounts.get(name.startsWith('wallet:') ? name : `${ASSOCIATION}/${name}`);
  const balances = (...names: string[]) => names.map((name) => account(name)?.balance ?? 0n);
  const savings = (...names: string[]) => names.map((name) => account(name)?.savings ?? 0n);

  it('open an account with its first entry, and link each transfer to the one before it', () => {
    const { transfer, entries } = post(moving(OURS, 'treasury', 400));
    expect(transfer).to.include({ seq: 1, prev_hash: '0'.repeat(64), posted_at: POSTED_AT });
    expect(balances(OURS, 'treasury')).to.deep.equal([600n, 400n]);
    expect(entries.map((entry) => [entry.account.entry_count, entry.account.balance])).to.deep.equal([
      [1n, 600n],
      [1n, 400n],
    ]);
    expect(post(moving(OURS, 'treasury', 1)).transfer).to.include({ seq: 2, prev_hash: transfer.hash });
  });

  it('refuse a known id with other content as a conflict', () => {
    const posting = moving(OURS, 'treasury', 1, { savings: { emoney_minor: 1, cash_minor: 0 } });
    post(posting);
    const others: Partial<Posting>[] = [
      { movement: moving(OURS, 'treasury', 2).movement },
      { kind: 'settlement' },
      { currency: 'EUR' },
      { reference: 'other' },
      { payer_user_id: 'v' },
      { association_id: freshId() },
      { savings: { emoney_minor: 0, cash_minor: 0 } },
      { savings: undefined },
    ];
    for (const other of others) expect(decideOn({ ...posting, ...other }).status).to.equal('conflict');
    // The concerned member is not part of the content.
    expect(decideOn({ ...posting, member_id: freshId() }).status).to.equal('repeat');
  });

  it('refuse in a fixed order: wallet, currency, funds, limit', () => {
    post(moving('cash_funding', 'cash_treasury', Number.MAX_SAFE_INTEGER));
    const cases: [code: string, posting: Posting][] = [
      ['not_found', moving(EUROS, `wallet:${freshId()}`, 9_999)],
      ['not_found', moving(EUROS, 'treasury', 9_999, { payer_user_id: 'v' })],
      ['not_found', moving(EUROS, 'treasury', 9_999, { payer_user_id: null })],
      ['wallet_currency_mismatch', moving(EUROS, 'treasury', 9_999)],
      ['insufficient_funds', moving(OURS, 'treasury', 1_001)],
      ['insufficient_funds', moving('cash_reserved', 'cash_treasury', 1)],
      ['balance_limit_exceeded', moving('cash_funding', 'cash_treasury', 1)],
    ];
    for (const [code, posting] of cases) expect(refusalOf(posting), JSON.stringify(posting)).to.include({ code });
  });

  it('refuse to withdraw more than the balance, even if the same transfer returns it', () => {
    expect(refusalOf(moving(OURS, OURS, 1_001)).code).to.equal('insufficient_funds');
    post(moving(OURS, OURS, 1_000));
  });

  it('check the total effect of a transfer on each account', () => {
    const { entries } = post(postingOf(legs(['treasury', 60], ['treasury', -50], [OURS, -10])));
    expect(balances('treasury')).to.deep.equal([10n]);
    expect(entries.map((entry) => entry.account.entry_count)).to.deep.equal([1n, 2n, 1n]);
  });

  it('treat an association account in another currency as a mistake of the caller', () => {
    post(moving(OURS, 'treasury', 5));
    expect(decideOn(moving(EUROS, 'treasury', 5, { currency: 'EUR' })).status).to.equal('malformed');
  });

  it('withdraw e-money first, then cash, only once, and refuse more than the sum of both', () => {
    post(moving(OURS, 'treasury', 100));
    post(moving('cash_funding', 'cash_treasury', 50));
    const reserved = () => balances('reserved', 'cash_reserved');
    expect(refusalOf(drawing(151))).to.deep.equal({ code: 'insufficient_funds', extras: { available: 150 } });
    expect(reserved()).to.deep.equal([0n, 0n]);
    const first = drawing(100);
    post(first);
    expect(reserved()).to.deep.equal([100n, 0n]);
    expect(decideOn(first).status).to.equal('repeat');
    post(drawing(1));
    post(drawing(49));
    expect(reserved()).to.deep.equal([100n, 50n]);
  });

  describe('savings', () => {
    const saving = (emoney_minor: number, cash_minor = 0) => ({ savings: { emoney_minor, cash_minor } });
    const held = (name: string) => [...balances(name), ...savings(name)];
    const save = (amount: number, saved: number) => post(moving(OURS, 'treasury', amount, saving(saved)));

    it('can be withdrawn only by a posting that lowers them', () => {
      save(100, 60);
      expect(refusalOf(moving('treasury', OURS, 41)).code).to.equal('insufficient_funds');
      post(moving('treasury', OURS, 40));
      post(moving('treasury', OURS, 60, saving(-60)));
      expect(held('treasury')).to.deep.equal([0n, 0n]);
    });

    it('are excluded from withdrawals and from `available`', () => {
      save(100, 60);
      post(moving('cash_funding', 'cash_treasury', 50, saving(0, 50)));
      post(moving('cash_funding', 'cash_treasury', 5));
      expect(refusalOf(drawing(46))).to.deep.equal({ code: 'insufficient_funds', extras: { available: 45 } });
      post(drawing(45));
      expect(balances('reserved', 'cash_reserved')).to.deep.equal([40n, 5n]);
      expect(savings('treasury', 'cash_treasury')).to.deep.equal([60n, 50n]);
    });

    it('are checked against the sum of all legs of their account', () => {
      save(10, 10);
      post(postingOf(legs(['treasury', -10], ['treasury', 40], [OURS, -30]), saving(30)));
      expect(held('treasury')).to.deep.equal([40n, 40n]);
    });

    it('change only with a leg of their account, and never with a withdrawal', () => {
      const wrong = [
        moving(OURS, 'reserved', 10, saving(10)),
        moving(OURS, 'treasury', 10, saving(10, 1)),
        moving(OURS, 'treasury', 10, saving(0.5)),
        { ...drawing(5), ...saving(5) },
      ];
      for (const posting of wrong) expect(() => assertWellFormed(posting)).to.throw();
      assertWellFormed(moving(OURS, 'treasury', 10, saving(10)));
    });
  });

  it('put entries of accounts outside the association on the statement of the leg’s member, or else the transfer’s', () => {
    const one = freshId();
    const two = freshId();
    const movement = legs(
      [OURS, -10],
      [OURS, 4, two],
      ['treasury', 6, two],
      ['cash_funding', -5, two],
      [`cash_pool:${one}`, 5],
    );
    const { entries, transfer } = post(postingOf(movement, { member_id: one }));
    expect(entries.map((entry) => entry.member_id)).to.deep.equal([one, two, null, two, null]);
    for (const leg of transfer.legs) expect(leg).to.have.all.keys('account', 'amount_minor');
    const own = { chain_id: OURS, association_id: null, member_id: one };
    expect(post(moving('funding', OURS, 10, own)).entries.map((entry) => entry.member_id)).to.deep.equal([null, null]);
  });

  it('recognize repeats of postings made by the first release', () => {
    const base = moving(OURS, 'treasury', 5, { reference: 'round 1' });
    // Computed by the first release.
    expect(fingerprintOf(base)).to.equal('c4be0c707bd95e8ad1adfaf1b26635323a969dc2edf7e4940455807a18224150');
    const { movement } = drawing(5);
    expect(fingerprintOf({ ...base, movement })).to.equal(
      '3ba92e11d10840e9aed3d24e2e71c55eff21e59b807fdc93ba1dc0dd52a958a4',
    );
    const withMembers = legs([OURS, -5, freshId()], ['treasury', 5, freshId()]);
    expect(fingerprintOf({ ...base, movement: withMembers, savings: undefined })).to.equal(fingerprintOf(base));
  });

  it('reject malformed postings with RangeError', () => {
    const own = { chain_id: OURS };
    const wrong: Posting[] = [
      postingOf(legs(['treasury', -1], ['reserved', 2])),
      moving('treasury', 'cash_treasury', 1),
      moving('treasury', 'reserved', 0),
      moving('treasury', 'reserved', 0.5),
      moving('funding', 'treasury', 1),
      moving('treasury', 'savings', 1),
      postingOf(legs(['treasury', 1])),
      moving('funding', 'treasury', 1, own),
      moving('funding', EUROS, 1, own),
      drawing(0),
    ];
    for (const posting of wrong) expect(() => assertWellFormed(posting), JSON.stringify(posting)).to.throw(RangeError);
    assertWellFormed(moving('treasury', 'reserved', 1));
    assertWellFormed(moving('funding', OURS, 1, own));
  });
});
