import { expect } from 'chai';
import fc from 'fast-check';
import * as contract from '../../../lib/contracts/contribution.ts';
import { requestApproval } from '../../../lib/contracts/governance.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { useContribution, type Person } from '../../harness/contribution.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { FINES, sheetActs } from '../../harness/sheets.ts';

describe('contribution: submitted meeting sheets', () => {
  const harness = useContribution();
  const { governance, treasury } = harness;
  const { line, put, submit, read, decide, submitted, boxOf, fine, fineOf } = sheetActs(harness);

  for (const decision of ['rejected', 'expired', 'cancelled'] as const) {
    it(`give everything back when they are ${decision}, and can be submitted again`, async () => {
      const group = await harness.cycle([1, 1], { fines: FINES });
      const { association_id, president, member, first } = group;
      const { id: fine_id } = await fine(group, member);
      const lines = [line(member, 10_000), line(member, 300, { kind: 'fine', fine_id })];
      const sheet = await submitted(president, first, lines);
      expect(await decide(sheet, decision)).to.deep.equal({ status: 'done', error: null });
      const draft = await read(president, sheet);
      expect(draft).to.deep.include({
        status: 'draft',
        approval_id: null,
        submitted_at: null,
        refusal: { approval_id: sheet.approval_id, decision, code: null },
      });
      const [failed] = await harness.contributions(president, first);
      expect(failed).to.include({ status: 'failed', outstanding: 10_000, transfer_id: null });
      const [event] = await harness.events(association_id, 'sheet.rejected');
      expect(event!.data).to.deep.include({ sheet_id: sheet.id, decision, code: null });
      expect(await harness.decisions(association_id)).to.deep.equal(['contribution.failed']);

      const again = await submit(president, draft);
      expect(again).to.include({ status: 'submitted', refusal: null });
      expect(again.approval_id).to.not.equal(sheet.approval_id);
      expect(await decide(again, 'approved', sheet.approval_id!)).to.deep.include({ status: 'failed' });
      expect(await decide(again)).to.deep.equal({ status: 'done', error: null });
      expect(await read(president, sheet)).to.include({ status: 'confirmed', refusal: null });
      expect(await fineOf(group, fine_id)).to.include({ status: 'paid' });
    });
  }

  it('are drafts again when the ledger refuses them', async () => {
    const { president, member, first } = await harness.cycle([1, 1]);
    const sheet = await submitted(president, first, [line(member, 10_000)]);
    treasury.next(transfer, problem('balance_limit_exceeded'));
    expect(await decide(sheet)).to.deep.equal({ status: 'failed', error: 'balance_limit_exceeded' });
    expect((await read(president, sheet)).refusal).to.include({ decision: 'approved', code: 'balance_limit_exceeded' });
    await harness.contribute(member, first, 10_000);
  });

  it('are drafts again when governance refuses the approval, or cannot be asked', async () => {
    const { president, member, first } = await harness.cycle([1, 1]);
    const draft = await put(president, first, harness.newId(), { lines: [line(member, 10_000)] });
    governance.next(requestApproval, problem('no_eligible_approver'));
    expect(await outcomeOf(submit(president, draft))).to.equal('no_eligible_approver');
    governance.next(requestApproval, 'unavailable', 'unavailable');
    expect(await outcomeOf(submit(president, draft))).to.equal('service_unavailable');
    expect(await read(president, draft)).to.deep.equal(draft);
    expect(await harness.contributions(president, first)).to.deep.equal([]);
    await harness.contribute(member, first, 10_000);
  });

  it('are in flight for settling and cancelling, and their members cannot leave', async () => {
    const { association_id, president, member, meeting } = await harness.groupWithMeeting();
    const obligations = async ({ member_id }: Person) =>
      (await harness.command(contract.obligations, { association_id, member_id, cycle_id: null })).has_arrears;
    const sheet = await submitted(president, meeting, [line(member, 100, { kind: 'treasury' })]);
    expect(await outcomeOf(harness.settle(president, meeting))).to.equal('contributions_in_flight');
    expect(await outcomeOf(harness.cancel(president, meeting))).to.equal('contributions_in_flight');
    expect([await obligations(member), await obligations(president)]).to.deep.equal([true, false]);
    const lock = { association_id, approval_id: harness.newId(), dry_run: true };
    expect(await harness.command(contract.lockAssociation, lock)).to.deep.equal({ remains: 'something' });
    await decide(sheet);
    expect(await obligations(member)).to.equal(false);
    await harness.settle(president, meeting);
    expect(await harness.statusOf(president, meeting)).to.equal('settled');
  });

  it('never take more than a due together with concurrent payments of it', async () => {
    const { president, member, first } = await harness.cycle([1, 1]);
    const drafts = await Promise.all(
      [1, 2, 3].map(() =>
        put(president, first, harness.newId(), { lines: [line(member, 6_000), line(president, 10_000)] }),
      ),
    );
    const acts = [
      ...drafts.map((draft) => submit(president, draft)),
      ...[1, 2, 3].map(() => harness.contribute(member, first, 6_000)),
    ];
    const outcomes = await Promise.all(acts.map((act) => outcomeOf(act)));
    const ok = outcomes.filter((outcome) => outcome === 'done');
    expect(ok, outcomes.join()).to.have.length(1);
    const [due] = await harness.sql<{ taken_minor: bigint }>(
      'SELECT taken_minor FROM dues WHERE meeting_id = $1 AND member_id = $2',
      first.id,
      member.member_id,
    );
    expect(Number(due!.taken_minor)).to.equal(6_000);
  });

  it('may have no lines, and then record the attendance without a transfer', async () => {
    const { association_id, president, member, meeting } = await harness.groupWithMeeting();
    const attendance = [{ member_id: member.member_id, status: 'absent' as const }];
    const sheet = await submitted(president, meeting, [], { attendance });
    const posted = treasury.posted().length;
    expect(await decide(sheet)).to.deep.equal({ status: 'done', error: null });
    expect(await read(president, sheet)).to.include({ status: 'confirmed', transfer_id: null });
    expect(treasury.posted()).to.have.length(posted);
    expect(await harness.countEvents(association_id, 'attendance.recorded')).to.equal(1);
  });

  for (const point of ['opening', 'opening.acted', 'submitted']) {
    for (const repeated of [false, true]) {
      it(`are submitted once, after the process died at ${point}${repeated ? ', and the request is repeated' : ''}`, async () => {
        const { president, member, first } = await harness.cycle([1, 1]);
        const draft = await put(president, first, harness.newId(), { lines: [line(member, 10_000)] });
        const key = harness.newId();
        await harness.dieAt(`contribution.sheet.${point}`, () => submit(president, draft, { key }));
        if (repeated) expect((await submit(president, draft, { key })).status).to.equal('submitted');
        await harness.recover(async () => {
          const [row] = await harness.sql('SELECT status FROM sheet_submissions WHERE sheet_id = $1', draft.id);
          expect(row!.status).to.equal('submitted');
        });
        expect(governance.approvalsOf(draft.id)).to.have.length(1);
        expect(await harness.countEvents(draft.association_id, 'sheet.submitted')).to.equal(1);
        await decide(draft);
        expect(await harness.due(member, first)).to.include({ paid: 10_000 });
      });
    }
  }

  for (const point of ['posting', 'posting.acted', 'confirmed']) {
    it(`are confirmed once, after the process died at ${point}`, async () => {
      const { president, member, first } = await harness.cycle([1, 1]);
      const sheet = await submitted(president, first, [line(member, 10_000)]);
      await harness.dieAt(`contribution.sheet.${point}`, () => decide(sheet));
      await harness.recover(async () => expect((await read(president, sheet)).status).to.equal('confirmed'));
      expect(await decide(sheet)).to.deep.equal({ status: 'done', error: null });
      expect(await harness.due(member, first)).to.include({ paid: 10_000 });
      expect(boxOf(first)).to.equal(10_000);
      expect(await harness.countEvents(first.association_id, 'contribution.paid')).to.equal(1);
    });
  }

  it('are decided even if the answer to the request for the approval was lost', async () => {
    const { president, member, first } = await harness.cycle([1, 1]);
    const draft = await put(president, first, harness.newId(), { lines: [line(member, 10_000)] });
    governance.next(requestApproval, 'answer_lost');
    expect(await outcomeOf(submit(president, draft))).to.equal('outcome_unknown');
    expect(await decide(draft)).to.deep.equal({ status: 'done', error: null });
    expect((await read(president, draft)).status).to.equal('confirmed');
    expect(await harness.eventTypes(first.association_id)).to.include.members(['sheet.submitted', 'sheet.confirmed']);
  });

  it('leave every due and balance as the same cash recorded one by one', async () => {
    const payments = fc.array(fc.record({ of: fc.nat(2), amount: fc.integer({ min: 1, max: 6_000 }) }), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(payments, async (paid) => {
        const [sheetwise, singly] = await Promise.all([harness.cycle([1, 1, 1]), harness.cycle([1, 1, 1])]);
        // What does not fit is left out of both.
        const left = [10_000, 10_000, 10_000];
        const fitting = paid.filter(({ of, amount }) => {
          if (left[of]! < amount) return false;
          left[of]! -= amount;
          return true;
        });
        const lines = fitting.map(({ of, amount }) => line(sheetwise.people[of]!, amount));
        await decide(await submitted(sheetwise.president, sheetwise.first, lines));
        for (const { of, amount } of fitting) await harness.bringCash(singly.first, singly.people[of]!, amount);
        const stateOf = async ({ association_id, president, first }: typeof singly) => {
          const dues = await harness.dues(president, first);
          const accounts = ['cash_funding', `cash_pool:${first.id}`, 'cash_treasury'];
          return [
            dues.map(({ due, paid, outstanding }) => [due, paid, outstanding]),
            accounts.map((account) => treasury.balance(`${association_id}/${account}`)),
            (await harness.getMeeting(president, first)).collected_amount,
          ];
        };
        expect(await stateOf(sheetwise)).to.deep.equal(await stateOf(singly));
      }),
      { numRuns: 10 },
    );
  });
});
