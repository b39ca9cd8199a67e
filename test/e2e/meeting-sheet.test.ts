import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { extractText, getDocumentProxy } from 'unpdf';
import { API_BASE } from '../../lib/contracts/api.ts';
import { sharedCluster, type Deployment } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup, type TestGroup } from '../harness/group.ts';
import type { Json } from '../harness/http.ts';
import {
  ask,
  cancelMeeting,
  contribute,
  done,
  openedMeeting,
  outcomeOf,
  putSheet,
  settle,
  startedRounds,
  submitSheet,
  vote,
} from '../harness/requests.ts';
import type { TestMember } from '../harness/test-member.ts';

const FINES = [{ code: 'phone', trigger: 'manual', amount: 50 }];

describe('a meeting sheet', function () {
  this.timeout(120_000);
  let cluster: Deployment;

  before(async () => {
    cluster = await sharedCluster();
  });

  const founded = async (
    size = 4,
  ): Promise<TestGroup & { officers: [TestMember, TestMember, TestMember, TestMember] }> => {
    const group = await foundGroup(cluster, {
      size,
      funding: 5_000,
      roles: ['president', 'treasurer'],
      association: { rules: { fines: FINES } },
    });
    return { ...group, officers: group.members as [TestMember, TestMember, TestMember, TestMember] };
  };
  let lines_made = 0;
  const line = ({ member_id }: TestMember, amount: number, more: Json = {}): Json => {
    lines_made += 1;
    return { line_id: String(lines_made), kind: 'contribution', member_id, amount, ...more };
  };
  const balances = ({ http, path }: TestMember) => http.ok(`${path}/balances`);
  const sheetOf = ({ http, path }: TestMember, { meeting_id, id }: Json) =>
    http.ok(`${path}/meetings/${meeting_id as string}/sheets/${id as string}`);

  /** The name and the text of a PDF. */
  const printed = async ({ http, path }: TestMember, place: string, language = 'en') => {
    const headers = { Authorization: `Bearer ${http.token}`, 'Accept-Language': language };
    const answer = await fetch(`${http.origin}${API_BASE}${path}${place}`, { headers });
    expect(answer.status).to.equal(200);
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(await answer.arrayBuffer())));
    const [, name = ''] = /filename="([a-z-]+)/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
    return { name, text: text.join(' ').replaceAll(/\s+/g, ' ') };
  };

  it('is printed as a form before the meeting, and as minutes once the board has confirmed it', async () => {
    const { officers } = await founded();
    const [president, treasurer, member] = officers;
    const [round = ''] = await startedRounds(president);
    const place = `/meetings/${round}/sheet.pdf`;
    const form = await printed(member, place);
    expect(form.name).to.match(/^sheet-/);
    expect(form.text).to.contain('Counted cash').and.contain('Signature');
    const lines = [line(member, 600), line(member, 75, { kind: 'treasury' })];
    const attendance = [{ member_id: member.member_id, status: 'late' }];
    const body = { lines, attendance, counted_cash: 670, note: 'Five are missing' };
    const draft = await done(putSheet(treasurer, round, randomUUID(), body));
    expect((await printed(member, place)).name).to.match(/^sheet-/);
    const asked = await printed(member, `${place}?sheet_id=${draft.id as string}`);
    expect(asked.text).to.contain('Draft: nothing of it is in the ledger');
    const { approval_id } = await done(submitSheet(treasurer, draft));
    await done(vote(president, approval_id));
    await eventually(async () => expect((await sheetOf(member, draft)).status).to.equal('confirmed'));
    const minutes = await printed(member, place, 'fr');
    expect(minutes.name).to.match(/^proces-verbal-/);
    const shown = ['en retard 600 75 400', 'Total 600 75', 'Espèces comptées 670', 'Écart -5', 'Five are missing'];
    for (const text of [...shown, 'Confirmée par le bureau', draft.sheet_hash]) {
      expect(minutes.text).to.contain(text);
    }
    const unknown = await member.http.get(`${member.path}${place}?sheet_id=${randomUUID()}`);
    expect([unknown.status, unknown.body.code]).to.deep.equal([404, 'not_found']);
  });

  it('moves the cash of a whole meeting in one transfer, once another member of the board approves it', async () => {
    const { officers, path } = await founded();
    const [president, treasurer, member, other] = officers;
    const [round = ''] = await startedRounds(president);
    const fine = await president.http.created(`${path}/fines`, {
      member_id: member.member_id,
      code: 'phone',
      reason: 'It rang',
    });
    const lines = [
      line(member, 600),
      line(member, 400),
      line(other, 1_000),
      line(treasurer, 1_000),
      line(member, 50, { kind: 'fine', fine_id: fine.id }),
      line(other, 25, { kind: 'treasury' }),
    ];
    const attendance = [{ member_id: member.member_id, status: 'late' }];
    const id = randomUUID();
    const body = { lines, attendance, counted_cash: 3_065, note: 'Ten are missing' };
    const written = await ask(putSheet(treasurer, round, id, body));
    expect([written.status, written.headers.get('location')]).to.deep.equal([
      201,
      `/association-service/api/v1${path}/meetings/${round}/sheets/${id}`,
    ]);
    expect(written.body).to.include({ status: 'draft', expected_cash: 3_075, difference: -10 });
    expect((await ask(putSheet(treasurer, round, id, body))).status).to.equal(200);
    expect(await outcomeOf(putSheet(treasurer, round, id, { ...body, counted_cash: 1 }))).to.equal(
      'precondition_required',
    );
    const read = await treasurer.http.get(`${path}/meetings/${round}/sheets/${id}`);
    const tag = read.headers.get('etag')!;
    expect(written.headers.get('etag')).to.equal(tag);
    const replaced = await ask(putSheet(treasurer, round, id, { ...body, counted_cash: 3_075 }), { 'If-Match': tag });
    expect([replaced.status, replaced.body.difference]).to.deep.equal([200, 0]);
    expect((await ask(putSheet(treasurer, round, id, body), { 'If-Match': tag })).status).to.equal(412);

    expect(await outcomeOf(submitSheet(treasurer, written.body))).to.equal('sheet_changed');
    const submitted = await ask(submitSheet(treasurer, replaced.body));
    expect(submitted.status, submitted.text).to.equal(200);
    const { approval_id } = submitted.body;
    expect(submitted.headers.get('location')).to.match(new RegExp(`/governance/approvals/${approval_id as string}$`));
    expect(await outcomeOf(submitSheet(treasurer, replaced.body))).to.equal('sheet_not_draft');
    expect(await outcomeOf(putSheet(treasurer, round, id, { ...body, counted_cash: 1 }))).to.equal('sheet_not_draft');
    expect(await outcomeOf(contribute(member, round, 1))).to.equal('contribution_exceeds_due');
    await done(contribute(president, round, 1_000));
    expect(await outcomeOf(settle(president, round))).to.equal('contributions_in_flight');
    expect(await outcomeOf(vote(treasurer, approval_id))).to.equal('own_request');
    const approval = await done(vote(president, approval_id));
    expect(approval).to.deep.include({ status: 'approved', subject_type: 'meeting_sheet', subject_id: id });
    expect((approval.payload as Json).sheet_hash).to.equal(replaced.body.sheet_hash);

    const confirmed = await eventually(async () => {
      const sheet = await sheetOf(member, submitted.body);
      expect(sheet.status).to.equal('confirmed');
      return sheet;
    });
    const { data } = await member.http.ok(`${path}/ledger`);
    const transfers = (data as Json[]).filter(({ kind }) => kind === 'meeting_sheet');
    expect(transfers.map(({ id: transfer_id }) => transfer_id)).to.deep.equal([confirmed.transfer_id]);
    expect(await balances(member)).to.deep.include({ treasury: 75, cash: 3_075 });
    const statement = await member.http.ok(`${path}/statement`);
    const [movement] = (statement.movements as Json[]).slice(-1);
    expect(movement).to.include({ kind: 'meeting_sheet', amount: 1_050, method: 'cash' });
    expect((movement!.meeting as Json).id).to.equal(round);
    expect(statement).to.include({ fines_outstanding: 0 });
    await done(settle(president, round));
    const listed = await member.http.ok(`${path}/meetings/${round}/sheets`);
    expect(listed.data).to.deep.equal([confirmed]);
  });

  it('is refused as a whole, or a draft again, and then takes nothing', async () => {
    const { officers, path } = await founded();
    const [president, treasurer, member] = officers;
    const [round = ''] = await startedRounds(president);
    const lines = [line(member, 1_000), line(member, 1), line(treasurer, 1, { kind: 'fine', fine_id: randomUUID() })];
    const draft = await done(putSheet(president, round, randomUUID(), { lines, counted_cash: 1_002 }));
    const refused = await ask(submitSheet(president, draft));
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'sheet_refused']);
    expect((refused.body.errors as Json[]).map(({ pointer, code }) => [pointer, code])).to.deep.equal([
      ['/lines/0/amount', 'contribution_exceeds_due'],
      ['/lines/1/amount', 'contribution_exceeds_due'],
      ['/lines/2/fine_id', 'not_found'],
    ]);
    const other = await done(
      putSheet(president, round, randomUUID(), { lines: lines.slice(0, 1), counted_cash: 1_000 }),
    );
    const { approval_id } = await done(submitSheet(president, other));
    await done(vote(treasurer, approval_id, 'reject'));
    const again = await eventually(async () => {
      const sheet = await sheetOf(member, other);
      expect(sheet.status).to.equal('draft');
      return sheet;
    });
    expect(again.refusal).to.deep.equal({ approval_id, decision: 'rejected', code: null });
    await done(contribute(member, round, 1_000));
    const { data } = await member.http.ok(`${path}/meetings/${round}/contributions`);
    expect((data as Json[]).map(({ status }) => status)).to.deep.equal(['paid', 'failed']);
  });

  it('needs another member of the board, and an open meeting', async () => {
    const [alone] = (await foundGroup(cluster, { size: 1 })).members as [TestMember];
    const kitty = await openedMeeting(alone);
    const draft = await done(putSheet(alone, kitty, randomUUID(), { lines: [], counted_cash: 0 }));
    expect(await outcomeOf(submitSheet(alone, draft))).to.equal('no_eligible_approver');
    const [president] = (await founded()).officers;
    const cancelled = await openedMeeting(president);
    const late = await done(putSheet(president, cancelled, randomUUID(), { lines: [], counted_cash: 0 }));
    await done(cancelMeeting(president, cancelled));
    expect(await outcomeOf(submitSheet(president, late))).to.equal('meeting_not_open');
  });

  it('may have 500 lines with UUIDs and notes, which are more than 64 KiB', async () => {
    const { officers } = await founded();
    const [president, treasurer, member] = officers;
    const kitty = await openedMeeting(president);
    const note = 'Brought by a neighbour, in small coins';
    const lines = Array.from({ length: 500 }, () => line(member, 1, { line_id: randomUUID(), note }));
    const body = { lines, counted_cash: 500 };
    expect(JSON.stringify(body).length).to.be.above(64 * 1_024);
    const draft = await done(putSheet(treasurer, kitty, randomUUID(), body));
    const { approval_id } = await done(submitSheet(treasurer, draft));
    await done(vote(president, approval_id));
    await eventually(async () => expect((await sheetOf(member, draft)).status).to.equal('confirmed'));
    expect(await balances(member)).to.include({ cash: 500 });
    const tooLarge = { lines: [], counted_cash: 0, note: 'x'.repeat(300_000) };
    expect(await outcomeOf(putSheet(treasurer, kitty, randomUUID(), tooLarge))).to.equal('body_too_large');
  });
});
