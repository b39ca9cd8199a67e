import canonicalize from 'canonicalize';
import { expect } from 'chai';
import { hash } from 'node:crypto';
import * as contract from '../../../lib/contracts/contribution.ts';
import { checkEligibility } from '../../../lib/contracts/governance.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { useContribution } from '../../harness/contribution.ts';
import { RIGHT_PIN } from '../../harness/fakes/membership.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { tagOf } from '../../harness/service-harness.ts';
import { FINES, sheetActs } from '../../harness/sheets.ts';

describe('contribution: meeting sheets', () => {
  const harness = useContribution();
  const { governance, treasury } = harness;
  const { line, put, submit, read, decide, submitted, fine, fineOf, errorsOf } = sheetActs(harness);

  it('are drafts under the id of the client, which keeps them for ever', async () => {
    const { president, member, first, second } = await harness.cycle([1, 1]);
    const id = harness.newId();
    const body = { lines: [line(president, 10_000), line(member, 4_000)], counted_cash: 14_000, note: 'Two coins' };
    const draft = await put(president, first, id, body);
    expect(harness.headOf(draft)).to.include({ status: 201 });
    expect(harness.headOf(draft).location).to.match(new RegExp(`/meetings/${first.id}/sheets/${id}$`));
    const { lines, attendance, counted_cash, note, meeting_id } = draft;
    expect(draft).to.deep.include({
      id,
      status: 'draft',
      expected_cash: 14_000,
      difference: 0,
      attendance: [],
      note: 'Two coins',
    });
    expect(draft).to.include({
      approval_id: null,
      transfer_id: null,
      refusal: null,
      submitted_at: null,
      confirmed_at: null,
    });
    const content = canonicalize({ meeting_id, lines, attendance, counted_cash, note })!;
    expect(draft.sheet_hash).to.equal(hash('sha256', content, 'hex'));

    const again = await put(president, first, id, body, { if_match: ['"earlier"'] });
    expect(harness.headOf(again).status).to.equal(200);
    expect(again).to.deep.equal(draft);
    expect(await read(member, draft)).to.deep.equal(draft);
    expect(await outcomeOf(put(president, second, id, body))).to.equal('not_found');
    expect(await outcomeOf(put(member, first, id, body))).to.equal('role_not_allowed');
    const { association_id, id: other } = await harness.scheduleMeeting(harness.group([1, 1]));
    expect(await outcomeOf(put(president, { association_id, id: other }, id, body))).to.equal('not_found');
    const listed = await harness.pages(
      member.user_id,
      contract.listSheets,
      { association_id: first.association_id, meeting_id },
      1,
    );
    expect(listed).to.deep.equal([draft]);
  });

  it('are replaced only with the tag of the draft that the caller has read', async () => {
    const { president, first } = await harness.cycle([1, 1]);
    const draft = await put(president, first, harness.newId(), { lines: [line(president, 10_000)] });
    const change = { lines: [line(president, 5_000)] };
    expect(await outcomeOf(put(president, first, draft.id, change))).to.equal('precondition_required');
    expect(await outcomeOf(put(president, first, draft.id, change, { if_match: ['"earlier"'] }))).to.equal(
      'precondition_failed',
    );
    expect(await outcomeOf(put(president, first, harness.newId(), change, { if_match: '*' }))).to.equal(
      'precondition_failed',
    );
    const changed = await put(president, first, draft.id, change, { if_match: [tagOf(draft)] });
    expect(harness.headOf(changed)).to.include({ status: 200 });
    expect([changed.expected_cash, changed.created_at]).to.deep.equal([5_000, draft.created_at]);
    const both = [6_000, 7_000].map((amount) =>
      outcomeOf(put(president, first, draft.id, { lines: [line(president, amount)] }, { if_match: [tagOf(changed)] })),
    );
    expect((await Promise.all(both)).toSorted()).to.deep.equal(['done', 'precondition_failed']);
  });

  it('are not written in a closed association, and of a change it matters first whether the draft was read', async () => {
    const { association_id, president, first } = await harness.cycle([1, 1]);
    const body = { lines: [line(president, 10_000)] };
    const { id } = await put(president, first, harness.newId(), body);
    harness.membership.association(association_id).terms.status = 'closed';
    expect(await outcomeOf(put(president, first, id, body))).to.equal('association_closed');
    expect(await outcomeOf(put(president, first, id, { lines: [] }))).to.equal('precondition_required');
  });

  it('are stored once by concurrent requests with the same content, and refuse the others', async () => {
    const { president, first } = await harness.cycle([1, 1]);
    const id = harness.newId();
    const lines = [line(president, 10_000)];
    const outcomes = await Promise.all([1, 2, 3].map(() => put(president, first, id, { lines })));
    expect(outcomes.map((each) => harness.headOf(each).status).toSorted()).to.deep.equal([200, 200, 201]);
    const other = harness.newId();
    const contents = [1, 2, 3].map((amount) =>
      outcomeOf(put(president, first, other, { lines: [line(president, amount)] })),
    );
    expect((await Promise.all(contents)).toSorted()).to.deep.equal([
      'done',
      'precondition_required',
      'precondition_required',
    ]);
  });

  it('refuse lines that contradict themselves, and amounts that the currency does not have', async () => {
    const { president, member, first } = await harness.cycle([1, 1]);
    const same = line(president, 1_000);
    const fine_id = harness.newId();
    const wrong = [same, same, line(member, 1, { kind: 'fine' }), line(member, 1, { fine_id })];
    expect(await errorsOf(put(president, first, harness.newId(), { lines: wrong }))).to.deep.equal([
      'validation_failed',
      [
        ['/lines/1/line_id', 'not_allowed'],
        ['/lines/2/fine_id', 'required'],
        ['/lines/3/fine_id', 'not_allowed'],
      ],
    ]);
    const fractions = { lines: [line(president, 1), line(president, 1.5)], counted_cash: 0.5 };
    expect(await errorsOf(put(president, first, harness.newId(), fractions))).to.deep.equal([
      'amount_precision',
      [
        ['/lines/1/amount', 'amount_precision'],
        ['/counted_cash', 'amount_precision'],
      ],
    ]);
    expect(await errorsOf(put(president, first, 'no uuid'))).to.deep.equal([
      'validation_failed',
      [['sheet_id', 'malformed']],
    ]);
    const twice = { member_id: member.member_id, status: 'late' as const };
    expect(await outcomeOf(put(president, first, harness.newId(), { attendance: [twice, twice] }))).to.equal(
      'validation_failed',
    );
  });

  it('take every due and fine when they are submitted, and move all in one transfer once approved', async () => {
    const group = await harness.cycle([1, 2, 1], { fines: FINES });
    const { association_id, president, member, people, first } = group;
    const third = people[2]!;
    const { id: fine_id } = await fine(group, member);
    const lines = [
      line(member, 15_000),
      line(member, 5_000),
      line(third, 10_000),
      line(member, 200, { kind: 'fine', fine_id }),
      line(third, 1_000, { kind: 'treasury', note: 'A gift' }),
    ];
    const attendance = [
      { member_id: member.member_id, status: 'present' as const },
      { member_id: third.member_id, status: 'represented' as const, represented_by_member_id: member.member_id },
    ];
    const sheet = await submitted(president, first, lines, { attendance });
    expect(sheet).to.include({ status: 'submitted', transfer_id: null, expected_cash: 31_200, difference: 0 });
    expect(harness.headOf(sheet)).to.include({ status: 200 });
    expect(harness.headOf(sheet).location).to.match(new RegExp(`/governance/approvals/${sheet.approval_id!}$`));
    const { payload, ...opened } = governance.approvalOf(sheet.id);
    expect(opened).to.include({
      subject_type: 'meeting_sheet',
      concerned_member_id: null,
      requested_by_member_id: president.member_id,
    });
    expect(payload).to.deep.equal({
      meeting_id: first.id,
      lines,
      attendance,
      counted_cash: 31_200,
      note: null,
      expected_cash: 31_200,
      difference: 0,
      currency: 'XAF',
      sheet_hash: sheet.sheet_hash,
    });
    expect(await outcomeOf(harness.contribute(member, first, 1))).to.equal('contribution_exceeds_due');
    expect(await fineOf(group, fine_id)).to.include({ paid: 0, outstanding: 300 });
    expect(await outcomeOf(put(president, first, sheet.id, { lines: [] }))).to.equal('sheet_not_draft');
    expect(await outcomeOf(put(president, first, sheet.id, { counted_cash: 0.5 }))).to.equal('amount_precision');
    expect(await outcomeOf(submit(president, sheet))).to.equal('sheet_not_draft');

    expect(await decide(sheet)).to.deep.equal({ status: 'done', error: null });
    expect(await decide(sheet)).to.deep.equal({ status: 'done', error: null });
    const confirmed = await read(member, sheet);
    expect(confirmed).to.include({ status: 'confirmed', approval_id: sheet.approval_id });
    const posted = treasury.inputs.get(confirmed.transfer_id!)!;
    expect(posted.kind).to.equal('meeting_sheet');
    expect(JSON.parse(JSON.stringify(posted.legs))).to.deep.equal([
      { account: 'cash_funding', amount_minor: -20_200, member_id: member.member_id },
      { account: 'cash_funding', amount_minor: -11_000, member_id: third.member_id },
      { account: `cash_pool:${first.id}`, amount_minor: 30_000 },
      { account: 'cash_treasury', amount_minor: 1_200 },
    ]);
    const contributions = await harness.contributions(president, first);
    expect(
      contributions.map(({ amount, status, method, transfer_id }) => [amount, status, method, transfer_id]),
    ).to.have.deep.members([
      [15_000, 'paid', 'cash', confirmed.transfer_id],
      [5_000, 'paid', 'cash', confirmed.transfer_id],
      [10_000, 'paid', 'cash', confirmed.transfer_id],
    ]);
    const one = await harness.getContribution(president, first, contributions[0]!.id);
    expect(one).to.deep.equal(contributions[0]);
    expect(await harness.due(member, first)).to.include({ paid: 20_000, outstanding: 0 });
    expect(await fineOf(group, fine_id)).to.include({ paid: 200, outstanding: 100, status: 'due' });
    const came = await harness.as(president.user_id, contract.getAttendance, {
      path: { association_id, meeting_id: first.id },
    });
    expect(came.entries.map(({ status }) => status)).to.have.members(['present', 'represented']);
    const types = (await harness.eventTypes(association_id)).filter((type) => !/^(cycle|meeting)\./.test(type));
    expect(types).to.deep.equal([
      'fine.assessed',
      'sheet.submitted',
      'attendance.recorded',
      'contribution.paid',
      'contribution.paid',
      'contribution.paid',
      'fine.paid',
      'sheet.confirmed',
    ]);
    const [event] = await harness.events(association_id, 'sheet.confirmed');
    expect(event!.data).to.deep.include({
      sheet_id: sheet.id,
      amount_minor: 31_200,
      transfer_id: confirmed.transfer_id,
    });
    const facts = await harness.command(contract.statementFacts, {
      association_id,
      member_id: member.member_id,
      transfer_ids: [confirmed.transfer_id!],
    });
    expect(facts.meetings.map(({ meeting, transfer_ids }) => [meeting.id, transfer_ids])).to.deep.equal([
      [first.id, [confirmed.transfer_id]],
    ]);
    expect(await outcomeOf(put(president, first, sheet.id, { lines: [] }, { if_match: '*' }))).to.equal(
      'sheet_not_draft',
    );
  });

  it('name every line that cannot be taken, and take nothing', async () => {
    const group = await harness.cycle([1, 1], { fines: FINES });
    const { president, member, first } = group;
    const [due, paid, theirs] = await Promise.all([fine(group, member), fine(group, member), fine(group, member)]);
    await harness.as(member.user_id, contract.payFine, {
      path: { association_id: group.association_id, fine_id: paid.id },
      body: { wallet_id: member.wallet_id, amount: 300, pin: RIGHT_PIN },
    });
    const stranger = { ...member, member_id: harness.newId() };
    const lines = [
      line(president, 10_000),
      line(member, 6_000),
      line(member, 6_000),
      line(stranger, 1),
      line(member, 200, { kind: 'fine', fine_id: due.id }),
      line(member, 200, { kind: 'fine', fine_id: due.id }),
      line(member, 100, { kind: 'fine', fine_id: paid.id }),
      line(president, 100, { kind: 'fine', fine_id: theirs.id }),
      line(stranger, 1, { kind: 'treasury' }),
    ];
    const attendance = [{ member_id: stranger.member_id, status: 'late' as const }];
    const draft = await put(president, first, harness.newId(), { lines, attendance });
    expect(await errorsOf(submit(president, draft))).to.deep.equal([
      'sheet_refused',
      [
        ['/lines/1/amount', 'contribution_exceeds_due', 10_000],
        ['/lines/2/amount', 'contribution_exceeds_due', 10_000],
        ['/lines/3/member_id', 'not_found'],
        ['/lines/3/amount', 'contribution_exceeds_due', 0],
        ['/lines/4/amount', 'fine_exceeded', 300],
        ['/lines/5/amount', 'fine_exceeded', 300],
        ['/lines/6/fine_id', 'fine_not_due'],
        ['/lines/7/fine_id', 'not_found'],
        ['/lines/8/member_id', 'not_found'],
        ['/attendance/0/member_id', 'not_found'],
      ],
    ]);
    expect(await read(president, draft)).to.deep.equal(draft);
    expect(await harness.contributions(president, first)).to.deep.equal([]);
    expect(governance.approvalsOf(draft.id)).to.deep.equal([]);
    // Nothing is taken of what the right lines would have taken.
    await harness.contribute(president, first, 10_000);
  });

  it('are submitted by the board only, as they were shown, with a note about a difference, for an open meeting', async () => {
    const { president, member, first, pay } = await harness.cycle([1, 1]);
    const draft = await put(president, first, harness.newId(), { lines: [line(member, 1_000)], counted_cash: 900 });
    expect(draft.difference).to.equal(-100);
    expect(await outcomeOf(submit(member, draft))).to.equal('role_not_allowed');
    expect(await outcomeOf(submit(president, draft, { sheet_hash: '0'.repeat(64) }))).to.equal('sheet_changed');
    expect(await errorsOf(submit(president, draft))).to.deep.equal(['validation_failed', [['/note', 'required']]]);
    const noted = await put(
      president,
      first,
      draft.id,
      { lines: draft.lines, counted_cash: 900, note: 'A coin is missing' },
      { if_match: [tagOf(draft)] },
    );
    governance.next(checkEligibility, problem('no_eligible_approver'));
    expect(await outcomeOf(submit(president, noted))).to.equal('no_eligible_approver');
    await pay(first);
    await harness.settle(president, first);
    expect(await outcomeOf(submit(president, noted))).to.equal('meeting_not_open');
    expect(await outcomeOf(submit(president, { ...noted, id: harness.newId() }))).to.equal('not_found');
  });

  it('keep what the cash box held when they were submitted', async () => {
    const { association_id, president, member, meeting } = await harness.groupWithMeeting();
    treasury.balances.set(`${association_id}/cash_funding`, -500n);
    const draft = await put(president, meeting, harness.newId(), {
      lines: [line(member, 100)],
      counted_cash: 650,
      note: 'More',
    });
    expect(draft).to.include({ expected_cash: 600, difference: 50 });
    treasury.balances.set(`${association_id}/cash_funding`, -550n);
    const sheet = await submit(president, draft);
    expect(sheet).to.include({ expected_cash: 650, difference: 0 });
    await decide(sheet);
    expect(await read(president, sheet)).to.include({ expected_cash: 650, difference: 0, status: 'confirmed' });
  });
});
