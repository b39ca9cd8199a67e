import { expect } from 'chai';
import * as accounts from '../../../lib/contracts/accounts.ts';

const { fundingAccount, poolAccount, reservedAccount, treasuryAccount, walletAccount } = accounts;
const names: [string, built: string, money: accounts.Money, meeting_id?: string][] = [
  ['wallet:0199', walletAccount('0199'), 'emoney'],
  // Wallets are e-money, regardless of the form of their id.
  ['wallet:pool:1', walletAccount('pool:1'), 'emoney'],
  ['pool:0199', poolAccount('0199'), 'emoney', '0199'],
  ['treasury', treasuryAccount(), 'emoney'],
  ['reserved', reservedAccount(), 'emoney'],
  ['funding', fundingAccount(), 'emoney'],
  ['cash_pool:0199', poolAccount('0199', 'cash'), 'cash', '0199'],
  ['cash_treasury', treasuryAccount('cash'), 'cash'],
  ['cash_reserved', reservedAccount('cash'), 'cash'],
  ['cash_funding', fundingAccount('cash'), 'cash'],
];

describe('the names of accounts', () => {
  for (const [name, built, money, meeting_id] of names) {
    it(`are written and read correctly: ${name}`, () => {
      expect(built).to.equal(name);
      expect(accounts.moneyOf(name)).to.equal(money);
      expect(accounts.isWalletAccount(name)).to.equal(name.startsWith('wallet'));
      expect(accounts.meetingOfPool(name)).to.equal(meeting_id);
    });
  }

  it('name a meeting only in the forms `pool:<id>` and `cash_pool:<id>`', () => {
    for (const name of ['', 'pool:', 'cash_pool:', 'pool', 'my_pool:1', 'cash_wallet:1', 'treasury:1'])
      expect(accounts.meetingOfPool(name), name).to.equal(undefined);
  });
});
