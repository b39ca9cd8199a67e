import { expect } from 'chai';
import type { EndpointInput } from '../../../lib/contracts/action.ts';
import { statementFacts } from '../../../lib/contracts/contribution.ts';
import * as contract from '../../../lib/contracts/treasury.ts';
import { problemExtras } from '../../../lib/errors/problem.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { legs, useTreasury } from '../../harness/treasury.ts';

type Query = EndpointInput<typeof contract.statement>['query'];
const DAY_MS = 86_400_000;

describe('treasury: statements', () => {
  const treasury = useTreasury();
  const { newId } = treasury;

  const statement = (query: Query = {}, user_id = treasury.group.m.user_id) =>
    treasury.as(user_id, contract.statement, { path: treasury.path(), query });
  const salary = (amount: number) => treasury.deposit(treasury.group.m.payout_wallet_id ?? '', amount, 'salary');
  const wallet = () => treasury.wallet();
  /** The member pays 1 into the treasury, unless told otherwise. */
  const post = (given: Parameters<typeof treasury.transfer>[0] = {}) =>
    treasury.transfer({ ...legs(wallet(), 'treasury', 1), ...given });
  const on = (day: string) => (treasury.clock.stopped_at = new Date(`${day}T12:00:00.000Z`));

  it('is empty for a member who has paid and got nothing', async () => {
    const shown = await statement();
    expect(shown).to.deep.include({
      association: { id: treasury.group.id, name: 'The group' },
      member: { id: treasury.group.m.member_id, user_id: treasury.group.m.user_id, display_name: null },
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

  it('shows what they paid in and what they were paid, by wallet and in cash, in the order of the chain', async () => {
    await salary(1_000);
    const meeting_id = newId();
    await post({ reference: 'round 1', ...legs(wallet(), `pool:${meeting_id}`, 400) });
    const cash_id = await treasury.bringCash(250);
    // A payout that needs both monies, to them and to another.
    const { t } = treasury.group;
    const settlement = await post({
      kind: 'settlement',
      member_id: null,
      legs: [
        { account: `pool:${meeting_id}`, amount_minor: -400 },
        { account: `wallet:${t.payout_wallet_id ?? ''}`, amount_minor: 100, member_id: t.member_id },
        { account: wallet(), amount_minor: 300, member_id: treasury.group.m.member_id },
        { account: 'cash_treasury', amount_minor: -50 },
        { account: 'cash_funding', amount_minor: 50, member_id: treasury.group.m.member_id },
      ],
    });
    const shown = await statement();
    expect(
      shown.movements.map((each) => [each.seq, each.kind, each.method, each.amount, each.balance_after]),
    ).to.deep.equal([
      [1, 'contribution', 'wallet', 400, 400],
      [2, 'cash_deposit', 'cash', 250, 650],
      [3, 'settlement', 'wallet', -300, 350],
      [3, 'settlement', 'cash', -50, 300],
    ]);
    expect(shown).to.deep.include({ opening_balance: 0, closing_balance: 300, paid_in: 650, paid_out: 350 });
    expect(shown.movements.map((each) => each.reference)).to.deep.equal(['round 1', 'in hand', null, null]);
    expect(shown.movements[1]?.transfer_id).to.equal(cash_id);
    expect(shown.movements[2]?.hash).to.equal(settlement.hash);
    expect(shown.ledger_head).to.deep.equal({ seq: 3, hash: settlement.hash });
    const others = await statement({}, t.user_id);
    expect(others.movements.map((each) => each.amount)).to.deep.equal([-100]);
  });

  it('names the meeting of each movement, and shows what is owed beside the balance, as contribution tells it', async () => {
    treasury.group = await treasury.newGroup('EUR');
    await salary(100);
    const [first, second] = [await post({ currency: 'EUR' }), await post({ currency: 'EUR' })];
    const meeting = { id: newId(), round: 3, title: null, due_on: '2026-02-01' };
    const [arrears, since] = [
      { id: newId(), round: 1, title: 'First', due_on: '2026-01-01' },
      '2026-01-02T10:00:00.000Z',
    ];
    treasury.contribution.facts = {
      meetings: [{ meeting, transfer_ids: [second.id] }],
      owes_minor: 200_050,
      is_owed_minor: 7,
      arrears: [{ meeting: arrears, owes_minor: 200_000, is_owed_minor: 7, since }],
    };
    const shown = await statement();
    expect(shown.movements.map((each) => each.meeting)).to.deep.equal([null, meeting]);
    expect(shown).to.deep.include({ closing_balance: 0.02, owes: 2_000.5, is_owed: 0.07 });
    expect(shown.arrears).to.deep.equal([{ meeting: arrears, owes: 2_000, is_owed: 0.07, since }]);
    const transfer_ids = [first.id, second.id];
    expect(treasury.contribution.received(statementFacts).at(-1)).to.deep.equal({
      association_id: treasury.group.id,
      member_id: treasury.group.m.member_id,
      transfer_ids,
    });
  });

  it('is none while what is owed cannot be told', async () => {
    treasury.contribution.next(statementFacts, 'away');
    expect(await outcomeOf(statement())).to.equal('SERVICE_NOT_AVAILABLE');
  });

  it('names the receiver of cash in the cash ledger, where a transfer pays several', async () => {
    await treasury.bringCash(250);
    await post({
      kind: 'settlement',
      member_id: null,
      legs: [
        { account: 'cash_treasury', amount_minor: -50 },
        { account: 'cash_funding', amount_minor: 30, member_id: treasury.group.s.member_id },
        { account: 'cash_funding', amount_minor: 20, member_id: treasury.group.t.member_id },
      ],
    });
    expect((await treasury.cashLedger()).map((entry) => [entry.amount, entry.member_id])).to.deep.equal([
      [-20, treasury.group.t.member_id],
      [-30, treasury.group.s.member_id],
      [250, treasury.group.m.member_id],
    ]);
  });

  it('shows a period of whole days: what was before is in the opening balance, what came after is not there', async () => {
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
    const shown = await statement({ from: '2026-02-01', to: '2026-02-28' });
    expect(shown).to.deep.include({ from: '2026-02-01', to: '2026-02-28', opening_balance: 10, closing_balance: 60 });
    expect(shown.movements.map((each) => [each.amount, each.balance_after])).to.deep.equal([
      [20, 30],
      [30, 60],
    ]);
    expect(shown.ledger_head.seq).to.equal(4);
    const rest = await statement({ from: '2026-03-01' });
    expect([rest.opening_balance, rest.closing_balance]).to.deep.equal([60, 100]);
    const before = await statement({ to: '2026-01-31' });
    expect([before.opening_balance, before.closing_balance]).to.deep.equal([0, 10]);
    const one = await statement({ from: '2026-02-01', to: '2026-02-01' });
    expect(one.movements.map((each) => each.amount)).to.deep.equal([20]);
  });

  it('does not count what a wallet does elsewhere', async () => {
    await salary(1_000);
    const elsewhere = await treasury.newGroup();
    await post({ association_id: elsewhere.id, ...legs(wallet(), 'treasury', 5) });
    expect((await statement()).movements).to.deep.equal([]);
  });

  it('remains to a member who has left, and their own alone', async () => {
    await salary(10);
    await post();
    treasury.group.m.status = 'left';
    expect((await statement()).closing_balance).to.equal(1);
    expect((await statement({ member_id: treasury.group.m.member_id })).closing_balance).to.equal(1);
    expect(await outcomeOf(statement({ member_id: treasury.group.t.member_id }))).to.equal('not_found');
  });

  it('shows another’s to the board, also of one who has left; a plain member only their own', async () => {
    await salary(10);
    await post();
    treasury.group.m.display_name = 'Awa';
    treasury.group.m.status = 'left';
    for (const { user_id } of [treasury.group.p, treasury.group.t, treasury.group.s]) {
      const shown = await statement({ member_id: treasury.group.m.member_id }, user_id);
      expect(shown.member).to.deep.equal({
        id: treasury.group.m.member_id,
        user_id: treasury.group.m.user_id,
        display_name: 'Awa',
      });
      expect(shown.closing_balance).to.equal(1);
    }
    treasury.group.m.status = 'active';
    const refused = await statement({ member_id: treasury.group.t.member_id }).catch((error: unknown) =>
      problemExtras(error),
    );
    expect(refused).to.deep.equal({ required_roles: ['president', 'treasurer', 'secretary'] });
    expect(await outcomeOf(statement({ member_id: newId() }))).to.equal('role_not_allowed');
    expect(await outcomeOf(statement({ member_id: newId() }, treasury.group.p.user_id))).to.equal('not_found');
    expect(await outcomeOf(statement({ member_id: 'no-id' }, treasury.group.p.user_id))).to.equal('not_found');
    expect(await outcomeOf(statement({}, 'stranger'))).to.equal('not_found');
  });

  it('refuses a period that ends before it begins, before all else', async () => {
    const query = { from: '2026-02-01', to: '2026-01-31' };
    const refusal = await statement(query, 'stranger').catch((error: unknown) => problemExtras(error));
    expect(refusal).to.have.nested.property('errors[0].pointer', 'from');
  });

  it('refuses a period that has begun nowhere on Earth yet', async () => {
    treasury.clock.stopped_at = new Date('2026-02-01T09:59:59.999Z');
    expect((await statement({ from: '2026-02-01' })).movements).to.deep.equal([]);
    expect(await pointerOf(statement({ from: '2026-02-02' }))).to.equal('from');
    treasury.clock.stopped_at = new Date('2026-02-01T10:00:00.000Z');
    expect((await statement({ from: '2026-02-02' })).movements).to.deep.equal([]);
    expect(await pointerOf(statement({ from: '2026-02-03' }))).to.equal('from');
  });

  /** Movements of a day to come, written past the ledger's rules: so many would take a while to post. */
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
      ...[id, later, count, reference],
    );
    await treasury.sql(
      `INSERT INTO entries (account_id, entry_no, transfer_id, amount, balance_after, member_id)
       SELECT account_id, transfers.seq + 1, transfers.id, amount, balance_after, entries.member_id
       FROM transfers, entries WHERE transfers.chain_id = $1 AND transfers.seq > 1 AND entries.transfer_id = $2`,
      ...[treasury.group.id, id],
    );
    await treasury.sql('UPDATE chains SET seq = 1 + $2::bigint WHERE chain_id = $1', treasury.group.id, count);
    return later.slice(0, 10);
  };
  const pointerOf = async (attempt: Promise<unknown>) => {
    const refusal = await attempt.catch((error: unknown) => problemExtras(error));
    return (refusal as { errors?: { pointer: string }[] }).errors?.[0]?.pointer;
  };

  it('refuses more movements than are read at once, and gives them by period', async () => {
    const later = await fill(10_000, null);
    expect(await pointerOf(statement())).to.equal('from');
    on(later);
    const shown = await statement({ from: later });
    expect(shown.movements).to.have.length(10_000);
    expect([shown.opening_balance, shown.closing_balance]).to.deep.equal([1, 10_001]);
  });

  it('refuses what a message does not hold, however few the movements', async () => {
    const later = await fill(3_500, '𐍈'.repeat(500));
    expect(await pointerOf(statement())).to.equal('from');
    expect(await pointerOf(statement({ to: later }))).to.equal('from');
    expect((await statement({ to: '2026-01-01' })).movements).to.deep.equal([]);
  });
});
