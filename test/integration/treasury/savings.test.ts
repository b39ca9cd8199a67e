import { expect } from 'chai';
import * as contract from '../../../lib/contracts/treasury.ts';
import { problemExtras } from '../../../lib/errors/problem.ts';
import { codeOf, legs, newId, TreasuryBench } from '../../harness/treasury.ts';
import type { TestAssociation } from '../../harness/treasury.ts';

describe('treasury: savings', () => {
  let bench: TreasuryBench;
  let group: TestAssociation;

  before(async () => {
    bench = await TreasuryBench.start();
  });
  after(() => bench.stop());
  beforeEach(async () => {
    group = await bench.group();
  });

  const path = () => ({ association_id: group.id });
  const balances = () => bench.as(group.m.user_id, contract.balances, { path: path() });
  const request = (amount: number) => {
    const body = { beneficiary_member_id: group.m.member_id, amount, reason: 'a roof' };
    return bench.as(group.p.user_id, contract.requestDistribution, { path: path(), body });
  };
  /** What a settlement posts that pays out of the treasury to a member. */
  const payOut = (amount_minor: number, savings_minor?: number, id = newId()) =>
    bench.command(contract.transfer, {
      ...{ id, association_id: group.id, kind: 'settlement', currency: 'XAF', reference: null },
      ...{ payer_user_id: null, member_id: group.m.member_id },
      ...legs('treasury', `wallet:${group.m.payout_wallet_id ?? ''}`, amount_minor),
      ...(savings_minor === undefined ? {} : { savings: { emoney_minor: savings_minor, cash_minor: 0 } }),
    });
  const held = async () => {
    const rows = await bench.sql<{ balance: bigint; savings: bigint }>(
      `SELECT balance, savings FROM accounts WHERE association_id = $1 AND name = 'treasury'`,
      group.id,
    );
    return rows.map((row) => [Number(row.balance), Number(row.savings)])[0];
  };

  it('are in the treasury, and not available', async () => {
    await bench.save(group.id, 1_000, 700);
    expect(await balances()).to.deep.include({ treasury: 1_000, available: 300, reserved: 0 });
    expect(await held()).to.deep.equal([1_000, 700]);
  });

  it('cannot be distributed: what is available is said without them', async () => {
    await bench.save(group.id, 1_000, 700);
    const refusal = await request(301).catch((error: unknown) => problemExtras(error));
    expect(refusal).to.deep.equal({ available: 300 });
    await request(300);
    expect(await balances()).to.deep.include({ treasury: 700, reserved: 300, available: 0 });
  });

  it('cannot be distributed by many requests at once either', async () => {
    await bench.save(group.id, 1_000, 700);
    const attempts = await Promise.allSettled(Array.from({ length: 12 }, () => request(70)));
    expect(attempts.filter((each) => each.status === 'fulfilled')).to.have.length(4);
    expect(await held()).to.deep.equal([720, 700]);
  });

  it('grow while distributions take the rest, and are whole whatever comes first', async () => {
    await bench.save(group.id, 300, 0);
    const saving = Array.from({ length: 5 }, () => bench.save(group.id, 100, 100));
    await Promise.allSettled([...saving, ...Array.from({ length: 8 }, () => request(90))]);
    expect(await held()).to.deep.equal([530, 500]);
  });

  it('come back to members with a transfer that lowers them, once', async () => {
    await bench.save(group.id, 1_000, 700);
    expect(await codeOf(payOut(301))).to.equal('insufficient_funds');
    const id = newId();
    const paid = await payOut(700, -700, id);
    expect(await payOut(700, -700, id)).to.deep.equal(paid);
    expect(await codeOf(payOut(700, -699, id))).to.equal('transfer_conflict');
    expect(await held()).to.deep.equal([300, 0]);
    expect(await codeOf(payOut(1, -1))).to.equal('insufficient_funds');
  });

  it('are no part of what is shown and hashed', async () => {
    await bench.save(group.id, 1_000, 700);
    const { transfers } = await bench.as(group.m.user_id, contract.ledgerExport, { path: path() });
    expect(transfers[0]).to.not.have.property('savings');
    expect(transfers[0]?.legs[1]).to.deep.equal({ account: 'treasury', amount_minor: 1_000 });
  });

  it('take a change without a leg of their account for a mistake of ours', async () => {
    const input = {
      ...{ id: newId(), association_id: group.id, kind: 'settlement' as const, currency: 'XAF', reference: null },
      ...{ payer_user_id: null, member_id: null, savings: { emoney_minor: 5, cash_minor: 0 } },
      ...legs('cash_funding', 'cash_treasury', 5),
    };
    expect(await codeOf(bench.command(contract.transfer, input))).to.equal('internal_error');
  });
});
