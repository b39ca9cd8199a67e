import { expect } from 'chai';
import * as contract from '../../../lib/contracts/treasury.ts';
import { eventually } from '../../harness/eventually.ts';
import { RIGHT_PIN } from '../../harness/fake-membership.ts';
import { codeOf, newId, TreasuryBench } from '../../harness/treasury.ts';
import type { TestAssociation } from '../../harness/treasury.ts';

const FUND = ['wallets:fund'];
const REPLAYED = 'Idempotency-Replayed';

interface Meta extends Record<string, unknown> {
  $statusCode?: number;
  $responseHeaders?: Record<string, string>;
}

/** What the gateway sends along with a key. */
const keyed = (key: string, path: string): Meta => ({ idempotency: { key, method: 'POST', path } });
const isReplay = (meta: Meta) => meta.$responseHeaders?.[REPLAYED] === 'true';

describe('treasury: writes with an Idempotency-Key', () => {
  let bench: TreasuryBench;
  let group: TestAssociation;
  let key: string;

  before(async () => {
    bench = await TreasuryBench.start();
  });
  after(() => bench.stop());
  beforeEach(async () => {
    group = await bench.group();
    key = newId();
    bench.reached = () => undefined;
    bench.governance.mishaps.length = 0;
    bench.contribution.mishaps.length = 0;
  });

  const path = () => ({ association_id: group.id });
  const distribute = (meta: Meta = keyed(key, 'distributions'), amount = 300) => {
    const body = { beneficiary_member_id: group.m.member_id, amount, reason: 'a roof' };
    return bench.as(group.p.user_id, contract.requestDistribution, { path: path(), body }, { meta });
  };
  const recordCash = (meta: Meta = keyed(key, 'cash'), given: object = {}) => {
    const body = { member_id: group.m.member_id, amount: 500, reason: 'in hand', pin: RIGHT_PIN, ...given };
    return bench.as(group.t.user_id, contract.recordCashContribution, { path: path(), body }, { meta });
  };
  const openWallet = (user_id: string, meta: Meta = keyed(key, 'wallets')) =>
    bench.as(user_id, contract.openOwnWallet, { body: { currency: 'EUR' } }, { meta });
  const fund = (
    endpoint: typeof contract.depositToWallet,
    wallet_id: string,
    {
      amount = 50,
      reference = 'r',
      meta = keyed(key, 'funding'),
    }: { amount?: number; reference?: string; meta?: Meta },
  ) => bench.as('bank', endpoint, { path: { wallet_id }, body: { amount, reference } }, { scopes: FUND, meta });
  const balances = () => bench.as(group.m.user_id, contract.balances, { path: path() });
  const plans = async (table: 'distributions' | 'cash_deposits') =>
    (await bench.sql<{ status: string }>(`SELECT status FROM ${table} WHERE association_id = $1`, group.id)).map(
      (row) => row.status,
    );
  const stopAt = (step: string) => {
    let stops = 1;
    bench.reached = (at) => {
      if (at === step && stops-- > 0) throw new Error('stopped');
    };
  };
  /** As after a crash before the answer was kept: the claim is there, its answer is not. */
  const forgetAnswer = () =>
    bench.sql('UPDATE idempotency_keys SET answer = NULL, held_until = NULL WHERE key = $1', key);

  describe('opening a wallet', () => {
    it('answers a repeat as the first time, with 201', async () => {
      const [first, again] = [keyed(key, 'wallets'), keyed(key, 'wallets')];
      const opened = await openWallet(key, first);
      expect(await openWallet(key, again)).to.deep.equal(opened);
      expect([isReplay(first), isReplay(again)]).to.deep.equal([false, true]);
      expect(again.$statusCode).to.equal(201);
      expect(again.$responseHeaders?.Location).to.equal(first.$responseHeaders?.Location);
      // Without the key it is there already.
      const later: Meta = {};
      await openWallet(key, later);
      expect(later.$statusCode).to.equal(200);
    });

    it('keeps the answer with the wallet, in one transaction', async () => {
      const opened = await openWallet(key);
      const [row] = await bench.sql<{ operation_id: string; same: boolean }>(
        `SELECT operation_id, k.xmin = w.xmin AND answer IS NOT NULL AS same
         FROM idempotency_keys AS k, wallets AS w WHERE k.key = $1 AND w.id = $2`,
        key,
        opened.id,
      );
      expect(row).to.deep.equal({ operation_id: opened.id, same: true });
    });

    it('goes on with a wallet that an interrupted request has opened', async () => {
      const opened = await openWallet(key);
      await forgetAnswer();
      const meta = keyed(key, 'wallets');
      expect(await openWallet(key, meta)).to.deep.equal(opened);
      expect(meta.$statusCode).to.equal(undefined);
    });
  });

  describe('deposits and withdrawals', () => {
    it('use the operation as the transfer, and answer a repeat with it', async () => {
      const wallet_id = await bench.fundedWallet(key, 0);
      const meta = keyed(key, 'funding');
      const posted = await fund(contract.depositToWallet, wallet_id, {});
      expect(await fund(contract.depositToWallet, wallet_id, { meta })).to.deep.equal(posted);
      expect(isReplay(meta)).to.equal(true);
      const [claim] = await bench.sql<{ operation_id: string }>(
        'SELECT operation_id FROM idempotency_keys WHERE key = $1',
        key,
      );
      expect(claim?.operation_id).to.equal(posted.id);
    });

    it('give the transfer that the reference has, whatever the key', async () => {
      const wallet_id = await bench.fundedWallet(key, 0);
      const first = await fund(contract.depositToWallet, wallet_id, { meta: {} });
      expect(await fund(contract.depositToWallet, wallet_id, {})).to.deep.equal(first);
      expect(await fund(contract.depositToWallet, wallet_id, { meta: keyed(newId(), 'funding') })).to.deep.equal(first);
      const other = { amount: 51, meta: keyed(newId(), 'funding') };
      expect(await codeOf(fund(contract.depositToWallet, wallet_id, other))).to.equal('reference_reused');
      expect(await codeOf(fund(contract.depositToWallet, wallet_id, { amount: 51 }))).to.equal(
        'idempotency_key_reused',
      );
    });

    for (const step of ['treasury.funding.planned', 'treasury.ledger.committed', 'treasury.funding.posted']) {
      it(`move money once when repeated after a stop at ${step}`, async () => {
        const wallet_id = await bench.fundedWallet(key, 0);
        stopAt(step);
        expect(await codeOf(fund(contract.depositToWallet, wallet_id, {}))).to.equal('internal_error');
        const posted = await fund(contract.depositToWallet, wallet_id, {});
        expect(await fund(contract.depositToWallet, wallet_id, { meta: {} })).to.deep.equal(posted);
        const { balance } = await bench.as(key, contract.getWallet, { path: { wallet_id } });
        expect(balance).to.equal(50);
      });
    }

    it('free the key and the reference of what the ledger refuses', async () => {
      const wallet_id = await bench.fundedWallet(key, 0);
      expect(await codeOf(fund(contract.withdrawFromWallet, wallet_id, {}))).to.equal('insufficient_funds');
      await bench.deposit(wallet_id, 50, 'salary');
      const paid = await fund(contract.withdrawFromWallet, wallet_id, {});
      expect(paid.kind).to.equal('wallet_withdrawal');
    });
  });

  describe('a distribution', () => {
    beforeEach(() => bench.endow(group.id, 1_000));

    it('is requested once, however many repeats come at once', async () => {
      const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => distribute()));
      for (const attempt of attempts) {
        if (attempt.status === 'rejected') {
          expect((attempt.reason as { type: string }).type).to.equal('idempotency_in_flight');
        }
      }
      const meta = keyed(key, 'distributions');
      const again = await distribute(meta);
      expect(isReplay(meta)).to.equal(true);
      expect(meta.$responseHeaders?.Location).to.match(new RegExp(`/distributions/${again.id}$`));
      expect(await balances()).to.deep.include({ treasury: 700, reserved: 300 });
      expect(await plans('distributions')).to.deep.equal(['pending_approval']);
    });

    for (const step of ['reserving', 'reserving.acted', 'requesting', 'requesting.acted']) {
      it(`goes on with its plan when repeated after a stop at ${step}`, async () => {
        stopAt(`treasury.distribution.${step}`);
        expect(await codeOf(distribute())).to.be.oneOf(['outcome_unknown', 'internal_error']);
        expect(await distribute()).to.include({ status: 'pending_approval', amount: 300 });
        expect(await plans('distributions')).to.deep.equal(['pending_approval']);
        expect(await balances()).to.deep.include({ treasury: 700, reserved: 300 });
        expect(await bench.events(group.id)).to.deep.equal(['distribution.requested']);
      });
    }

    it('is not taken back when governance is away, as the client can come back to it', async () => {
      bench.governance.mishaps.push('away');
      expect(await codeOf(distribute())).to.equal('outcome_unknown');
      const requested = await distribute();
      expect(requested.status).to.equal('pending_approval');
      expect(await plans('distributions')).to.deep.equal(['pending_approval']);
    });

    it('frees its key when refused, and may be asked for again', async () => {
      expect(await codeOf(distribute(keyed(key, 'distributions'), 5_000))).to.equal('insufficient_funds');
      await bench.endow(group.id, 5_000);
      expect((await distribute(keyed(key, 'distributions'), 5_000)).status).to.equal('pending_approval');
    });

    it('answers from its plan though the beneficiary has left since', async () => {
      const requested = await distribute();
      await bench.decide(requested.id, 'approved');
      await forgetAnswer();
      group.m.status = 'left';
      expect(await distribute()).to.include({ id: requested.id, status: 'paid' });
    });
  });

  describe('cash', () => {
    it('is recorded once: a repeat needs no PIN that is judged again', async () => {
      const deposit = await recordCash();
      const meta = keyed(key, 'cash');
      expect(await recordCash(meta, { pin: 'sealed afresh' })).to.deep.equal(deposit);
      expect(isReplay(meta)).to.equal(true);
      expect(await codeOf(recordCash(keyed(key, 'cash'), { amount: 501 }))).to.equal('idempotency_key_reused');
      expect(await plans('cash_deposits')).to.deep.equal(['pending_approval']);
    });

    for (const step of ['taking', 'taking.acted', 'recording.acted']) {
      it(`for a meeting takes one due when repeated after a stop at ${step}`, async () => {
        const meeting_id = newId();
        stopAt(`treasury.cash_deposit.${step}`);
        expect(await codeOf(recordCash(keyed(key, 'cash'), { meeting_id }))).to.be.oneOf([
          'outcome_unknown',
          'internal_error',
        ]);
        const deposit = await recordCash(keyed(key, 'cash'), { meeting_id });
        expect(deposit).to.include({ meeting_id, status: 'pending_approval' });
        const takes = [...bench.contribution.taken.values()].filter((take) => take.meeting_id === meeting_id);
        expect(takes.map((take) => take.contribution_id)).to.deep.equal([deposit.id]);
        expect(await bench.events(group.id)).to.deep.equal(['cash.recorded']);
      });
    }

    it('for a meeting goes on when the contribution service was away', async () => {
      const meeting_id = newId();
      bench.contribution.mishaps.push('away');
      expect(await codeOf(recordCash(keyed(key, 'cash'), { meeting_id }))).to.equal('outcome_unknown');
      await recordCash(keyed(key, 'cash'), { meeting_id });
      await eventually(async () => expect(await plans('cash_deposits')).to.deep.equal(['pending_approval']));
    });
  });
});
