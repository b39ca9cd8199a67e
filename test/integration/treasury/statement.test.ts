import { expect } from 'chai';
import type { EndpointInput } from '../../../lib/contracts/action.ts';
import { statementFacts } from '../../../lib/contracts/contribution.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { complaintOf, outcomeOf, refusalOf } from '../../harness/refusal.ts';
import { legs, useTreasury } from '../../harness/treasury.ts';

type Query = EndpointInput<typeof contract.statement>['query'];
const DAY_MS = 86_400_000;

describe('treasury: statements', () => {
  const treasury = useTreasury();
  const { newId } = treasury;

  const statement = (query: Query = {}, user_id = treasury.group.m.user_id) =>
    treasury.as(user_id, contract.statement, { path: treasury.path(), query });
  const salary = (amount: number) => treasury.deposit(treasury.group.m.payout_wallet_id ?? '', amount);
  const wallet = () => treasury.wallet();
  /** Posts a payment of 1 by the member to the treasury, unless other values are given. */
  const post = (given: Parameters<typeof treasury.transfer>[0] = {}) =>
    treasury.transfer({ ...legs(wallet(), 'treasury', 1), ...given });
  /** Expects the error that another period must be chosen. */
  const expectWrongPeriod = async (query: Query = {}, user_id?: string) =>
    expect(await complaintOf(statement(query, user_id))).to.deep.equal(['validation_failed', 'from']);
  const on = (day: string) => (treasury.clock.stopped_at = new Date(`${day}T12:00:00.000Z`));

  it('is empty for a member without movements', async () => {
    const { id, m } = treasury.group;
    expect(await statement()).to.deep.include({
      association: { id, name: 'The group' },
      member: { id: m.member_id, user_id: m.user_id, display_name: null },
      currency: 'XAF',
      from: null,
      to: null,
      opening_balance: 0,
      closing_balance: 0,
      paid_in: 0,
      paid_out: 0,
      owes: 0,
      is_owed: 0,
      arrears: [],
      movements: [],
      ledger_head: { seq: 0, hash: '0'.repeat(64) },
    });
  });

  it('shows payments and payouts of the member, by wallet and in cash, in the order of the chain', async () => {
    await salary(1_000);
    const meeting_id = newId();
    await post({ reference: 'round 1', ...legs(wallet(), `pool:${meeting_id}`, 400) });
    const cash_id = await treasury.bringCash(250);
    // A payout of e-money and cash, to the member and to another member.
    const { m, t } = treasury.group;
    const settlement = await post({
      kind: 'settlement',
      member_id: null,
      legs: [
        { account: `pool:${meeting_id}`, amount_minor: -400 },
        { account: `wallet:${t.payout_wallet_id ?? ''}`, amount_minor: 100, member_id: t.member_id },
        { account: wallet(), amount_minor: 300, member_id: m.member_id },
        { account: 'cash_treasury', amount_minor: -50 },
        { account: 'cash_funding', amount_minor: 50, member_id: m.member_id },
      ],
    });
    const shown = await statement();
    const { movements } = shown;
    expect(movements.map((each) => [each.seq, each.kind, each.method, each.reference])).to.deep.equal([
      [1, 'contribution', 'wallet', 'round 1'],
      [2, 'cash_deposit', 'cash', 'in hand'],
      [3, 'settlement', 'wallet', null],
      [3, 'settlement', 'cash', null],
    ]);
    expect(movements.map((each) => each.amount)).to.deep.equal([400, 250, -300, -50]);
    expect(movements.map((each) => each.balance_after)).to.deep.equal([400, 650, 350, 300]);
    expect(shown).to.deep.include({ opening_balance: 0, closing_balance: 300, paid_in: 650, paid_out: 350 });
    expect(movements[1]?.transfer_id).to.equal(cash_id);
    expect(movements[2]?.hash).to.equal(settlement.hash);
    expect(shown.ledger_head).to.deep.equal({ seq: 3, hash: settlement.hash });
    const others = await statement({}, t.user_id);
    expect(others.movements.map((each) => each.amount)).to.deep.equal([-100]);
  });

  it('shows the meeting of each movement, and arrears separately from the balance, as contribution reports them', async () => {
    treasury.group = await treasury.newGroup('EUR');
    await salary(100);
    const first = await post({ currency: 'EUR' });
    const second = await post({ currency: 'EUR' });
    const meeting = { id: newId(), round: 3, title: null, due_on: '2026-02-01' };
    const arrears = { id: newId(), round: 1, title: 'First', due_on: '2026-01-01' };
    const since = '2026-01-02T10:00:00.000Z';
    treasury.contribution.facts = {
      meetings: [{ meeting, transfer_ids: [second.id] }],
      owes_minor: 200_050,
      is_owed_minor: 7,
      arrears: [{ meeting: arrears, owes_minor: 200_000, is_owed_minor: 7, since }],
    };
    const shown = await statement();
    expect(shown.movements.map((each) => each.meeting)).to.deep.equal([null, meeting]);
    expect(shown.movements.map((each) => each.amount)).to.deep.equal([0.01, 0.01]);
    expect(shown).to.deep.include({ closing_balance: 0.02, owes: 2_000.5, is_owed: 0.07 });
    expect(shown.arrears).to.deep.equal([{ meeting: arrears, owes: 2_000, is_owed: 0.07, since }]);
    const { member_id } = treasury.group.m;
    const asked = { ...treasury.path(), member_id, transfer_ids: [first.id, second.id] };
    expect(treasury.contribution.received(statementFacts)).to.deep.equal([asked]);
  });

  it('is unavailable while contribution cannot report the arrears', async () => {
    treasury.contribution.next(statementFacts, 'unavailable');
    expect(await outcomeOf(statement())).to.equal('SERVICE_NOT_AVAILABLE');
  });

  it('the cash ledger names the receiver of each cash payout of a transfer', async () => {
    await treasury.bringCash(250);
    const { m, s, t } = treasury.group;
    await post({
      kind: 'settlement',
      member_id: null,
      legs: [
        { account: 'cash_treasury', amount_minor: -50 },
        { account: 'cash_funding', amount_minor: 30, member_id: s.member_id },
        { account: 'cash_funding', amount_minor: 20, member_id: t.member_id },
      ],
    });
    expect((await treasury.cashLedger()).map((entry) => [entry.amount, entry.member_id])).to.deep.equal([
      [-20, t.member_id],
      [-30, s.member_id],
      [250, m.member_id],
    ]);
  });

  it('shows a period of whole days: earlier movements are in the opening balance, later ones are omitted', async () => {
    await salary(1_000);
    for (const [day, amount] of [
      ['2026-01-31', 10],
      ['2026-02-01', 20],
      ['2026-02-28', 30],
      ['2026-03-01', 40],
    ] as const) {
      on(day);
      await post(legs(wallet(), 'treasury', amount));
    }
    for (const [from, to, balances, amounts] of [
      ['2026-02-01', '2026-02-28', [10, 60], [20, 30]],
      ['2026-02-01', '2026-02-01', [10, 30], [20]],
      ['2026-03-01', null, [60, 100], [40]],
      [null, '2026-01-31', [0, 10], [10]],
    ] as const) {
      const shown = await statement({ ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) });
      expect([shown.from, shown.to]).to.deep.equal([from, to]);
      expect([shown.opening_balance, shown.closing_balance]).to.deep.equal(balances);
      expect(shown.movements.map((each) => each.amount)).to.deep.equal(amounts);
      expect(shown.ledger_head.seq).to.equal(4);
    }
  });

  it('does not include movements of the wallet in other associations', async () => {
    await salary(1_000);
    const elsewhere = await treasury.newGroup();
    await post({ association_id: elsewhere.id, ...legs(wallet(), 'treasury', 5) });
    expect((await statement()).movements).to.deep.equal([]);
  });

  it('is visible to the board, and to the member even after they have left', async () => {
    const { m, p, s, t } = treasury.group;
    await salary(10);
    await post();
    m.display_name = 'Awa';
    const of = (member_id: string, user_id = m.user_id) => statement({ member_id }, user_id);
    const roles = { required_roles: ['president', 'treasurer', 'secretary'] };
    expect(await refusalOf(of(t.member_id))).to.deep.equal({ code: 'role_not_allowed', extras: roles });
    expect(await outcomeOf(of(newId()))).to.equal('role_not_allowed');
    m.status = 'left';
    for (const reader of [m, p, t, s]) {
      const { member, closing_balance } = await of(m.member_id, reader.user_id);
      expect(member).to.deep.equal({ id: m.member_id, user_id: m.user_id, display_name: 'Awa' });
      expect(closing_balance).to.equal(1);
    }
    expect((await statement()).closing_balance).to.equal(1);
    expect(await outcomeOf(of(t.member_id))).to.equal('not_found');
    for (const unknown of [newId(), 'no-id']) expect(await outcomeOf(of(unknown, p.user_id))).to.equal('not_found');
    expect(await outcomeOf(statement({}, 'stranger'))).to.equal('not_found');
  });

  it('refuses a period that ends before it begins, before any other check', async () => {
    await expectWrongPeriod({ from: '2026-02-01', to: '2026-01-31' }, 'stranger');
  });

  it('refuses a period that has not yet begun in any time zone', async () => {
    for (const [now, begun, later] of [
      ['2026-02-01T09:59:59.999Z', '2026-02-01', '2026-02-02'],
      ['2026-02-01T10:00:00.000Z', '2026-02-02', '2026-02-03'],
    ] as const) {
      treasury.clock.stopped_at = new Date(now);
      expect((await statement({ from: begun })).movements).to.deep.equal([]);
      await expectWrongPeriod({ from: later });
    }
  });

  /** Inserts movements of tomorrow directly, because posting so many would take too long, and returns that day. */
  const fill = async (count: number, reference: string | null): Promise<string> => {
    await salary(10);
    const { id } = await post();
    const later = new Date(Date.now() + DAY_MS).toISOString();
    await treasury.sql(
      `INSERT INTO transfers (id, chain_id, seq, association_id, kind, legs, currency, reference, posted_at, prev_hash,
                              hash, request_hash)
       SELECT gen_random_uuid(), chain_id, 1 + n, association_id, kind, legs, currency, $4, $2, prev_hash, hash,
              request_hash
       FROM transfers, generate_series(1, $3::int) AS n WHERE id = $1`,
      id,
      later,
      count,
      reference,
    );
    await treasury.sql(
      `INSERT INTO entries (account_id, entry_no, transfer_id, amount, balance_after, member_id)
       SELECT account_id, transfers.seq + 1, transfers.id, amount, balance_after, entries.member_id
       FROM transfers, entries WHERE transfers.chain_id = $1 AND transfers.seq > 1 AND entries.transfer_id = $2`,
      treasury.group.id,
      id,
    );
    await treasury.sql('UPDATE chains SET seq = 1 + $2::bigint WHERE chain_id = $1', treasury.group.id, count);
    return later.slice(0, 10);
  };

  it('refuses more than 10 000 movements, which can be read by period', async () => {
    const later = await fill(10_000, null);
    await expectWrongPeriod();
    on(later);
    const shown = await statement({ from: later });
    expect(shown.movements).to.have.length(10_000);
    expect([shown.opening_balance, shown.closing_balance]).to.deep.equal([1, 10_001]);
  });

  it('refuses movements that do not fit into a message, even if they are few', async () => {
    const later = await fill(3_500, '𐍈'.repeat(500));
    await expectWrongPeriod();
    await expectWrongPeriod({ to: later });
    expect((await statement({ to: '2026-01-01' })).movements).to.deep.equal([]);
  });
});
