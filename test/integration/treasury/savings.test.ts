import { expect } from 'chai';
import { atOnce, outcomeOf, refusalOf } from '../../harness/refusal.ts';
import { legs, useTreasury } from '../../harness/treasury.ts';

describe('treasury: savings', () => {
  const treasury = useTreasury();
  const { newId } = treasury;

  /** Posts a settlement that pays a member from the treasury. */
  const payOut = (amount_minor: number, savings_minor?: number, id = newId()) =>
    treasury.transfer({
      id,
      kind: 'settlement',
      payer_user_id: null,
      ...legs('treasury', treasury.wallet(), amount_minor),
      ...(savings_minor === undefined ? {} : { savings: { emoney_minor: savings_minor, cash_minor: 0 } }),
    });
  const held = async () => {
    const rows = await treasury.sql<{ balance: bigint; savings: bigint }>(
      `SELECT balance, savings FROM accounts WHERE association_id = $1 AND name = 'treasury'`,
      treasury.group.id,
    );
    return rows.map((row) => [Number(row.balance), Number(row.savings)])[0];
  };

  it('are held in the treasury, but are excluded from distributions and from `available`', async () => {
    await treasury.endow(1_000, 700);
    expect(await treasury.balances()).to.deep.include({ treasury: 1_000, available: 300, reserved: 0 });
    const refusal = await refusalOf(treasury.distribute({ amount: 301 }));
    expect(refusal).to.deep.equal({ code: 'insufficient_funds', extras: { available: 300 } });
    await treasury.distribute({ amount: 300 });
    expect(await treasury.balances()).to.deep.include({ treasury: 700, reserved: 300, available: 0 });
    expect(await held()).to.deep.equal([700, 700]);
  });

  it('are never touched by concurrent distributions', async () => {
    await treasury.endow(300);
    const saving = atOnce(5, () => treasury.endow(100, 100));
    await Promise.allSettled([...saving, ...atOnce(8, () => treasury.distribute({ amount: 90 }))]);
    expect(await held()).to.deep.equal([530, 500]);
  });

  it('are returned to members once, by a transfer that reduces them', async () => {
    await treasury.endow(1_000, 700);
    expect(await outcomeOf(payOut(301))).to.equal('insufficient_funds');
    const id = newId();
    const paid = await payOut(700, -700, id);
    expect(await payOut(700, -700, id)).to.deep.equal(paid);
    expect(await outcomeOf(payOut(700, -699, id))).to.equal('transfer_conflict');
    expect(await held()).to.deep.equal([300, 0]);
    expect(await outcomeOf(payOut(1, -1))).to.equal('insufficient_funds');
  });

  it('are not part of the exported and hashed transfer', async () => {
    await treasury.endow(1_000, 700);
    const [transfer] = (await treasury.exportLedger()).transfers;
    expect(transfer).to.not.have.property('savings');
    expect(transfer?.legs[1]).to.deep.equal({ account: 'treasury', amount_minor: 1_000 });
  });
});
