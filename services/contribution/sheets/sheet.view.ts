import type { AttendanceEntry, Sheet } from '../../../lib/contracts/contribution.ts';
import type { EventData } from '../../../lib/contracts/events.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { balanceOf, entryOf, lineOf, totalOf } from './sheet.rules.ts';
import {
  sheetStatus,
  SUBMISSION_STATES,
  type SheetRow,
  type ShownSheetRow,
  type SubmissionRow,
} from './sheet.table.ts';

/** Returns a sheet as clients see it. */
export function showSheet(row: ShownSheetRow): Sheet {
  const status = sheetStatus(row);
  const isSubmitted = status !== 'draft';
  const isConfirmed = row.submission_status !== null && SUBMISSION_STATES[row.submission_status].posted;
  return {
    id: row.id,
    association_id: row.association_id,
    meeting_id: row.meeting_id,
    status,
    ...shownContent(row),
    currency: row.currency,
    sheet_hash: row.sheet_hash,
    approval_id: isSubmitted ? row.approval_id : null,
    recorded_by_member_id: row.recorded_by_member_id,
    transfer_id: isConfirmed && row.lines.length > 0 ? row.submission_id : null,
    refusal: refusalOf(row),
    created_at: row.created_at.toISOString(),
    submitted_at: isSubmitted ? (row.submitted_at?.toISOString() ?? null) : null,
    confirmed_at: isConfirmed ? (row.decided_at?.toISOString() ?? null) : null,
  };
}

/** The request of a submission that was refused has got the refusal, so only a rejection is shown. */
function refusalOf({ submission_status, approval_id, decision, refusal }: ShownSheetRow): Sheet['refusal'] {
  if (submission_status !== 'rejected' || decision === null) return null;
  return { approval_id, decision, code: refusal?.code ?? null };
}

/** Returns the payload that the board approves. It is hashed, and shown to all members. */
export function sheetPayload(row: SheetRow) {
  const { meeting_id, currency, sheet_hash } = row;
  return { meeting_id, ...shownContent(row), currency, sheet_hash };
}

function shownContent(row: SheetRow) {
  const major = (minor: bigint) => toMajor(minor, row.currency);
  const { expected_minor, difference_minor } = balanceOf(row);
  return {
    lines: row.lines.map((line) => lineOf(line, row.currency)),
    attendance: row.attendance.map((entry): AttendanceEntry => entryOf(entry)),
    counted_cash: major(row.counted_minor),
    note: row.note,
    expected_cash: major(expected_minor),
    difference: major(difference_minor),
  };
}

/** Returns the part of the events of a submission that they all have. */
export function sheetFactOf(sheet: SheetRow, submission: SubmissionRow): EventData['sheet.submitted'] {
  const { sheet_id, meeting_id, currency, approval_id, submitted_by_member_id: recorded_by_member_id } = submission;
  return { sheet_id, meeting_id, amount_minor: Number(totalOf(sheet)), currency, recorded_by_member_id, approval_id };
}
