import { expect } from 'chai';
import type { Leg, Transfer } from './invariants.ts';
import { listAll, type World } from './world.ts';

export interface Fine {
  id: string;
  member_id: string;
  code: string;
  meeting_id: string | null;
  period: number;
  amount: number;
  paid: number;
  outstanding: number;
  status: 'due' | 'paid' | 'waived';
}
interface Line {
  kind: 'contribution' | 'fine' | 'treasury';
  member_id: string;
  amount: number;
  fine_id?: string;
}
interface Sheet {
  id: string;
  meeting_id: string;
  status: 'draft' | 'submitted' | 'confirmed' | 'reversed';
  lines: Line[];
  counted_cash: number;
  expected_cash: number;
  difference: number;
  transfer_id: string | null;
}

/** How often a sequence has reached what the rules are about. */
export type Reached = Record<
  | 'fines'
  | 'late_fines'
  | 'fine_payments'
  | 'partly_paid_fines'
  | 'waived_fines'
  | 'submitted_sheets'
  | 'confirmed_sheets'
  | 'fine_lines'
  | 'reversals'
  | 'reversed_sheets_or_fine_payments',
  number
>;

/** Checks the rules of fines and sheets. @returns how many there were */
export async function finesAndSheetsAddUp(world: World, transfers: readonly Transfer[]): Promise<Reached> {
  const { http } = world.group.members[0]!;
  // The answers are untyped JSON; a wrong shape fails the sums.
  const fines = (await listAll(http, `${world.group.path}/fines`)) as unknown as Fine[];
  const sheets = await listSheets(world);
  const ofKind = (...kinds: string[]) => transfers.filter(({ kind }) => kinds.includes(kind));
  const reversed = new Set(ofKind('reversal').map(({ reference }) => reference!));
  finesAreOnce(fines);
  finesAreTheirPayments(world, fines, sheets, ofKind('fine_payment'), reversed);
  await waiversAreApproved(world, fines);
  finesAvoidPots(world, transfers);
  sheetsAreTheirTransfers(sheets, ofKind('meeting_sheet'), reversed);
  await statementsShowFines(world, fines);
  const submitted = sheets.filter(({ status }) => status !== 'draft');
  const posted = submitted.filter(({ status }) => status !== 'submitted');
  return {
    fines: fines.length,
    late_fines: fines.filter(({ code }) => code === 'late').length,
    fine_payments: ofKind('fine_payment').length,
    partly_paid_fines: fines.filter(({ status, paid }) => status === 'due' && paid > 0).length,
    waived_fines: fines.filter(({ status }) => status === 'waived').length,
    submitted_sheets: submitted.length,
    confirmed_sheets: posted.length,
    fine_lines: posted.flatMap(({ lines }) => lines).filter(({ kind }) => kind === 'fine').length,
    reversals: reversed.size,
    reversed_sheets_or_fine_payments: ofKind('meeting_sheet', 'fine_payment').filter(({ id }) => reversed.has(id))
      .length,
  };
}

async function listSheets({ group, meetings }: World): Promise<Sheet[]> {
  const { http } = group.members[0]!;
  const lists = await Promise.all(meetings.map((meeting) => listAll(http, `${group.path}/meetings/${meeting}/sheets`)));
  return lists.flat() as unknown as Sheet[];
}

const sum = (amounts: readonly { amount: number }[]) => amounts.reduce((total, { amount }) => total + amount, 0);

/** A member has one fine for each rule, meeting and period. Manual fines without a meeting may be several. */
function finesAreOnce(fines: readonly Fine[]): void {
  const occasions = fines
    .filter(({ meeting_id }) => meeting_id !== null)
    .map(({ code, member_id, meeting_id, period }) => [code, member_id, meeting_id, period].join(' '));
  expect(new Set(occasions).size, 'one fine for each occasion').to.equal(occasions.length);
}

/** What is paid of a fine is the sum of its payments and lines that are not reversed; the rest is outstanding or waived. */
function finesAreTheirPayments(
  world: World,
  fines: readonly Fine[],
  sheets: readonly Sheet[],
  payments: readonly Transfer[],
  reversed: ReadonlySet<string>,
): void {
  const paid = new Map<string, number>();
  const add = (fine_id: string, amount: number) => paid.set(fine_id, (paid.get(fine_id) ?? 0) + amount);
  for (const { id, legs } of payments) {
    const known = world.finePayments.get(id);
    if (known === undefined) continue;
    expect(sumOfPositive(legs), `payment ${id}`).to.equal(known.amount);
    if (!reversed.has(id)) add(known.fine_id, known.amount);
  }
  if (world.uncertainFines.size === 0) expect(payments.length, 'payments').to.equal(world.finePayments.size);
  for (const line of sheets.filter(({ status }) => status === 'confirmed').flatMap(({ lines }) => lines)) {
    if (line.fine_id !== undefined) add(line.fine_id, line.amount);
  }
  for (const fine of fines) {
    const { id, amount, outstanding, status } = fine;
    if (!world.uncertainFines.has(id)) expect(fine.paid, `paid of fine ${id}`).to.equal(paid.get(id) ?? 0);
    expect(outstanding, `outstanding of fine ${id}`).to.equal(status === 'waived' ? 0 : amount - fine.paid);
    expect(status === 'paid', `fine ${id} is ${status}`).to.equal(fine.paid === amount);
  }
}

