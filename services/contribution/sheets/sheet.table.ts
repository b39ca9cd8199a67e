/** Meeting sheets, their submissions to the board, and the lines of these. */
import type { Decision } from '../../../lib/contracts/approvals.ts';
import type { AttendanceEntry, LINE_KINDS, SHEET_STATUSES } from '../../../lib/contracts/contribution.ts';
import {
  bigint,
  instant,
  integer,
  jsonb,
  key,
  optional,
  table,
  text,
  uuid,
  type RowOf,
} from '../../../lib/db/table.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import { sqlList, statesWhere, type StateTable } from '../../../lib/saga/states.ts';

export type LineKind = (typeof LINE_KINDS)[number];

/** A line as it is stored with its sheet. */
export interface StoredLine {
  line_id: string;
  kind: LineKind;
  member_id: string;
  amount_minor: number;
  fine_id?: string;
  note?: string;
}

export const sheets = table('sheets', {
  /** Chosen by the client. */
  id: key(uuid()),
  association_id: uuid(),
  meeting_id: uuid(),
  currency: text(),
  lines: jsonb<StoredLine[]>(),
  attendance: jsonb<AttendanceEntry[]>(),
  counted_minor: bigint(),
  /** What the cash box held before, when the sheet was last written or submitted. */
  box_minor: bigint(),
  note: optional(text()),
  sheet_hash: text(),
  recorded_by_member_id: uuid(),
  /** The last submission of this content; null if it was never submitted. */
  submission_id: optional(uuid()),
  created_at: instant(),
});
export type SheetRow = RowOf<typeof sheets>;

interface Facts {
  /** The status of its sheet that clients see. */
  shown: (typeof SHEET_STATUSES)[number];
  /** Whether its dues and fines are taken, and not paid yet: it is in flight for the meeting. */
  in_flight: boolean;
  /** Whether it was approved and its transfer is in the ledger, even if a correction takes it back. */
  posted: boolean;
}

const STATES = {
  // Everything is taken. The approval is being opened.
  opening: { next: ['submitted', 'refused'], shown: 'submitted', in_flight: true, posted: false },
  submitted: { next: ['posting', 'rejected'], shown: 'submitted', in_flight: true, posted: false },
  // The sheet is approved and being posted. If the ledger refuses it, it is rejected.
  posting: { next: ['confirmed', 'rejected'], shown: 'submitted', in_flight: true, posted: false },
  confirmed: { next: ['reversing'], shown: 'confirmed', in_flight: false, posted: true },
  // A correction has taken everything back, and the ledger has not decided yet.
  reversing: { next: ['confirmed', 'reversed'], shown: 'confirmed', in_flight: false, posted: true },
  reversed: { next: [], shown: 'reversed', in_flight: false, posted: true },
  // The board or the ledger has refused it, and everything is given back.
  rejected: { next: [], shown: 'draft', in_flight: false, posted: false },
  // It ended before its approval was open, and everything is given back.
  refused: { next: [], shown: 'draft', in_flight: false, posted: false },
} as const satisfies StateTable<string, Facts>;

export type SubmissionStatus = keyof typeof STATES;
export const SUBMISSION_STATES: StateTable<SubmissionStatus, Facts> = STATES;

/** SQL list of the statuses of submissions whose dues and fines are taken, and not paid yet. */
export const SHEETS_IN_FLIGHT = sqlList(statesWhere(SUBMISSION_STATES, ({ in_flight }) => in_flight));

/** SQL list of the statuses of submissions whose sheet is shown as confirmed. */
export const CONFIRMED_SHEETS = sqlList(statesWhere(SUBMISSION_STATES, ({ shown }) => shown === 'confirmed'));

/** The statuses of submissions that are in the ledger, even if a correction takes them back. */
export const POSTED_SHEETS = statesWhere(SUBMISSION_STATES, ({ posted }) => posted);

/** SQL list of the statuses of submissions whose fines are taken, and not paid yet: also of those that are taken back. */
export const SHEETS_TAKING = `${SHEETS_IN_FLIGHT}, 'reversing'`;

/** Submissions of sheets. While one is not refused or rejected, its sheet does not change. The transfer has the same id. */
export const sheetSubmissions = table('sheet_submissions', {
  id: key(uuid()),
  sheet_id: uuid(),
  association_id: uuid(),
  meeting_id: uuid(),
  currency: text(),
  status: text<SubmissionStatus>(),
  approval_id: uuid(),
  submitted_by_member_id: uuid(),
  decision: optional(text<Decision>()),
  /** Why governance or the ledger refused it. */
  refusal: optional(jsonb<Refusal>()),
  submitted_at: instant(),
  decided_at: optional(instant()),
  last_attempt_at: instant(),
});
export type SubmissionRow = RowOf<typeof sheetSubmissions>;

/** The lines of submissions, each with what it has taken. They never change: the submission's status says whether they count. */
export const submittedLines = table('submitted_lines', {
  submission_id: key(uuid()),
  /** Its place on the sheet, from 0. */
  line: key(integer()),
  kind: text<LineKind>(),
  member_id: uuid(),
  amount_minor: bigint(),
  /** The contribution of a line of this kind, which is in cash. */
  contribution_id: optional(uuid()),
  fine_id: optional(uuid()),
});
export type SubmittedLine = RowOf<typeof submittedLines>;

/** What clients see of the last submission of a sheet, whose columns are null if there is none. */
type LastSubmission = {
  submission_status: SubmissionStatus;
  approval_id: string;
  decision: Decision | null;
  refusal: Refusal | null;
  submitted_at: Date;
  decided_at: Date | null;
};

/** A sheet with its last submission. */
export type ShownSheetRow = SheetRow & (LastSubmission | typeof NEVER_SUBMITTED);

export const NEVER_SUBMITTED: { [K in keyof LastSubmission]: null } = {
  submission_status: null,
  approval_id: null,
  decision: null,
  refusal: null,
  submitted_at: null,
  decided_at: null,
};

/** Returns the status of a sheet that clients see. */
export function sheetStatus({ submission_status }: ShownSheetRow): (typeof SHEET_STATUSES)[number] {
  return submission_status === null ? 'draft' : SUBMISSION_STATES[submission_status].shown;
}
