/** The work of people at and after a meeting: attendance, fines, sheets and corrections. */
import { randomUUID } from 'node:crypto';
import type { Json } from '../harness/http.ts';
import { amountOf, askForVotes, meetingOf, otherMember, post, walletOf, write, type Work } from './work.ts';
import { pick } from './world.ts';

/** Of the association's contribution amount: the lines of a sheet fit into most dues. */
const LINE_PERCENT = 10;
const STATUSES = ['present', 'late', 'excused'];
/** The kinds of transfers that can be reversed, which are chosen more often than the others. */
const REVERSIBLE = new Set([
  'contribution',
  'cash_contribution',
  'cash_deposit',
  'fine_payment',
  'meeting_sheet',
  'distribution_payment',
]);
const LATEST_MAX = 20;

/** Returns what is listed at a path of the association; nothing if it is refused. */
async function rowsAt({ person, group }: Work, where: string): Promise<Json[]> {
  const { isDone, body } = await person.client.request('GET', group.path + where);
  return isDone === true ? (body?.data as Json[]) : [];
}

/** Returns the latest fines that are not paid. */
export function dueFines(work: Work): Promise<Json[]> {
  return rowsAt(work, `/fines?status=due&limit=${String(LATEST_MAX)}`);
}

/** One of the members is absent. */
function attendanceOf(work: Work): Json[] {
  const { group, task } = work;
  const absent = otherMember(work);
  return group.members.map((member, index) => {
    const status = member === absent ? 'absent' : pick(STATUSES, task.what + index);
    return { member_id: member.member_id, status };
  });
}

export async function recordAttendance(work: Work): Promise<void> {
  const meeting = meetingOf(work);
  if (meeting === undefined) return;
  const path = `${work.group.path}/meetings/${meeting}/attendance`;
  await write(work, 'attendance', 'PUT', path, { body: { entries: attendanceOf(work) } }, meeting);
}

/** Of several fines for one meeting, all but the first are refused. The fined member mostly pays next. */
export async function assessFine(work: Work): Promise<void> {
  const { what, flag } = work.task;
  const meeting_id = flag ? meetingOf(work) : undefined;
  const more = meeting_id === undefined ? {} : { meeting_id };
  const body = { member_id: otherMember(work)?.member_id, code: 'phone', reason: `It rang ${String(what)} times` };
  const fine = await post(work, 'fine', '/fines', { ...body, ...more });
  const fined = otherMember(work)?.person;
  if (fine !== undefined && what % 4 > 0) fined?.errands.push(() => payOf({ ...work, person: fined }, fine));
}

export async function payFine(work: Work): Promise<void> {
  const fine = pick(await dueFines(work), work.task.other);
  if (fine !== undefined) await payOf(work, fine);
}

async function payOf(work: Work, fine: Json): Promise<void> {
  const { task, person } = work;
  const amount = Math.floor(((fine.outstanding as number) * task.percent) / 100);
  const body = { wallet_id: walletOf(work), amount };
  await post(work, 'fine_payment', `/fines/${fine.id as string}/pay`, body, person.pin);
}

/** Writes a sheet and submits it. Some sheets are written twice with the same content, which must change nothing. */
export async function writeSheet(work: Work): Promise<void> {
  const { group, task, person, world } = work;
  const meeting = meetingOf(work);
  if (meeting === undefined) return;
  const path = `${group.path}/meetings/${meeting}/sheets/${randomUUID()}`;
  const body = await sheetOf(work);
  const put = () => write(work, 'sheet', 'PUT', path, { body });
  const first = await put();
  const again = task.what % 3 === 0 ? await put() : undefined;
  const written = first ?? again;
  if (written === undefined) return;
  if (again !== undefined && again.sheet_hash !== written.sheet_hash) {
    world.violations.push(`${path} was written twice with one content, but changed`);
  }
  const wanted = { body: { sheet_hash: written.sheet_hash }, pin: person.pin };
  const submitted = await write(work, 'submission', 'POST', `${path}/submit`, wanted);
  if (submitted === undefined) return;
  group.approvals.push(submitted.approval_id as string);
  if (task.flag) askForVotes(work, submitted.approval_id as string);
}

async function sheetOf(work: Work): Promise<Json> {
  const { group, task } = work;
  const usual = Math.floor((group.contribution_amount * LINE_PERCENT) / 100);
  const [one, other] = [otherMember(work), pick(group.members, task.other + 1)].map((each) => each?.member_id);
  const fine = pick(await dueFines(work), task.what);
  const lines = [
    // Sometimes more than is due.
    { kind: 'contribution', member_id: one, amount: task.percent > 100 ? amountOf(work) : usual },
    { kind: 'contribution', member_id: other, amount: usual },
    { kind: 'contribution', member_id: one, amount: 1 },
    { kind: 'treasury', member_id: other, amount: usual },
    ...(fine === undefined
      ? []
      : [{ kind: 'fine', member_id: fine.member_id, fine_id: fine.id, amount: fine.outstanding }]),
  ];
  return {
    lines: lines.map((line, index) => ({ line_id: String(index), ...line })),
    attendance: task.flag ? attendanceOf(work) : [],
    counted_cash: 0,
    note: `Counted by ${String(task.what)}`,
  };
}

/** Requests the correction of one of the latest transfers, mostly of one that can be reversed. */
export async function correct(work: Work): Promise<void> {
  const { group, task, person } = work;
  const latest = await rowsAt(work, `/ledger?limit=${String(LATEST_MAX)}`);
  const reversible = latest.filter(({ kind }) => REVERSIBLE.has(kind as string));
  const transfer = pick(task.what % 4 === 0 ? latest : reversible, task.other);
  if (transfer === undefined) return;
  const body = { transfer_id: transfer.id, reason: `Entered twice ${String(task.what)}` };
  const requested = await post(work, 'correction', '/corrections', body, person.pin);
  if (requested === undefined) return;
  group.approvals.push(requested.approval_id as string);
  askForVotes(work, requested.approval_id as string);
}
