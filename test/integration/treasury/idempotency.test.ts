import { expect } from 'chai';
import * as contract from '../../../lib/contracts/treasury.ts';
import { codeOf, newId, useTreasury } from '../../harness/treasury.ts';

interface Meta extends Record<string, unknown> {
  $statusCode?: number;
  $responseHeaders?: Record<string, string>;
}

/** What the gateway sends along with a key. */
const keyed = (key: string, path = 'path'): Meta => ({ idempotency: { key, method: 'POST', path } });
const isReplay = (meta: Meta) => meta.$responseHeaders?.['Idempotency-Replayed'] === 'true';

describe('treasury: writes with an Idempotency-Key', () => {
  const treasury = useTreasury();
  let key: string;

  beforeEach(() => {
    key = newId();
  });

  const distribute = (meta = keyed(key), amount = 300) => treasury.distribute({ amount }, { meta });
  const recordCash = (given: object = {}, meta = keyed(key)) => treasury.recordCash(given, { meta });
  const openWallet = (meta = keyed(key)) =>
    treasury.as(key, contract.openOwnWallet, { body: { currency: 'EUR' } }, { meta });
  const deposit = (wallet_id: string, { amount = 50, meta = keyed(key) } = {}) => {
    const input = { path: { wallet_id }, body: { amount, reference: 'r' } };
    return treasury.as('bank', contract.depositToWallet, input, { scopes: ['wallets:fund'], meta });
  };
  const statuses = async (table: 'distributions' | 'cash_deposits') =>
    (await treasury.requests(table)).map(({ status }) => status);
  /** As after a crash before the answer was kept: the claim is there, its answer is not. */
  const forgetAnswer = () =>
    treasury.sql('UPDATE idempotency_keys SET answer = NULL, held_until = NULL WHERE key = $1', key);

  describe('opening a wallet', () => {
    it('answers a repeat as the first time, with 201', async () => {
      const [first, again] = [keyed(key), keyed(key)];
      const opened = await openWallet(first);
      expect(await openWallet(again)).to.deep.equal(opened);
      expect([isReplay(first), isReplay(again)]).to.deep.equal([false, true]);
      expect(again.$statusCode).to.equal(201);
      expect(again.$responseHeaders?.Location).to.equal(first.$responseHeaders?.Location);
      // Without the key it is there already.
      const later: Meta = {};
      await openWallet(later);
      expect(later.$statusCode).to.equal(200);
    });

    it('keeps the answer with the wallet, in one transaction', async () => {
      const opened = await openWallet();
      const [row] = await treasury.sql(
        `SELECT operation_id, k.xmin = w.xmin AND answer IS NOT NULL AS same
         FROM idempotency_keys AS k, wallets AS w WHERE k.key = $1 AND w.id = $2`,
        key,
        opened.id,
      );
      expect(row).to.deep.equal({ operation_id: opened.id, same: true });
    });

    it('goes on with a wallet that an interrupted request has opened', async () => {
      const opened = await openWallet();
      await forgetAnswer();
      const meta = keyed(key);
      expect(await openWallet(meta)).to.deep.equal(opened);
      expect(meta.$statusCode).to.equal(undefined);
    });
  });

  describe('a deposit', () => {
    let wallet_id: string;
    beforeEach(async () => {
      wallet_id = await treasury.fundedWallet(key, 0);
    });

    it('uses the operation as the transfer, and answers a repeat with it', async () => {
      const meta = keyed(key);
      const posted = await deposit(wallet_id);
      expect(await deposit(wallet_id, { meta })).to.deep.equal(posted);
      expect(isReplay(meta)).to.equal(true);
      const claims = await treasury.sql('SELECT operation_id FROM idempotency_keys WHERE key = $1', key);
      expect(claims).to.deep.equal([{ operation_id: posted.id }]);
    });

    it('gives the transfer that the reference has, whatever the key', async () => {
      const first = await deposit(wallet_id, { meta: {} });
      expect(await deposit(wallet_id)).to.deep.equal(first);
      expect(await deposit(wallet_id, { meta: keyed(newId()) })).to.deep.equal(first);
      const other = deposit(wallet_id, { amount: 51, meta: keyed(newId()) });
      expect(await codeOf(other)).to.equal('reference_reused');
      expect(await codeOf(deposit(wallet_id, { amount: 51 }))).to.equal('idempotency_key_reused');
    });

    for (const point of ['funding.planned', 'ledger.committed', 'funding.posted']) {
      it(`moves money once when repeated after a stop at ${point}`, async () => {
        treasury.stopAt(`treasury.${point}`);
        expect(await codeOf(deposit(wallet_id))).to.equal('internal_error');
        const posted = await deposit(wallet_id);
        expect(await deposit(wallet_id, { meta: {} })).to.deep.equal(posted);
        const { balance } = await treasury.as(key, contract.getWallet, { path: { wallet_id } });
        expect(balance).to.equal(50);
      });
    }

    it('frees the key and the reference of what the ledger refuses', async () => {
      const withdraw = () => {
        const input = { path: { wallet_id }, body: { amount: 80, reference: 'w' } };
        const options = { scopes: ['wallets:fund'], meta: keyed(key) };
        return treasury.as('bank', contract.withdrawFromWallet, input, options);
      };
      expect(await codeOf(withdraw())).to.equal('insufficient_funds');
      await treasury.deposit(wallet_id, 100, 'more');
      expect((await withdraw()).kind).to.equal('wallet_withdrawal');
    });
  });

  describe('a distribution', () => {
    beforeEach(() => treasury.endow(1_000));

    it('is requested once, however many repeats come at once', async () => {
      const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => distribute()));
      for (const attempt of attempts) {
        if (attempt.status === 'rejected') {
          expect((attempt.reason as { type: string }).type).to.equal('idempotency_in_flight');
        }
      }
      const meta = keyed(key);
      const again = await distribute(meta);
      expect(isReplay(meta)).to.equal(true);
      expect(meta.$responseHeaders?.Location).to.match(new RegExp(`/distributions/${again.id}$`));
      expect(await treasury.balances()).to.deep.include({ treasury: 700, reserved: 300 });
      expect(await statuses('distributions')).to.deep.equal(['pending_approval']);
    });

    it('keeps the answer with the open approval, in one transaction', async () => {
      const { id } = await distribute();
      const [row] = await treasury.sql(
        `SELECT k.xmin = d.xmin AND answer IS NOT NULL AS same
         FROM idempotency_keys AS k, distributions AS d WHERE k.key = $1 AND d.id = $2`,
        key,
        id,
      );
      expect(row).to.deep.equal({ same: true });
    });

    for (const state of ['reserving', 'reserving.acted', 'requesting', 'requesting.acted']) {
      it(`goes on with its row when repeated after a stop at ${state}`, async () => {
        treasury.stopAt(`treasury.distribution.${state}`);
        expect(await codeOf(distribute())).to.equal('outcome_unknown');
        expect(await distribute()).to.include({ status: 'pending_approval', amount: 300 });
        expect(await statuses('distributions')).to.deep.equal(['pending_approval']);
        expect(await treasury.balances()).to.deep.include({ treasury: 700, reserved: 300 });
        expect(await treasury.events()).to.deep.equal(['distribution.requested']);
      });
    }

    it('is not taken back when governance is away, as the client can come back to it', async () => {
      treasury.governance.mishaps.push('away');
      expect(await codeOf(distribute())).to.equal('outcome_unknown');
      expect((await distribute()).status).to.equal('pending_approval');
      expect(await statuses('distributions')).to.deep.equal(['pending_approval']);
    });

    it('frees its key when refused, and may be asked for again', async () => {
      expect(await codeOf(distribute(keyed(key), 5_000))).to.equal('insufficient_funds');
      await treasury.endow(5_000);
      expect((await distribute(keyed(key), 5_000)).status).to.equal('pending_approval');
    });

    it('answers from its row though the beneficiary has left since', async () => {
      const requested = await distribute();
      await treasury.decide(requested.id, 'approved');
      await forgetAnswer();
      treasury.group.m.status = 'left';
      expect(await distribute()).to.include({ id: requested.id, status: 'paid' });
    });
  });

  describe('cash', () => {
    const meeting_id = newId();

    it('is recorded once: a repeat needs no PIN that is judged again', async () => {
      const deposited = await recordCash();
      const meta = keyed(key);
      expect(await recordCash({ pin: 'sealed afresh' }, meta)).to.deep.equal(deposited);
      expect(isReplay(meta)).to.equal(true);
      expect(await codeOf(recordCash({ amount: 501 }))).to.equal('idempotency_key_reused');
      expect(await statuses('cash_deposits')).to.deep.equal(['pending_approval']);
    });

    for (const state of ['taking', 'taking.acted', 'recording.acted']) {
      it(`for a meeting takes one due when repeated after a stop at ${state}`, async () => {
        treasury.stopAt(`treasury.cash_deposit.${state}`);
        expect(await codeOf(recordCash({ meeting_id }))).to.equal('outcome_unknown');
        const { id, status } = await recordCash({ meeting_id });
        expect(status).to.equal('pending_approval');
        const takes = [...treasury.contribution.taken.values()].map((take) => take.contribution_id);
        expect(takes.filter((taken) => taken === id)).to.have.length(1);
        expect(await treasury.requests('cash_deposits')).to.deep.equal([{ id, status: 'pending_approval' }]);
        expect(await treasury.events()).to.deep.equal(['cash.recorded']);
      });
    }

    it('for a meeting goes on when the contribution service was away', async () => {
      treasury.contribution.mishaps.push('away');
      expect(await codeOf(recordCash({ meeting_id }))).to.equal('outcome_unknown');
      await recordCash({ meeting_id });
      expect(await statuses('cash_deposits')).to.deep.equal(['pending_approval']);
    });
  });
});
