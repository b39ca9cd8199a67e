import { expect } from 'chai';
import type { CommandInput } from '../../../lib/contracts/action.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { firstBreak } from '../../harness/chain.ts';
import { atOnce, outcomeOf } from '../../harness/refusal.ts';
import { legs, useTreasury } from '../../harness/treasury.ts';

type TransferInput = CommandInput<typeof contract.transfer>;

describe('treasury: transfers and reads of the ledger', () => {
  const treasury = useTreasury();
  const { newId } = treasury;
  let payer_user_id: string;
  /** The payer's wallet, with a balance of 1 000. */
  let wallet: string;
  /** A pool to pay into. */
  let pool: string;

  beforeEach(async () => {
    payer_user_id = newId();
    wallet = `wallet:${await treasury.fundedWallet(payer_user_id, 1_000)}`;
    pool = `pool:${newId()}`;
  });

  const contribution = (amount_minor: number, given: Partial<TransferInput> = {}) => ({
    id: newId(),
    ...legs(wallet, pool, amount_minor),
    reference: 'round 1',
    payer_user_id,
    member_id: null,
    ...given,
  });
  const transfer = (amount_minor: number, given: Partial<TransferInput> = {}) =>
    treasury.transfer(contribution(amount_minor, given));
  const euros = async () => `wallet:${await treasury.fundedWallet(payer_user_id, 10, 'EUR')}`;

  it('post once per id, and repeat the first outcome', async () => {
    const input = contribution(400);
    const { id } = input;
    const posted = await treasury.transfer(input);
    expect(posted).to.deep.include({ id, seq: 1, association_id: treasury.group.id, legs: input.legs });
    expect(await treasury.transfer(input)).to.deep.equal(posted);
    expect(await outcomeOf(transfer(401, { id }))).to.equal('transfer_conflict');
    const meeting_id = pool.slice('pool:'.length);
    expect((await treasury.balances()).pools).to.deep.equal([{ meeting_id, amount: 400, cash_amount: 0 }]);
  });

  it('repeat a refusal permanently, even if there are enough funds since then', async () => {
    const input = contribution(1_001);
    expect(await outcomeOf(treasury.transfer(input))).to.equal('insufficient_funds');
    await treasury.deposit(wallet.slice('wallet:'.length), 5_000);
    expect(await outcomeOf(treasury.transfer(input))).to.equal('insufficient_funds');
    expect((await transfer(1_001)).seq).to.equal(1);
  });

  it('store only the refusal of a refused transfer', async () => {
    const fresh = newId();
    expect(await outcomeOf(transfer(1_001, { association_id: fresh }))).to.equal('insufficient_funds');
    const rows = await treasury.sql(
      `SELECT (SELECT count(*) FROM chains WHERE association_id = $1)
            + (SELECT count(*) FROM accounts WHERE association_id = $1)
            + (SELECT count(*) FROM outbox WHERE association_id = $1) AS rows`,
      fresh,
    );
    expect(rows).to.deep.equal([{ rows: 0n }]);
  });

  it('refuse an unknown wallet, or a wallet that is not the payer’s, before any other check', async () => {
    for (const [amount, given] of [
      [0, legs(`wallet:${newId()}`, pool, 10_000)],
      [0, legs('wallet:nonsense', pool, 10_000)],
      [0, legs('wallet:nul\u0000', pool, 10_000)],
      [0, legs(wallet, `wallet:${newId()}`, 1)],
      [10_000, { payer_user_id: 'thief', currency: 'EUR' }],
      [1, { payer_user_id: null }],
    ] as const) {
      expect(await outcomeOf(transfer(amount, given)), JSON.stringify(given)).to.equal('not_found');
    }
  });

  it('refuse a wallet in another currency, whether it pays or receives', async () => {
    const other = await euros();
    for (const given of [legs(other, pool, 1), legs(wallet, other, 10_000)]) {
      expect(await outcomeOf(transfer(0, given))).to.equal('wallet_currency_mismatch');
    }
  });

  it('store no outcome for a malformed posting, whose id stays usable', async () => {
    const id = newId();
    const mistakes: Partial<TransferInput>[] = [
      { legs: [...legs('treasury', 'reserved', 5).legs.slice(0, 1), { account: 'reserved', amount_minor: 4 }] },
      legs('treasury', 'cash_treasury', 5),
      legs('funding', 'treasury', 5),
      legs('treasury', 'nowhere', 5),
      legs('pool:no-meeting', 'treasury', 5),
      // Savings change only with a leg of their account.
      { ...legs(wallet, 'reserved', 5), savings: { emoney_minor: 5, cash_minor: 0 } },
    ];
    for (const mistake of mistakes) {
      expect(await outcomeOf(transfer(5, { id, ...mistake })), JSON.stringify(mistake)).to.equal('internal_error');
    }
    expect((await transfer(5, { id })).id).to.equal(id);
    // The association's accounts are in one currency from now on.
    const given = { currency: 'EUR', ...legs(await euros(), pool, 1) };
    expect(await outcomeOf(transfer(0, given))).to.equal('internal_error');
  });

  const head = () => treasury.as(treasury.group.m.user_id, contract.ledgerHead, { path: treasury.path() });

  it('show the chain as it was hashed: a list, the head, a verifiable export and events', async () => {
    expect(await head()).to.deep.equal({ seq: 0, hash: '0'.repeat(64) });
    expect(await treasury.exportLedger()).to.deep.equal({ transfers: [], done: true });

    await Promise.all(atOnce(5, (index) => transfer(1 + index)));
    const shown = await treasury.listed<contract.TransferRecord>(contract.ledger, 3);
    expect(shown.map((each) => each.seq)).to.deep.equal([5, 4, 3, 2, 1]);
    const { transfers, done } = await treasury.exportLedger();
    expect(done).to.equal(true);
    expect(firstBreak(transfers)).to.equal(undefined);
    expect(shown.toReversed()).to.deep.equal(transfers);
    expect(await head()).to.deep.equal({ seq: 5, hash: transfers[4]?.hash });
    expect((await treasury.exportLedger(3)).transfers).to.deep.equal(transfers.slice(3));
    const events = await treasury.events(treasury.group.id, 'transfer.posted');
    expect(events.map(({ data }) => data)).to.deep.equal(transfers);
  });

  /** Expects that the group's chain is exported in two batches, of `count` transfers and of one. */
  const expectTwoBatches = async (count: number) => {
    const first = await treasury.exportLedger();
    const second = await treasury.exportLedger(count);
    expect([first.transfers.length, first.done]).to.deep.equal([count, false]);
    expect([second.transfers.length, second.done]).to.deep.equal([1, true]);
    expect(firstBreak([...first.transfers, ...second.transfers])).to.equal(undefined);
  };

  it('export a long chain in batches', async () => {
    await Promise.all(atOnce(501, () => transfer(1)));
    await expectTwoBatches(500);
  });

  it('export long transfers in batches that fit into a message', async () => {
    // A leg has about 70 bytes, so three of these transfers exceed half a megabyte.
    const pools = Array.from({ length: 3_000 }, () => ({ account: `cash_pool:${newId()}`, amount_minor: 1 }));
    const source = { account: 'cash_funding', amount_minor: -pools.length };
    for (let count = 0; count < 3; count += 1) await transfer(0, { legs: [source, ...pools] });
    await expectTwoBatches(2);
  });

  it('are hidden from users who are not members', async () => {
    const { balances, ledger, ledgerHead, ledgerExport, cashLedger, listDistributions } = contract;
    for (const endpoint of [balances, ledger, ledgerHead, ledgerExport, cashLedger, listDistributions]) {
      expect(await outcomeOf(treasury.as('stranger', endpoint, { path: treasury.path() }))).to.equal('not_found');
    }
  });
});
