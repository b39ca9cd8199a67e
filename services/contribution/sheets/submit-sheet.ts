import type { Caller, EndpointInput } from '../../../lib/contracts/action.ts';
import { submitSheet } from '../../../lib/contracts/contribution.ts';
import { checkEligibility } from '../../../lib/contracts/governance.ts';
import type { Authorization } from '../../../lib/contracts/membership.ts';
import { cashBox } from '../../../lib/contracts/treasury.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { invalid, problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { areLockedUnder, membershipSubject, storeWhenUnlocked } from '../../../lib/locks/locks.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import { answerLocation, type CallContext } from '../../../lib/service/implement.ts';
import { implementSaga } from '../../../lib/service/implement-saga.ts';
import { membersOf } from '../attendance/attendance.rules.ts';
import type { ContributionDeps } from '../deps.ts';
import { shareMeeting } from '../meetings/meeting.store.ts';
import { isOpen } from '../meetings/meeting.table.ts';
import {
  balanceOf,
  dueComplaints,
  fineComplaints,
  membersNotFound,
  sumsBy,
  type SheetComplaint,
} from './sheet.rules.ts';
import { lockSheet, readSheet, readSheetOf, storeSubmission } from './sheet.store.ts';
import {
  sheetStatus,
  type SheetRow,
  type ShownSheetRow,
  type SubmissionRow,
  type SubmittedLine,
} from './sheet.table.ts';
import { showSheet } from './sheet.view.ts';
import { lockFines, readLeft, takeDues, takeFines } from './taking.store.ts';

/** Submits a draft to the board. All its dues and fines are taken, or nothing is stored. */
export function submitSheetAction(deps: ContributionDeps) {
  const { sheets: saga } = deps;
  return implementSaga(deps, submitSheet, {
    saga,
    begin: (input, caller, ctx, operation) => begin(deps, input, caller, ctx, operation),
    refusalOf: ({ status, refusal }) => (status === 'refused' ? refusal : null),
    async answer(row, ctx, db) {
      answerLocation(ctx, `/associations/${row.association_id}/governance/approvals/${row.approval_id}`);
      return showSheet(await readSheetOf(db, row));
    },
    isAnsweredEarly: false,
    undo: (row) => saga.undo(row),
  });
}

/**
 * @throws not_found, what membership refuses, sheet_not_draft, sheet_changed, no_eligible_approver, validation_failed without the
 *   note that a difference needs, meeting_not_open, sheet_refused
 */
