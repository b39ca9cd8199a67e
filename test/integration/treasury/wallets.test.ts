import { expect } from 'chai';
import * as contract from '../../../lib/contracts/treasury.ts';
import { problemExtras } from '../../../lib/errors/problem.ts';
import { firstBreak } from '../../harness/chain.ts';
import { eventually } from '../../harness/eventually.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { useTreasury } from '../../harness/treasury.ts';

const FUND = { scopes: ['wallets:fund'] };

describe('treasury: wallets', () => {
  const treasury = useTreasury();
  const { newId } = treasury;
  let user: string;

  beforeEach(() => {
    user = `u-${newId()}`;
  });

  const deposit = (wallet_id: string, amount: number, reference: string) =>
    treasury.deposit(wallet_id, amount, reference);
  const withdraw = (wallet_id: string, amount: number, reference: string) =>
    treasury.withdraw(wallet_id, amount, reference);
  const balance = async (wallet_id: string) =>
    (await treasury.as(user, contract.getWallet, { path: { wallet_id } })).balance;

  it('opens one wallet for each currency, and gives it again with 200', async () => {
    const body = { currency: 'xaf' };
    const opened = await treasury.as(user, contract.openOwnWallet, { body });
    const repeated = await treasury.as(user, contract.openOwnWallet, { body });
    expect(opened).to.include({ user_id: user, currency: 'XAF', balance: 0 });
    const location = `/association-service/api/v1/wallets/${opened.id}`;
    expect(treasury.headOf(opened)).to.include({ status: 201, location });
    expect(repeated).to.deep.equal(opened);
    expect(treasury.headOf(repeated).status).to.equal(200);
  });

  it('opens one wallet however many calls open it at once', async () => {
    const open = () => treasury.command(contract.openWallet, { user_id: user, currency: 'EUR' });
    const ids = await Promise.all(Array.from({ length: 12 }, open));
    expect(new Set(ids.map((each) => each.wallet_id)).size).to.equal(1);
    const accounts = await treasury.sql('SELECT FROM accounts WHERE owner_user_id = $1', user);
    expect(accounts).to.have.length(1);
  });

  it('lists the wallets of the caller alone, page by page', async () => {
    const opened: string[] = [];
    for (const currency of ['XAF', 'EUR', 'TND']) opened.push(await treasury.fundedWallet(user, 0, currency));
    await treasury.fundedWallet(`not-${user}`, 0);
    const first = await treasury.as(user, contract.myWallets, { query: { limit: 2 } });
    const cursor = first.next_cursor ?? '';
    const second = await treasury.as(user, contract.myWallets, { query: { limit: 2, cursor } });
    expect([...first.data, ...second.data].map((each) => each.id)).to.deep.equal(opened);
    expect(second.next_cursor).to.equal(null);
    expect(await outcomeOf(treasury.as('thief', contract.myWallets, { query: { limit: 2, cursor } }))).to.equal(
      'validation_failed',
    );
  });

  it('shows a wallet to its owner only', async () => {
    const wallet_id = await treasury.fundedWallet(user, 0);
    for (const id of [wallet_id, newId(), 'no-id', '\u0000']) {
      expect(await outcomeOf(treasury.as('thief', contract.getWallet, { path: { wallet_id: id } }))).to.equal(
        'not_found',
      );
    }
    expect(await balance(wallet_id)).to.equal(0);
  });

  it('checks a wallet for membership: owner, then currency', async () => {
    const wallet_id = await treasury.fundedWallet(user, 0);
    const check = (user_id: string, currency: string) =>
      treasury.command(contract.checkWallet, { wallet_id, user_id, currency });
    expect(await check(user, 'XAF')).to.deep.equal({ ok: true });
    expect(await outcomeOf(check('thief', 'EUR'))).to.equal('not_found');
    expect(await outcomeOf(check(user, 'EUR'))).to.equal('wallet_currency_mismatch');
  });

  it('deposits and withdraws on a chain of the wallet’s own', async () => {
    const wallet_id = await treasury.fundedWallet(user, 0, 'EUR');
    const one = await deposit(wallet_id, 10.5, 'salary');
    const two = await withdraw(wallet_id, 0.25, 'cash machine');
    expect(await balance(wallet_id)).to.equal(10.25);
    expect(one).to.deep.include({ association_id: null, kind: 'wallet_deposit', reference: 'salary', seq: 1 });
    expect(one.legs).to.deep.equal([
      { account: 'funding', amount_minor: -1050 },
      { account: `wallet:${wallet_id}`, amount_minor: 1050 },
    ]);
    expect(two.seq).to.equal(2);
    expect(firstBreak([one, two])).to.equal(undefined);
  });

  it('counts a reference once, however many deposits carry it at once', async () => {
    const wallet_id = await treasury.fundedWallet(user, 0);
    const answers = await Promise.all(Array.from({ length: 12 }, () => deposit(wallet_id, 500, 'same')));
    expect(new Set(answers.map((each) => each.id)).size).to.equal(1);
    expect(await balance(wallet_id)).to.equal(500);
    expect(await deposit(wallet_id, 500, 'same')).to.deep.equal(answers[0]);
    expect(await outcomeOf(deposit(wallet_id, 501, 'same'))).to.equal('reference_reused');
    // A withdrawal's references are its own.
    await withdraw(wallet_id, 100, 'same');
    expect(await balance(wallet_id)).to.equal(400);
  });

  it('never pays out more than there is, and frees the reference of what it refused', async () => {
    const wallet_id = await treasury.fundedWallet(user, 1_000);
    const attempts = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => withdraw(wallet_id, 300, `w${String(index)}`)),
    );
    expect(attempts.filter((each) => each.status === 'fulfilled')).to.have.length(3);
    expect(await balance(wallet_id)).to.equal(100);
    expect(await outcomeOf(withdraw(wallet_id, 200, 'later'))).to.equal('insufficient_funds');
    await deposit(wallet_id, 100, 'more');
    expect((await withdraw(wallet_id, 200, 'later')).seq).to.be.above(1);
    expect(await balance(wallet_id)).to.equal(0);
  });

  it('shows a transfer to the wallet’s owner and to who may fund it, by the Location that the deposit gave', async () => {
    const wallet_id = await treasury.fundedWallet(user, 0);
    const posted = await deposit(wallet_id, 50, 'here');
    const location = `/association-service/api/v1/wallets/${wallet_id}/transfers/${posted.id}`;
    expect(treasury.headOf(posted).location).to.equal(location);
    const show = (who: string, transfer_id: string, of = wallet_id, options = {}) =>
      treasury.as(who, contract.getWalletTransfer, { path: { wallet_id: of, transfer_id } }, options);
    expect(await show(user, posted.id)).to.deep.equal(posted);
    expect(await show('bank', posted.id, wallet_id, FUND)).to.deep.equal(posted);
    expect(await outcomeOf(show('thief', posted.id))).to.equal('not_found');
    const other = await treasury.fundedWallet('thief', 0);
    for (const [of, id] of [
      [other, posted.id],
      [wallet_id, newId()],
      ['nothing', posted.id],
    ] as const) {
      expect(await outcomeOf(show('bank', id, of, FUND))).to.equal('not_found');
    }
    expect(await outcomeOf(show('thief', posted.id, other))).to.equal('not_found');
  });

  it('takes only the scope wallets:fund, and shows others’ wallets to that scope only', async () => {
    const wallet_id = await treasury.fundedWallet(user, 0);
    const attempt = (as: string) =>
      treasury.as(as, contract.depositToWallet, { path: { wallet_id }, body: { amount: 1, reference: 'r' } });
    expect(await outcomeOf(attempt('thief'))).to.equal('not_found');
    const refusal = await attempt(user).catch((error: unknown) => problemExtras(error));
    expect(refusal).to.deep.equal({ required_scopes: ['wallets:fund'] });
    expect(await outcomeOf(deposit(newId(), 1, 'r'))).to.equal('not_found');
  });

  it('reads amounts in the wallet’s currency', async () => {
    const wallet_id = await treasury.fundedWallet(user, 0, 'XAF');
    const refusal = await deposit(wallet_id, 1.5, 'r').catch((error: unknown) => problemExtras(error));
    expect(refusal).to.have.nested.property('errors[0].pointer', '/amount');
    expect(await outcomeOf(deposit(wallet_id, 1.5, 'r'))).to.equal('amount_precision');
    const euros = await treasury.fundedWallet(user, 0, 'EUR');
    expect(await outcomeOf(deposit(euros, 99_999_999_999_999, 'r'))).to.equal('validation_failed');
  });

  it('refuses what a wallet could not hold exactly', async () => {
    const wallet_id = await treasury.fundedWallet(user, 0);
    for (let index = 0; index < 9; index += 1) await deposit(wallet_id, 999_999_999_999_999, `d${String(index)}`);
    expect(await outcomeOf(deposit(wallet_id, 999_999_999_999_999, 'too much'))).to.equal('balance_limit_exceeded');
    expect(await balance(wallet_id)).to.equal(8_999_999_999_999_991);
  });

  it('lives on when the database hangs up on all of its connections', async () => {
    const wallet_id = await treasury.fundedWallet(user, 1);
    await treasury.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND usename <> current_user`,
    );
    await eventually(async () => {
      expect((await deposit(wallet_id, 1, 'after')).seq).to.equal(2);
    });
    expect(await balance(wallet_id)).to.equal(2);
    await eventually(async () => {
      const waiting = await treasury.sql('SELECT FROM outbox WHERE published_at IS NULL');
      expect(waiting).to.deep.equal([]);
    });
  });

  it('answers whether its database does', async () => {
    expect(await treasury.command(contract.health, {})).to.deep.equal({ ok: true, delayed_events: false });
  });
});
