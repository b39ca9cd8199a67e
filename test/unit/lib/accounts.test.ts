import { expect } from 'chai';
import * as accounts from '../../../lib/contracts/accounts.ts';
import type { Account } from '../../../lib/contracts/accounts.ts';

const names: [string, Account][] = [
  ['wallet:0199', { kind: 'wallet', money: 'emoney', wallet_id: '0199' }],
  // Wallets are e-money, whatever their id looks like.
  ['wallet:pool:1', { kind: 'wallet', money: 'emoney', wallet_id: 'pool:1' }],
  ['pool:0199', { kind: 'pool', money: 'emoney', meeting_id: '0199' }],
  ['treasury', { kind: 'treasury', money: 'emoney' }],
  ['reserved', { kind: 'reserved', money: 'emoney' }],
  ['funding', { kind: 'funding', money: 'emoney' }],
  ['cash_pool:0199', { kind: 'pool', money: 'cash', meeting_id: '0199' }],
  ['cash_treasury', { kind: 'treasury', money: 'cash' }],
  ['cash_reserved', { kind: 'reserved', money: 'cash' }],
  ['cash_funding', { kind: 'funding', money: 'cash' }],
];

describe('the names of accounts', () => {
  for (const [name, account] of names) {
    it(`are built and parsed: ${name}`, () => {
      expect(accounts.accountName(account)).to.equal(name);
      expect(accounts.parseAccount(name)).to.deep.equal(account);
      expect(accounts.moneyOf(name)).to.equal(account.money);
      expect(accounts.isWalletAccount(name)).to.equal(account.kind === 'wallet');
    });
  }

  it('are built without an account, too', () => {
    const { fundingAccount, poolAccount, reservedAccount, treasuryAccount, walletAccount } = accounts;
    const simple = [treasuryAccount, reservedAccount, fundingAccount].map((build) => [build(), build('cash')]);
    expect(simple.flat()).to.have.members(names.map(([name]) => name).filter((name) => !name.includes(':')));
    expect([walletAccount('1'), poolAccount('2'), poolAccount('2', 'cash')]).to.deep.equal([
      ...['wallet:1', 'pool:2', 'cash_pool:2'],
    ]);
  });

  it('have no other form', () => {
    for (const name of ['', 'wallet', 'wallet:', 'pool:', 'cash_wallet:1', 'treasury:1', 'my_treasury', 'treasury\n']) {
      expect(accounts.parseAccount(name), name).to.equal(null);
    }
  });
});
