import { expect } from 'chai';
import * as contract from '../../../lib/contracts/treasury.ts';
import { problem, problemExtras } from '../../../lib/errors/problem.ts';
import { eventually } from '../../harness/eventually.ts';
import { RIGHT_PIN } from '../../harness/fake-membership.ts';
import { codeOf, newId, TreasuryBench } from '../../harness/treasury.ts';
import type { TestAssociation } from '../../harness/treasury.ts';

const DONE = { status: 'done', error: null };

describe('treasury: cash for a meeting', () => {
  let bench: TreasuryBench;
  let group: TestAssociation;
  let meeting_id: string;

  before(async () => {
    bench = await TreasuryBench.start();
  });
  after(() => bench.stop());
  beforeEach(async () => {
    group = await bench.group();
    meeting_id = newId();
    bench.reached = () => undefined;
    bench.contribution.refusal = undefined;
    bench.contribution.mishaps.length = 0;
    bench.governance.mishaps.length = 0;
  });

  const path = () => ({ association_id: group.id });
  const record = (given: object = {}) =>
    bench.as(group.t.user_id, contract.recordCashContribution, {
      path: path(),
      body: { member_id: group.m.member_id, amount: 500, reason: 'in hand', pin: RIGHT_PIN, meeting_id, ...given },
    });
  const balances = () => bench.as(group.m.user_id, contract.balances, { path: path() });
  const stored = async () => {
    const rows = await bench.sql<{ id: string; status: string }>(
      'SELECT id, status FROM cash_deposits WHERE association_id = $1',
      group.id,
    );
    return rows[0];
  };
  const status = async () => (await stored())?.status;
  const events = () =>
    bench.sql<{ type: string; data: { meeting_id: string } }>(
      `SELECT type, event->'data' AS data FROM outbox
       WHERE association_id = $1 AND type <> 'transfer.posted' ORDER BY position`,
      group.id,
    );
  const decided = (id: string) => bench.contribution.decided.get(id);
  const obliged = async () =>
    (await bench.command(contract.obligations, { ...path(), member_id: group.m.member_id })).pending;

  it('takes the due when it is recorded, before the board is asked', async () => {
    const deposit = await record();
    expect(deposit).to.deep.include({ meeting_id, status: 'pending_approval', amount: 500 });
    expect(bench.contribution.taken.get(deposit.id)).to.deep.equal({
      ...path(),
      meeting_id,
      contribution_id: deposit.id,
      member_id: group.m.member_id,
      amount_minor: 500,
      currency: 'XAF',
    });
    expect(bench.governance.approvalOf(deposit.id).payload).to.deep.include({ meeting_id, amount: 500 });
    expect(decided(deposit.id)).to.equal(undefined);
    expect((await balances()).pools).to.deep.equal([]);
    expect(await obliged()).to.equal(true);
  });

  it('puts approved cash into the meeting’s pool once, and says that it is paid', async () => {
    const { id } = await record();
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => bench.decide(id, 'approved')));
    outcomes.push(await bench.decide(id, 'approved'));
    for (const outcome of outcomes) expect(outcome).to.deep.equal(DONE);
    expect(decided(id)).to.deep.equal({ paid: true, code: null });
    expect(await balances()).to.deep.include({
      treasury: 0,
      cash: 500,
      available: 0,
      pools: [{ meeting_id, amount: 500, cash_amount: 500 }],
    });
    const { data } = await bench.as(group.m.user_id, contract.cashLedger, { path: path() });
    expect(data).to.have.length(1);
    expect(data[0]).to.include({ id, kind: 'cash_contribution', amount: 500, member_id: group.m.member_id });
    expect((await events()).map(({ type, data: { meeting_id: of } }) => [type, of])).to.deep.equal([
      ['cash.recorded', meeting_id],
      ['cash.confirmed', meeting_id],
    ]);
    expect(await obliged()).to.equal(false);
  });

  for (const decision of ['rejected', 'expired', 'cancelled'] as const) {
    it(`gives the due back when the approval is ${decision}`, async () => {
      const { id } = await record();
      expect(await bench.decide(id, decision)).to.deep.equal(DONE);
      expect(await bench.decide(id, decision)).to.deep.equal(DONE);
      expect(decided(id)).to.deep.equal({ paid: false, code: decision });
      expect(await balances()).to.deep.include({ cash: 0, pools: [] });
      expect((await events()).map((event) => event.type)).to.deep.equal(['cash.recorded', 'cash.rejected']);
      expect(await obliged()).to.equal(false);
    });
  }

  it('gives the due back when the ledger refuses the cash, and says why', async () => {
    const full = Number.MAX_SAFE_INTEGER - 100;
    await bench.command(contract.transfer, {
      ...{ id: newId(), association_id: group.id, kind: 'cash_deposit', currency: 'XAF', reference: null },
      ...{ payer_user_id: null, member_id: null },
      legs: [
        { account: 'cash_funding', amount_minor: -full },
        { account: 'cash_treasury', amount_minor: full },
      ],
    });
    const { id } = await record();
    const failed = { status: 'failed', error: 'balance_limit_exceeded' };
    expect(await bench.decide(id, 'approved')).to.deep.equal(failed);
    expect(await bench.decide(id, 'approved')).to.deep.equal(failed);
    expect(decided(id)).to.deep.equal({ paid: false, code: 'balance_limit_exceeded' });
    expect(await status()).to.equal('rejected');
  });

  for (const [code, extras] of [
    ['not_found', {}],
    ['meeting_not_open', {}],
    ['contribution_exceeds_due', { outstanding: 120 }],
  ] as const) {
    it(`refuses with ${code} as the contribution service does, and asks no board`, async () => {
      bench.contribution.refusal = problem(code, extras);
      const refusal = await record().then(
        () => undefined,
        (error: unknown) => error,
      );
      expect((refusal as { type: string }).type).to.equal(code);
      expect(problemExtras(refusal)).to.deep.equal(extras);
      const plan = await stored();
      expect(plan?.status).to.equal('refused');
      expect(() => bench.governance.approvalOf(plan?.id ?? '')).to.throw();
      expect(await events()).to.deep.equal([]);
      expect(await obliged()).to.equal(false);
    });
  }

  it('gives the due back when governance opens no approval', async () => {
    bench.governance.mishaps.push('refused');
    expect(await codeOf(record())).to.equal('no_eligible_approver');
    const { id, status: state } = (await stored())!;
    expect([state, decided(id)]).to.deep.equal(['refused', { paid: false, code: 'no_eligible_approver' }]);
    expect(await events()).to.deep.equal([]);
  });

  it('gives the due back when governance is away, so that one may simply try again', async () => {
    bench.governance.mishaps.push('away');
    expect(await codeOf(record())).to.equal('service_unavailable');
    const { id, status: state } = (await stored())!;
    expect([state, decided(id)]).to.deep.equal(['refused', { paid: false, code: 'service_unavailable' }]);
  });

  it('says what governance said though the due can only be given back later', async () => {
    bench.governance.mishaps.push('refused');
    bench.contribution.mishaps.push('none', 'away', 'request_lost');
    expect(await codeOf(record())).to.equal('no_eligible_approver');
    await eventually(async () => expect(await status()).to.equal('refused'));
    expect(decided((await stored())!.id)).to.deep.equal({ paid: false, code: 'no_eligible_approver' });
  });

  it('keeps no record when the contribution service is away', async () => {
    bench.contribution.mishaps.push('away');
    expect(await codeOf(record())).to.equal('service_unavailable');
    expect(await status()).to.equal('refused');
  });

  for (const mishap of ['request_lost', 'answer_lost'] as const) {
    it(`takes the due once and goes on after the ${mishap.replace('_', ' was ')}`, async () => {
      bench.contribution.mishaps.push(mishap);
      expect(await codeOf(record())).to.equal('outcome_unknown');
      await eventually(async () => expect(await status()).to.equal('pending_approval'));
      expect(bench.contribution.taken.has((await stored())!.id)).to.equal(true);
    });

    it(`confirms once after the ${mishap.replace('_', ' was ')} that it is paid`, async () => {
      const { id } = await record();
      bench.contribution.mishaps.push(mishap);
      expect(await codeOf(bench.decide(id, 'approved'))).to.equal('internal_error');
      await eventually(async () => expect(await status()).to.equal('confirmed'));
      expect(await balances()).to.deep.include({ cash: 500 });
    });
  }

  const stopAt = (step: string) => {
    let stops = 1;
    bench.reached = (at) => {
      if (at === `treasury.cash_deposit.${step}` && stops-- > 0) throw new Error('stopped');
    };
    return () => stops < 1;
  };

  for (const step of ['taking', 'taking.acted', 'recording.acted']) {
    it(`comes to the board once after a stop at ${step}`, async () => {
      const stopped = stopAt(step);
      await codeOf(record());
      await eventually(async () => expect(await status()).to.equal('pending_approval'));
      expect((await events()).map((event) => event.type)).to.deep.equal(['cash.recorded']);
      expect(stopped()).to.equal(true);
    });
  }

  it('never was, and has given its due back, after a stop at withdrawing.acted', async () => {
    const stopped = stopAt('withdrawing.acted');
    bench.governance.mishaps.push('refused');
    expect(await codeOf(record())).to.equal('no_eligible_approver');
    await eventually(async () => expect(await status()).to.equal('refused'));
    expect(decided((await stored())!.id)?.paid).to.equal(false);
    expect(stopped()).to.equal(true);
  });

  const ENDS = {
    approved: { steps: ['confirming', 'confirming.acted', 'crediting.acted'], state: 'confirmed', cash: 500 },
    rejected: { steps: ['dropping', 'dropping.acted'], state: 'rejected', cash: 0 },
  } as const;
  for (const [decision, { steps, state, cash }] of Object.entries(ENDS)) {
    for (const step of steps) {
      it(`ends ${state} after a stop at ${step}, without a further word from governance`, async () => {
        const { id } = await record();
        const stopped = stopAt(step);
        expect(await codeOf(bench.decide(id, decision as 'approved'))).to.equal('internal_error');
        await eventually(async () => expect(await status()).to.equal(state));
        expect(await balances()).to.deep.include({ cash });
        expect(decided(id)?.paid).to.equal(decision === 'approved');
        expect(await events()).to.have.length(2);
        expect(stopped()).to.equal(true);
      });
    }
  }
});