/** The waived fines are those whose waiver was approved and carried out. */
async function waiversAreApproved({ group }: World, fines: readonly Fine[]): Promise<void> {
  const { http } = group.members[0]!;
  const approvals = await listAll(http, `${group.path}/governance/approvals?subject_type=fine_waiver&status=approved`);
  const done = approvals
    .filter(({ execution }) => (execution as { status: string }).status === 'done')
    .map(({ payload }) => (payload as { fine_id: string }).fine_id);
  const waived = fines.filter(({ status }) => status === 'waived').map(({ id }) => id);
  expect(waived, 'waived').to.have.members(done);
}

const isPoolOf = (meeting: string) => {
  const names = [`pool:${meeting}`, `cash_pool:${meeting}`];
  return ({ account }: Leg) => names.includes(account);
};

/** Fines go into the treasury, and a pot pays out what was contributed to it. */
function finesAvoidPots({ meetings }: World, transfers: readonly Transfer[]): void {
  for (const { id, kind, legs } of transfers) {
    if (kind !== 'fine_payment') continue;
    const accounts = legs.map(({ account }) => account.replace(/^wallet:.*/, 'wallet'));
    expect(accounts, `accounts of ${id}`).to.deep.equal(['wallet', 'treasury']);
  }
  const ends = ['settlement', 'meeting_refund'];
  for (const meeting of meetings) {
    const isPool = isPoolOf(meeting);
    const pooled = (chosen: readonly Transfer[]) =>
      chosen.flatMap(({ legs }) => legs.filter(isPool)).reduce((total, leg) => total + leg.amount_minor, 0);
    const ended = transfers.filter(({ kind, legs }) => ends.includes(kind) && legs.some(isPool));
    expect(ended.length, `ends of meeting ${meeting}`).to.be.at.most(1);
    if (ended.length === 1) expect(pooled(transfers), `pot of meeting ${meeting}`).to.equal(0);
  }
}

/** A confirmed sheet has moved exactly its lines, in one transfer, and any other sheet has moved nothing. */
function sheetsAreTheirTransfers(
  sheets: readonly Sheet[],
  transfers: readonly Transfer[],
  reversed: ReadonlySet<string>,
): void {
  const byId = new Map(transfers.map((transfer) => [transfer.id, transfer]));
  let posted = 0;
  for (const { id, meeting_id, status, lines, transfer_id, ...cash } of sheets) {
    expect(cash.difference, `difference of sheet ${id}`).to.equal(cash.counted_cash - cash.expected_cash);
    if (status === 'draft' || status === 'submitted') {
      expect(transfer_id, `transfer of the ${status} sheet ${id}`).to.equal(null);
      continue;
    }
    posted += 1;
    const legs = byId.get(transfer_id!)?.legs ?? [];
    expect(reversed.has(transfer_id!), `sheet ${id} is ${status}`).to.equal(status === 'reversed');
    const isContribution = ({ kind }: Line) => kind === 'contribution';
    const received = legs.filter(({ account }) => account !== 'cash_funding');
    const into = (account: string, amount: number) => (amount === 0 ? [] : [{ account, amount_minor: amount }]);
    expect(received, `what sheet ${id} brought`).to.have.deep.members([
      ...into(`cash_pool:${meeting_id}`, sum(lines.filter(isContribution))),
      ...into('cash_treasury', sum(lines.filter((line) => !isContribution(line)))),
    ]);
    const members = [...new Set(lines.map(({ member_id }) => member_id))];
    const paid = legs.filter(({ account }) => account === 'cash_funding').map(({ amount_minor }) => amount_minor);
    const expected = members.map((member) => 0 - sum(lines.filter(({ member_id }) => member_id === member)));
    expect(paid, `what members paid on sheet ${id}`).to.have.members(expected);
  }
  expect(transfers.length, 'transfers of sheets').to.equal(posted);
}

function sumOfPositive(legs: readonly Leg[]): number {
  return legs.reduce((total, { amount_minor }) => total + Math.max(amount_minor, 0), 0);
}

/** Each statement shows what its member owes in fines. */
async function statementsShowFines({ group }: World, fines: readonly Fine[]): Promise<void> {
  for (const { http, member_id } of group.members) {
    const { fines_outstanding } = await http.ok(`${group.path}/statement`);
    const owed = fines.filter((fine) => fine.member_id === member_id);
    const expected = owed.reduce((total, { outstanding }) => total + outstanding, 0);
    expect(fines_outstanding, `fines of member ${member_id}`).to.equal(expected);
  }
}
