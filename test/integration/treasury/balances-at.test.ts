import { expect } from 'chai';
import { savingsOfTransfers } from '../../../lib/contracts/contribution.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { createRandom } from '../../harness/random.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { legs, useTreasury } from '../../harness/treasury.ts';

describe('treasury: balances at an instant', () => {
  const treasury = useTreasury();
  const { newId } = treasury;
  const meeting_id = newId();

  const now = (instant: string) => (treasury.clock.stopped_at = new Date(instant));

  it('include the transfers that were posted until then', async () => {
    now('2026-02-01T10:00:00.000Z');
    await treasury.bringCash(500);
    now('2026-02-01T10:00:00.001Z');
    await treasury.distribute({ amount: 200 });
    now('2026-02-01T10:00:00.002Z');
    await treasury.transfer({ kind: 'cash_contribution', ...legs('cash_funding', `cash_pool:${meeting_id}`, 30) });

    const nothing = { currency: 'XAF', treasury: 0, reserved: 0, cash: 0, available: 0, pools: [] };
    const first = { ...nothing, treasury: 500, cash: 500, available: 500 };
    const second = { ...first, treasury: 300, reserved: 200, available: 300 };
    const third = { ...second, cash: 530, pools: [{ meeting_id, amount: 30, cash_amount: 30 }] };
    expect(await treasury.balances()).to.deep.equal(third);
    for (const [at, expected] of [
      ['2026-02-01T09:59:59.999Z', nothing],
      ['2026-02-01T10:00:00Z', first],
      ['2026-02-01T11:00:00.0009+01:00', first],
      ['2026-02-01T10:00:00.001Z', second],
      ['2026-02-01T10:00:00.002Z', third],
      ['2900-01-01T00:00:00Z', third],
      ['1900-01-01T00:00:00Z', nothing],
    ] as const) {
      expect(await treasury.balances(at), at).to.deep.equal(expected);
    }
    for (const at of ['2026-02-01', 'now', '2026-02-30T00:00:00Z', '1899-01-01T00:00:00Z', '']) {
      expect(await outcomeOf(treasury.balances(at)), at).to.equal('VALIDATION_ERROR');
    }
  });

  it('are unavailable while contribution cannot tell the savings of later settlements', async () => {
    treasury.membership.association(treasury.group.id).terms.type = 'savings';
    now('2026-02-01T10:00:00.000Z');
    await treasury.endow(100, 100);
    treasury.contribution.next(savingsOfTransfers, 'unavailable');
    expect(await outcomeOf(treasury.balances('2026-01-01T00:00:00Z'))).to.equal('SERVICE_NOT_AVAILABLE');
    // No settlement is later, so contribution is not asked.
    expect((await treasury.balances('2026-03-01T00:00:00Z')).available).to.equal(0);
    expect(treasury.contribution.received(savingsOfTransfers)).to.have.length(1);
  });

  it('are shown to members only', async () => {
    const input = { path: treasury.path(), query: { at: '2026-01-01T00:00:00Z' } };
    expect(await outcomeOf(treasury.as('stranger', contract.balances, input))).to.equal('not_found');
  });

  it('are the sums of the exported transfers until then, whatever the order of their times', async () => {
    const seed = Date.now() % 2 ** 31;
    const random = createRandom(seed);
    treasury.membership.association(treasury.group.id).terms.type = 'savings';
    const { m } = treasury.group;
    await treasury.deposit(m.payout_wallet_id!, 100_000);
    const accounts = ['treasury', 'reserved', `pool:${meeting_id}`, `pool:${newId()}`, treasury.wallet()];
    const cash = ['cash_treasury', 'cash_reserved', `cash_pool:${meeting_id}`, 'cash_funding'];
    const times: number[] = [];
    let time = Date.parse('2026-05-01T00:00:00Z');
    for (let count = 0; count < 80; count += 1) {
      time += random.between(-5, 20);
      times.push(time);
      treasury.clock.stopped_at = new Date(time);
      const amount = random.between(1, 50);
      const wallet = treasury.wallet();
      const names = random.pick([accounts, cash]);
      const [from, to, savings] = random.pick([
        [random.pick(names), random.pick(names), 0],
        [wallet, random.pick(accounts), 0],
        [wallet, 'treasury', amount],
        ['treasury', wallet, -amount],
      ] as const);
      if (from === to) continue;
      const transfer = {
        id: newId(),
        kind: savings === 0 ? random.pick(['contribution', 'distribution_release'] as const) : 'settlement',
        ...legs(from, to, amount),
        ...(savings === 0 ? {} : { savings: { emoney_minor: savings, cash_minor: 0 } }),
      } as const;
      // Accounts may have too little, and then nothing is posted.
      const isPosted = (await outcomeOf(treasury.transfer(transfer))) === 'done';
      if (isPosted && savings !== 0) treasury.contribution.savings.set(transfer.id, savings);
    }
    const { transfers } = await treasury.exportLedger();
    expect(treasury.contribution.savings.size).to.be.greaterThan(3);
    for (const at of [...times, Math.min(...times) - 1, Math.max(...times) + 1]) {
      const instant = new Date(at).toISOString();
      const sums = new Map<string, number>();
      let saved = 0;
      for (const { id, legs: moved, posted_at } of transfers) {
        if (posted_at > instant) continue;
        saved += treasury.contribution.savings.get(id) ?? 0;
        for (const leg of moved) sums.set(leg.account, (sums.get(leg.account) ?? 0) + leg.amount_minor);
      }
      const sum = (...names: string[]) => names.reduce((total, name) => total + (sums.get(name) ?? 0), 0);
      const shown = await treasury.balances(instant);
      const { pools, ...others } = shown;
      const what = `seed ${String(seed)}, ${instant}`;
      expect(others, what).to.deep.equal({
        currency: 'XAF',
        treasury: sum('treasury', 'cash_treasury'),
        reserved: sum('reserved', 'cash_reserved'),
        cash: 0 - sum('cash_funding'),
        available: sum('treasury', 'cash_treasury') - saved,
      });
      const pooled = sum(...[...sums.keys()].filter((name) => name.includes('pool:')));
      expect(
        pools.reduce((total, pool) => total + pool.amount, 0),
        what,
      ).to.equal(pooled);
      expect(pools.find((pool) => pool.meeting_id === meeting_id)?.cash_amount ?? 0, what).to.equal(
        sum(`cash_pool:${meeting_id}`),
      );
    }
    const last = new Date(Math.max(...times)).toISOString();
    expect(await treasury.balances(last)).to.deep.equal(await treasury.balances());
  });
});