async function begin(
  { db, runtime, timings }: ContributionDeps,
  { path, body: { pin, sheet_hash } }: EndpointInput<typeof submitSheet>,
  caller: Caller,
  ctx: CallContext,
  operation: Operation,
): Promise<SubmissionRow> {
  const { association_id, meeting_id, sheet_id } = path;
  const found = await readSheet(db, path);
  const member_ids = membersOn(found);
  const authorize = (sealed?: { pin: string }) =>
    authorizeCaller(ctx, caller, association_id, 'record_sheet', { ...sealed, member_ids });
  let authorization = await authorize({ pin });
  const { member_id: submitted_by_member_id } = authorization.member;
  requireDraft(found, sheet_hash);
  const request = { requested_by_member_id: submitted_by_member_id, concerned_member_id: null };
  const [{ cash_minor }] = await Promise.all([
    call(ctx, cashBox, { association_id }),
    call(ctx, checkEligibility, { association_id, subject_type: 'meeting_sheet', ...request }, timings.call_timeout_ms),
  ]);
  const box_minor = BigInt(cash_minor);
  requireNote({ ...found, box_minor });

  const now = runtime.clock();
  const submission: SubmissionRow = {
    id: operation.id,
    sheet_id,
    association_id,
    meeting_id,
    currency: found.currency,
    status: 'opening',
    approval_id: runtime.newId(),
    submitted_by_member_id,
    decision: null,
    refusal: null,
    submitted_at: now,
    decided_at: null,
    last_attempt_at: now,
  };
  const lines = found.lines.map((line, index): SubmittedLine => ({
    submission_id: submission.id,
    line: index,
    kind: line.kind,
    member_id: line.member_id,
    amount_minor: BigInt(line.amount_minor),
    contribution_id: line.kind === 'contribution' ? runtime.newId() : null,
    fine_id: line.fine_id ?? null,
  }));
  const gate = {
    isLocked: (tx: Transaction) => {
      const active = authorization.members.filter(({ status }) => status === 'active');
      return areLockedUnder(tx, [association_id], [association_id, ...active.map(membershipSubject)]);
    },
    // Members who have left meanwhile are named in the refusal.
    checkStillAllowed: async () => {
      authorization = await authorize();
    },
    wait_ms: timings.lock_wait_ms,
  };
  return storeWhenUnlocked(db, gate, async (tx) => {
    await operation.hold(tx);
    lockSheet(tx, sheet_id);
    const [sheet, meeting] = await Promise.all([readSheet(tx, path), shareMeeting(tx, meeting_id)]);
    requireDraft(sheet, sheet_hash);
    if (!isOpen(meeting.status)) throw problem('meeting_not_open');
    await takeAll(tx, sheet, submission, lines, membersNotFound(sheet, statusesOf(authorization)));
    storeSubmission(tx, submission, lines, box_minor);
    return submission;
  });
}

/** Returns the members that the sheet names. */
function membersOn({ lines, attendance }: SheetRow): string[] {
  return [...new Set([...lines.map(({ member_id }) => member_id), ...membersOf(attendance)])];
}

function statusesOf({ members }: Authorization): Map<string, string> {
  return new Map(members.map(({ member_id, status }) => [member_id, status]));
}

/** @throws sheet_not_draft, sheet_changed */
function requireDraft(sheet: ShownSheetRow, sheet_hash: string): void {
  if (sheetStatus(sheet) !== 'draft') throw problem('sheet_not_draft');
  if (sheet.sheet_hash !== sheet_hash.toLowerCase()) throw problem('sheet_changed');
}

/** @throws validation_failed */
function requireNote(sheet: SheetRow): void {
  if (sheet.note !== null || balanceOf(sheet).difference_minor === 0n) return;
  throw invalid({ pointer: '/note', code: 'required', detail: 'The counted cash differs. The sheet needs a note.' });
}

/**
 * Takes the dues and fines of all lines.
 * @param complaints those that were found before
 * @throws sheet_refused, with the complaints about all lines, so that nothing is taken
 */
async function takeAll(
  tx: Transaction,
  sheet: SheetRow,
  submission: SubmissionRow,
  lines: readonly SubmittedLine[],
  complaints: SheetComplaint[],
): Promise<void> {
  const asked = sumsBy(lines, ({ kind, member_id }) => (kind === 'contribution' ? member_id : null));
  const taken = await takeDues(tx, submission, lines);
  const refused = [...asked.keys()].filter((member_id) => !taken.has(member_id));
  const left = refused.length === 0 ? new Map<string, bigint>() : await readLeft(tx, sheet.meeting_id, refused);
  const amounts = sumsBy(lines, ({ fine_id }) => fine_id);
  const fines = await lockFines(tx, [...amounts.keys()]);
  const errors = [...complaints, ...dueComplaints(sheet, left), ...fineComplaints(sheet, fines)];
  if (errors.length > 0) throw problem('sheet_refused', { errors: errors.toSorted(byPointer) });
  takeFines(tx, amounts);
}

/** The lines in their order, then the attendance. */
function byPointer(a: SheetComplaint, b: SheetComplaint): number {
  const [[, listA = '', placeA], [, listB = '', placeB]] = [a.pointer.split('/'), b.pointer.split('/')];
  return listB.localeCompare(listA) || Number(placeA) - Number(placeB);
}
