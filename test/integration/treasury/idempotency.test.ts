import { expect } from 'chai';
import { takeCash } from '../../../lib/contracts/contribution.ts';
import { requestApproval } from '../../../lib/contracts/governance.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { atOnce, outcomeOf, outcomesOf } from '../../harness/refusal.ts';
import { TOO_OLD_MS, type CallOptions } from '../../harness/service-harness.ts';
import { useTreasury } from '../../harness/treasury.ts';

describe('treasury: writes with an Idempotency-Key', () => {
  const treasury = useTreasury();
  const { newId } = treasury;
  let key: string;

  beforeEach(() => {
    key = newId();
  });

  const distribute = (amount = 300) => treasury.distribute({ amount }, { key });
  const recordCash = (given: object = {}) => treasury.recordCash(given, { key });
  const openWallet = (options: CallOptions = { key }) =>
    treasury.as(key, contract.openOwnWallet, { body: { currency: 'EUR' } }, options);
  const isReplay = (answer: unknown) => treasury.headOf(answer).replayed;
  /** Leaves the claim without its answer, as a crash before the answer was stored would. */
  const forgetAnswer = () =>
    treasury.sql('UPDATE idempotency_keys SET answer = NULL, held_until = NULL WHERE key = $1', key);
  /** Expects that one transaction wrote the answer and the row, and that the row has the id of the operation. */
  const expectOneTransaction = async (table: 'wallets' | 'distributions', id: string) => {
    const rows = await treasury.sql(
      `SELECT operation_id, k.xmin = row.xmin AND answer IS NOT NULL AS same
       FROM idempotency_keys AS k, ${table} AS row WHERE k.key = $1 AND row.id = $2`,
      key,
      id,
    );
    expect(rows).to.deep.equal([{ operation_id: id, same: true }]);
  };

  describe('opening a wallet', () => {
    it('repeats its 201 answer, which is stored in the transaction of the wallet', async () => {
      const opened = await openWallet();
      await expectOneTransaction('wallets', opened.id);
      const again = await openWallet();
      expect(again).to.deep.equal(opened);
      expect(treasury.headOf(opened)).to.include({ status: 201, replayed: false });
      expect(treasury.headOf(again)).to.deep.equal({ ...treasury.headOf(opened), replayed: true });
      // Without the key, the wallet exists already.
      expect(treasury.headOf(await openWallet({})).status).to.equal(200);
    });

    it('continues with a wallet that an interrupted request has opened', async () => {
      const opened = await openWallet();
      await forgetAnswer();
      const again = await openWallet();
      expect(again).to.deep.equal(opened);
      expect(treasury.headOf(again).status).to.equal(201);
    });
  });

  describe('a deposit', () => {
    let wallet_id: string;
    beforeEach(async () => {
      wallet_id = await treasury.fundedWallet(key, 0);
    });

    it('uses the id of the operation as its transfer id, and repeats its answer', async () => {
      const posted = await treasury.deposit(wallet_id, 50, 'r', key);
      const again = await treasury.deposit(wallet_id, 50, 'r', key);
      expect(again).to.deep.equal(posted);
      expect(isReplay(again)).to.equal(true);
      const claims = await treasury.sql('SELECT operation_id FROM idempotency_keys WHERE key = $1', key);
      expect(claims).to.deep.equal([{ operation_id: posted.id }]);
    });

    it('returns the transfer of its reference, regardless of the key', async () => {
      const first = await treasury.deposit(wallet_id, 50, 'r');
      expect(await treasury.deposit(wallet_id, 50, 'r', key)).to.deep.equal(first);
      expect(await treasury.deposit(wallet_id, 50, 'r', newId())).to.deep.equal(first);
      expect(await outcomeOf(treasury.deposit(wallet_id, 51, 'r', newId()))).to.equal('reference_reused');
      expect(await outcomeOf(treasury.deposit(wallet_id, 51, 'r', key))).to.equal('idempotency_key_reused');
    });

    for (const point of ['funding.planned', 'ledger.committed', 'funding.posted']) {
      it(`moves money once when it is repeated after a failure at ${point}`, async () => {
        treasury.failAt(`treasury.${point}`);
        expect(await outcomeOf(treasury.deposit(wallet_id, 50, 'r', key))).to.equal('internal_error');
        const posted = await treasury.deposit(wallet_id, 50, 'r', key);
        expect(await treasury.deposit(wallet_id, 50, 'r')).to.deep.equal(posted);
        expect(await treasury.balanceOf(wallet_id, key)).to.equal(50);
      });
    }
  });

  it('a withdrawal that the ledger has refused is told so once more if its process died, and then uses its reference anew', async () => {
    const wallet_id = await treasury.fundedWallet(key, 0);
    const withdraw = () => outcomeOf(treasury.withdraw(wallet_id, 50, 'r'));
    treasury.failAt('treasury.funding.posted');
    expect(await withdraw()).to.equal('internal_error');
    await treasury.deposit(wallet_id, 50);
    expect(await withdraw()).to.equal('insufficient_funds');
    expect(await withdraw()).to.equal('done');
  });

  it('a withdrawal without a key does not begin late, and leaves its reference unused', async () => {
    const wallet_id = await treasury.fundedWallet(key, 100);
    const withdraw = (options: CallOptions) =>
      treasury.as(
        'the-bank',
        contract.withdrawFromWallet,
        { path: { wallet_id }, body: { amount: 50, reference: 'r' } },
        { scopes: ['wallets:fund'], ...options },
      );
    const planned = `SELECT FROM wallet_funding WHERE wallet_id = $1 AND reference = 'r'`;
    expect(await outcomeOf(withdraw({ age_ms: TOO_OLD_MS }))).to.equal('SERVICE_NOT_AVAILABLE');
    expect(await treasury.sql(planned, wallet_id)).to.deep.equal([]);
    await withdraw({ age_ms: 0 });
    expect(await treasury.sql(planned, wallet_id)).to.have.length(1);
    expect(await treasury.balanceOf(wallet_id, key)).to.equal(50);
  });

  it('a withdrawal is not planned by a process that was frozen while a repeat was refused', async () => {
    const wallet_id = await treasury.fundedWallet(key, 100);
    const withdraw = () => treasury.withdraw(wallet_id, 50, 'r', key);
    expect(await treasury.outcomeAfterRefusedRepeat(key, withdraw)).to.equal('idempotency_in_flight');
    expect(await treasury.balanceOf(wallet_id, key)).to.equal(100);
  });

  describe('a distribution', () => {
    beforeEach(() => treasury.endow(1_000));

    it('is requested once when repeats are concurrent, and stores its answer when its approval is open', async () => {
      for (const outcome of await outcomesOf(atOnce(6, () => distribute()))) {
        expect(outcome).to.be.oneOf(['done', 'idempotency_in_flight']);
      }
      const again = await distribute();
      expect(isReplay(again)).to.equal(true);
      await expectOneTransaction('distributions', again.id);
      expect(treasury.headOf(again).location).to.match(new RegExp(`/distributions/${again.id}$`));
      expect(await treasury.balances()).to.deep.include({ treasury: 700, reserved: 300 });
      expect(await treasury.statuses('distributions')).to.deep.equal(['pending_approval']);
    });

    for (const state of ['reserving', 'reserving.acted', 'requesting', 'requesting.acted']) {
      it(`continues with its row when it is repeated after a failure at ${state}`, async () => {
        treasury.failAt(`treasury.distribution.${state}`);
        expect(await outcomeOf(distribute())).to.equal('outcome_unknown');
        expect(await distribute()).to.include({ status: 'pending_approval', amount: 300 });
        expect(await treasury.statuses('distributions')).to.deep.equal(['pending_approval']);
        expect(await treasury.balances()).to.deep.include({ treasury: 700, reserved: 300 });
        expect(await treasury.publishedTypes()).to.deep.equal(['distribution.requested']);
      });
    }

    it('is not stored by a process that was frozen while a repeat was refused', async () => {
      expect(await treasury.outcomeAfterRefusedRepeat(key, () => distribute())).to.equal('idempotency_in_flight');
      expect(await treasury.statuses('distributions')).to.deep.equal([]);
      expect((await distribute()).status).to.equal('pending_approval');
    });

    it('is not released if governance is unavailable, because the client can repeat the request', async () => {
      treasury.governance.next(requestApproval, 'unavailable');
      expect(await outcomeOf(distribute())).to.equal('outcome_unknown');
      expect((await distribute()).status).to.equal('pending_approval');
      expect(await treasury.statuses('distributions')).to.deep.equal(['pending_approval']);
    });

    it('frees its key when it is refused, and can be requested again', async () => {
      expect(await outcomeOf(distribute(5_000))).to.equal('insufficient_funds');
      await treasury.endow(5_000);
      expect((await distribute(5_000)).status).to.equal('pending_approval');
    });

    it('is answered from its row even if the beneficiary has left since then', async () => {
      const requested = await distribute();
      await treasury.decide(requested.id, 'approved');
      await forgetAnswer();
      treasury.group.m.status = 'left';
      expect(await distribute()).to.include({ id: requested.id, status: 'paid' });
    });
  });

  describe('cash', () => {
    const meeting_id = newId();

    it('is recorded once, and the PIN of a repeat is not checked', async () => {
      const deposited = await recordCash();
      const again = await recordCash({ pin: 'another ciphertext' });
      expect(again).to.deep.equal(deposited);
      expect(isReplay(again)).to.equal(true);
      expect(await outcomeOf(recordCash({ amount: 501 }))).to.equal('idempotency_key_reused');
      expect(await treasury.statuses('cash_deposits')).to.deep.equal(['pending_approval']);
    });

    for (const state of ['taking', 'taking.acted', 'recording.acted']) {
      it(`for a meeting reserves one due when it is repeated after a failure at ${state}`, async () => {
        treasury.failAt(`treasury.cash_deposit.${state}`);
        expect(await outcomeOf(recordCash({ meeting_id }))).to.equal('outcome_unknown');
        const { id, status } = await recordCash({ meeting_id });
        expect(status).to.equal('pending_approval');
        expect(treasury.contribution.taken.has(id)).to.equal(true);
        expect(await treasury.requests('cash_deposits')).to.deep.equal([{ id, status: 'pending_approval' }]);
        expect(await treasury.publishedTypes()).to.deep.equal(['cash.recorded']);
      });
    }

    it('for a meeting continues after the contribution service was unavailable', async () => {
      treasury.contribution.next(takeCash, 'unavailable');
      expect(await outcomeOf(recordCash({ meeting_id }))).to.equal('outcome_unknown');
      await recordCash({ meeting_id });
      expect(await treasury.statuses('cash_deposits')).to.deep.equal(['pending_approval']);
    });
  });
});
