import { expect } from 'chai';
import currencyCodes from 'currency-codes';
import * as contract from '../../../lib/contracts/treasury.ts';
import { isCurrency } from '../../../lib/money/currency.ts';
import { firstBreak } from '../../harness/chain.ts';
import { eventually } from '../../harness/eventually.ts';
import { atOnce, complaintOf, outcomeOf, outcomesOf, refusalOf } from '../../harness/refusal.ts';
import { useTreasury } from '../../harness/treasury.ts';

const FUND = { scopes: ['wallets:fund'] };
const LARGEST_AMOUNT = 999_999_999_999_999;

describe('treasury: wallets', () => {
  const treasury = useTreasury();
  const { newId } = treasury;
  let user: string;
  /** The user's empty wallet in XAF. */
  let wallet_id: string;

  beforeEach(async () => {
    user = `u-${newId()}`;
    wallet_id = await treasury.fundedWallet(user, 0);
  });

  const deposit = (amount: number, reference: string, of = wallet_id) => treasury.deposit(of, amount, reference);
  const withdraw = (amount: number, reference: string, of = wallet_id) => treasury.withdraw(of, amount, reference);
  const balance = (of = wallet_id) => treasury.balanceOf(of, user);

  it('are opened once per currency; a repeat returns the wallet with 200', async () => {
    const body = { currency: 'eur' };
    const opened = await treasury.as(user, contract.openOwnWallet, { body });
    const repeated = await treasury.as(user, contract.openOwnWallet, { body });
    expect(opened).to.include({ user_id: user, currency: 'EUR', balance: 0 });
    const location = `/association-service/api/v1/wallets/${opened.id}`;
    expect(treasury.headOf(opened)).to.include({ status: 201, location });
    expect(repeated).to.deep.equal(opened);
    expect(treasury.headOf(repeated).status).to.equal(200);
  });

  it('are opened once when calls are concurrent', async () => {
    const opened = await Promise.all(
      atOnce(12, () => treasury.command(contract.openWallet, { user_id: user, currency: 'EUR' })),
    );
    expect(new Set(opened.map((each) => each.wallet_id)).size).to.equal(1);
    const accounts = await treasury.sql('SELECT FROM accounts WHERE owner_user_id = $1', user);
    expect(accounts).to.have.length(2);
  });

  it('are listed only to their owner, in pages', async () => {
    const opened = [wallet_id];
    for (const currency of ['EUR', 'TND']) opened.push(await treasury.fundedWallet(user, 0, currency));
    await treasury.fundedWallet(`not-${user}`, 0);
    const own = await treasury.pages<contract.Wallet>(user, contract.myWallets, {}, 2);
    expect(own.map((each) => each.id)).to.deep.equal(opened);
    const { next_cursor } = await treasury.as(user, contract.myWallets, { query: { limit: 2 } });
    const foreign = treasury.as('thief', contract.myWallets, { query: { limit: 2, cursor: next_cursor! } });
    expect(await outcomeOf(foreign)).to.equal('validation_failed');
  });

  it('are listed to membership for a user who has asked for their overview, all at once', async () => {
    const currencies = currencyCodes.codes().filter(isCurrency);
    for (const currency of currencies) await treasury.command(contract.openWallet, { user_id: user, currency });
    await treasury.fundedWallet(`not-${user}`, 0);
    await deposit(700, 'in');
    const { wallets } = await treasury.command(contract.listWallets, { user_id: user });
    expect(wallets.map(({ currency }) => currency)).to.have.members(currencies);
    expect(wallets[0]).to.include({ id: wallet_id, user_id: user, currency: 'XAF', balance: 700 });
  });

  it('are visible only to their owner', async () => {
    for (const id of [wallet_id, newId(), 'no-id', '\u0000']) {
      expect(await outcomeOf(treasury.balanceOf(id, 'thief'))).to.equal('not_found');
    }
    expect(await balance()).to.equal(0);
  });

  it('are checked for membership: first the owner, then the currency', async () => {
    for (const [user_id, currency, outcome] of [
      [user, 'XAF', 'done'],
      ['thief', 'EUR', 'not_found'],
      [user, 'EUR', 'wallet_currency_mismatch'],
    ] as const) {
      const check = treasury.command(contract.checkWallet, { wallet_id, user_id, currency });
      expect(await outcomeOf(check)).to.equal(outcome);
    }
  });

  it('have a separate chain for their deposits and withdrawals', async () => {
    const euros = await treasury.fundedWallet(user, 0, 'EUR');
    const one = await deposit(10.5, 'salary', euros);
    const two = await withdraw(0.25, 'cash machine', euros);
    expect(await balance(euros)).to.equal(10.25);
    expect(one).to.deep.include({
      association_id: null,
      kind: 'wallet_deposit',
      reference: 'salary',
      seq: 1,
      legs: [
        { account: 'funding', amount_minor: -1050 },
        { account: `wallet:${euros}`, amount_minor: 1050 },
      ],
    });
    expect(two.seq).to.equal(2);
    expect(firstBreak([one, two])).to.equal(undefined);
  });

  it('are credited once per reference when deposits are concurrent', async () => {
    const [first, ...others] = await Promise.all(atOnce(12, () => deposit(500, 'same')));
    for (const other of [...others, await deposit(500, 'same')]) expect(other).to.deep.equal(first);
    expect(await balance()).to.equal(500);
    expect(await outcomeOf(deposit(501, 'same'))).to.equal('reference_reused');
    // References of withdrawals are separate from those of deposits.
    await withdraw(100, 'same');
    expect(await balance()).to.equal(400);
  });

  it('never pay out more than their balance, and free the reference of a refused withdrawal', async () => {
    await deposit(1_000, 'salary');
    const outcomes = await outcomesOf(atOnce(10, (index) => withdraw(300, `w${String(index)}`)));
    expect(outcomes.filter((outcome) => outcome === 'done')).to.have.length(3);
    expect(await balance()).to.equal(100);
    expect(await outcomeOf(withdraw(200, 'later'))).to.equal('insufficient_funds');
    await deposit(100, 'more');
    await withdraw(200, 'later');
    expect(await balance()).to.equal(0);
  });

  it('show a transfer, at the Location of the deposit, to their owner and with the scope wallets:fund', async () => {
    const posted = await deposit(50, 'here');
    const location = `/association-service/api/v1/wallets/${wallet_id}/transfers/${posted.id}`;
    expect(treasury.headOf(posted).location).to.equal(location);
    const show = (who: string, given: object = {}) => {
      const path = { wallet_id, transfer_id: posted.id, ...given };
      return treasury.as(who, contract.getWalletTransfer, { path }, who === 'bank' ? FUND : {});
    };
    expect(await show(user)).to.deep.equal(posted);
    expect(await show('bank')).to.deep.equal(posted);
    const other = { wallet_id: await treasury.fundedWallet('thief', 0) };
    for (const [who, given] of [
      ['thief', {}],
      ['thief', other],
      ['bank', other],
      ['bank', { transfer_id: newId() }],
      ['bank', { wallet_id: 'nothing' }],
    ] as const) {
      expect(await outcomeOf(show(who, given)), `${who} ${JSON.stringify(given)}`).to.equal('not_found');
    }
  });

  it('accept deposits only with the scope wallets:fund, and are `not_found` for other users without it', async () => {
    const attempt = (as: string) =>
      treasury.as(as, contract.depositToWallet, { path: { wallet_id }, body: { amount: 1, reference: 'r' } });
    expect(await outcomeOf(attempt('thief'))).to.equal('not_found');
    expect((await refusalOf(attempt(user))).extras).to.deep.equal({ required_scopes: ['wallets:fund'] });
    expect(await outcomeOf(deposit(1, 'r', newId()))).to.equal('not_found');
  });

  it('take amounts in their currency', async () => {
    expect(await complaintOf(deposit(1.5, 'r'))).to.deep.equal(['amount_precision', '/amount']);
    const euros = await treasury.fundedWallet(user, 0, 'EUR');
    expect(await outcomeOf(deposit(99_999_999_999_999, 'r', euros))).to.equal('validation_failed');
  });

  it('refuse deposits beyond the largest exact balance', async () => {
    for (let index = 0; index < 9; index += 1) await deposit(LARGEST_AMOUNT, `d${String(index)}`);
    expect(await outcomeOf(deposit(LARGEST_AMOUNT, 'too much'))).to.equal('balance_limit_exceeded');
    expect(await balance()).to.equal(9 * LARGEST_AMOUNT);
  });

  it('are read while deposits wait for the database', async () => {
    let deposits: Promise<unknown> | undefined;
    await treasury.inTransaction(async (locking) => {
      await locking.query('LOCK TABLE wallet_funding IN SHARE MODE');
      deposits = Promise.all(Array.from({ length: 40 }, (_, index) => deposit(1, `d${String(index)}`)));
      expect(await balance()).to.equal(0);
      const { data } = await treasury.as(user, contract.myWallets, {});
      expect(data.map(({ id }) => id)).to.deep.equal([wallet_id]);
    });
    await deposits;
    expect(await balance()).to.equal(40);
  });

  it('work again after the database has ended all connections', async () => {
    await deposit(1, 'before');
    await treasury.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND usename <> current_user`,
    );
    await eventually(async () => expect((await deposit(1, 'after')).seq).to.equal(2));
    expect(await balance()).to.equal(2);
    const unpublished = () => treasury.sql('SELECT FROM outbox WHERE published_at IS NULL');
    await eventually(async () => expect(await unpublished()).to.deep.equal([]));
  });

  it('the service is healthy while its database answers', async () => {
    expect(await treasury.command(contract.health, {})).to.deep.equal({ ok: true, delayed_events: false });
  });
});
