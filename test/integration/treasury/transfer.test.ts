import { expect } from 'chai';
import { firstBreak } from '../../harness/chain.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import type { CommandInput } from '../../../lib/contracts/action.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { legs, useTreasury } from '../../harness/treasury.ts';

type TransferInput = CommandInput<typeof contract.transfer>;

describe('treasury: transfers and reads of the ledger', () => {
  const treasury = useTreasury();
  const { newId } = treasury;
  let payer: string;
  let wallet_id: string;
  let meeting_id: string;

  beforeEach(async () => {
    payer = newId();
    wallet_id = await treasury.fundedWallet(payer, 1_000);
    meeting_id = newId();
  });

  const contribution = (amount_minor: number, given: Partial<TransferInput> = {}): TransferInput => ({
    id: newId(),
    ...treasury.path(),
    kind: 'contribution',
    currency: 'XAF',
    ...legs(`wallet:${wallet_id}`, `pool:${meeting_id}`, amount_minor),
    reference: 'round 1',
    payer_user_id: payer,
    member_id: null,
    ...given,
  });
  const transfer = (input: TransferInput) => treasury.transfer(input);

  it('posts once for an id, and answers a repeat with the first outcome', async () => {
    const input = contribution(400);
    const posted = await transfer(input);
    expect(posted).to.deep.include({ id: input.id, seq: 1, association_id: treasury.group.id, legs: input.legs });
    expect(await transfer(input)).to.deep.equal(posted);
    expect(await outcomeOf(transfer({ ...input, ...contribution(401), id: input.id }))).to.equal('transfer_conflict');
    expect((await treasury.balances()).pools).to.deep.equal([{ meeting_id, amount: 400, cash_amount: 0 }]);
  });

  it('keeps a refusal for ever, though the funds have come since', async () => {
    const input = contribution(1_001);
    expect(await outcomeOf(transfer(input))).to.equal('insufficient_funds');
    await treasury.deposit(wallet_id, 5_000, 'more');
    expect(await outcomeOf(transfer(input))).to.equal('insufficient_funds');
    expect((await transfer({ ...input, id: newId() })).seq).to.equal(1);
  });

  it('leaves nothing of a refused transfer but the refusal', async () => {
    const fresh = newId();
    expect(await outcomeOf(transfer({ ...contribution(1_001), association_id: fresh }))).to.equal('insufficient_funds');
    const [{ rows } = { rows: -1n }] = await treasury.sql<{ rows: bigint }>(
      `SELECT (SELECT count(*) FROM chains WHERE association_id = $1)
            + (SELECT count(*) FROM accounts WHERE association_id = $1)
            + (SELECT count(*) FROM outbox WHERE association_id = $1) AS rows`,
      fresh,
    );
    expect(rows).to.equal(0n);
  });

  it('refuses a wallet that is not there, or not the payer’s, before all else', async () => {
    for (const other of [newId(), 'nonsense', 'nul\u0000']) {
      const given = legs(`wallet:${other}`, `pool:${meeting_id}`, 10_000);
      expect(await outcomeOf(transfer(contribution(0, given)))).to.equal('not_found');
    }
    expect(await outcomeOf(transfer(contribution(10_000, { payer_user_id: 'thief', currency: 'EUR' })))).to.equal(
      'not_found',
    );
    expect(await outcomeOf(transfer(contribution(1, { payer_user_id: null })))).to.equal('not_found');
    const into_nowhere = legs(`wallet:${wallet_id}`, `wallet:${newId()}`, 1);
    expect(await outcomeOf(transfer(contribution(0, into_nowhere)))).to.equal('not_found');
  });

  it('refuses a wallet in another currency, whether it pays or receives', async () => {
    const euros = await treasury.fundedWallet(payer, 10, 'EUR');
    const paying = legs(`wallet:${euros}`, `pool:${meeting_id}`, 1);
    const receiving = legs(`wallet:${wallet_id}`, `wallet:${euros}`, 10_000);
    expect(await outcomeOf(transfer(contribution(0, paying)))).to.equal('wallet_currency_mismatch');
    expect(await outcomeOf(transfer(contribution(0, receiving)))).to.equal('wallet_currency_mismatch');
  });

  it('takes what is a mistake of ours for no outcome', async () => {
    const mistakes: Partial<TransferInput>[] = [
      { legs: [...legs('treasury', 'reserved', 5).legs.slice(0, 1), { account: 'reserved', amount_minor: 4 }] },
      legs('treasury', 'cash_treasury', 5),
      legs('funding', 'treasury', 5),
      legs('treasury', 'nowhere', 5),
      legs('pool:no-meeting', 'treasury', 5),
    ];
    for (const mistake of mistakes) {
      const input = contribution(5, mistake);
      expect(await outcomeOf(transfer(input))).to.equal('internal_error');
      // The id is as good as new.
      expect((await transfer(contribution(5, { id: input.id }))).id).to.equal(input.id);
    }
  });

  it('takes an association’s accounts in one currency only', async () => {
    await transfer(contribution(5));
    const euros = await treasury.fundedWallet(payer, 10, 'EUR');
    const given = { currency: 'EUR', ...legs(`wallet:${euros}`, `pool:${meeting_id}`, 1) };
    expect(await outcomeOf(transfer(contribution(0, given)))).to.equal('internal_error');
  });

  const head = () => treasury.as(treasury.group.m.user_id, contract.ledgerHead, { path: treasury.path() });

  it('shows the chain as it was hashed: newest first, its head, and an export that verifies', async () => {
    for (let amount = 1; amount <= 5; amount += 1) await transfer(contribution(amount));
    const page = (query: { limit: number; cursor?: string }) =>
      treasury.as(treasury.group.m.user_id, contract.ledger, { path: treasury.path(), query });
    const first = await page({ limit: 3 });
    const second = await page({ limit: 3, cursor: first.next_cursor ?? '' });
    expect([...first.data, ...second.data].map((each) => each.seq)).to.deep.equal([5, 4, 3, 2, 1]);
    expect(second.next_cursor).to.equal(null);

    const { transfers, done } = await treasury.exportLedger();
    expect(done).to.equal(true);
    expect(firstBreak(transfers)).to.equal(undefined);
    expect([...transfers].reverse()).to.deep.equal([...first.data, ...second.data]);
    expect(await head()).to.deep.equal({ seq: 5, hash: transfers[4]?.hash });
    expect((await treasury.exportLedger(3)).transfers).to.deep.equal(transfers.slice(3));
  });

  it('exports a long chain in stretches', async () => {
    await Promise.all(Array.from({ length: 501 }, () => transfer(contribution(1))));
    const [first, second] = [await treasury.exportLedger(), await treasury.exportLedger(500)];
    expect([first.transfers.length, first.done]).to.deep.equal([500, false]);
    expect([second.transfers.length, second.done]).to.deep.equal([1, true]);
    expect(firstBreak([...first.transfers, ...second.transfers])).to.equal(undefined);
  });

  it('exports long transfers in stretches that fit into a message', async () => {
    // Each leg is some 70 bytes: three of these are more than half a megabyte.
    const pools = Array.from({ length: 3_000 }, () => ({ account: `cash_pool:${newId()}`, amount_minor: 1 }));
    const source = { account: 'cash_funding', amount_minor: -pools.length };
    for (let count = 0; count < 3; count += 1) await transfer(contribution(0, { legs: [source, ...pools] }));
    const [first, second] = [await treasury.exportLedger(), await treasury.exportLedger(2)];
    expect([first.transfers.length, first.done]).to.deep.equal([2, false]);
    expect([second.transfers.length, second.done]).to.deep.equal([1, true]);
    expect(firstBreak([...first.transfers, ...second.transfers])).to.equal(undefined);
  });

  it('shows an empty chain as one that begins', async () => {
    expect(await head()).to.deep.equal({ seq: 0, hash: '0'.repeat(64) });
    expect(await treasury.exportLedger()).to.deep.equal({ transfers: [], done: true });
  });

  it('shows nothing to others', async () => {
    const { balances, ledger, ledgerHead, ledgerExport, cashLedger, listDistributions } = contract;
    for (const endpoint of [balances, ledger, ledgerHead, ledgerExport, cashLedger, listDistributions]) {
      expect(await outcomeOf(treasury.as('stranger', endpoint, { path: treasury.path() }))).to.equal('not_found');
    }
  });

  it('tells of every posted transfer in the order of the chain', async () => {
    await Promise.all([1, 2, 3].map((amount) => transfer(contribution(amount))));
    const events = await treasury.sql<{ event: { data: contract.TransferRecord } }>(
      `SELECT event FROM outbox WHERE association_id = $1 AND type = 'transfer.posted' ORDER BY position`,
      treasury.group.id,
    );
    expect(events.map((each) => each.event.data)).to.deep.equal((await treasury.exportLedger()).transfers);
  });
});
