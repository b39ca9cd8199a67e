/** Meeting sheets: all cash of a meeting in one document, on which the board decides once. */
import * as t from '../fields.ts';
import { exampleOfFields } from '../../schema/examples.ts';
import { chapter } from '../action.ts';
import { DECISIONS } from '../approvals.ts';
import { REASON_MAX_CODE_POINTS } from '../treasury/ledger.ts';
import { attendanceEntries, attendanceEntry } from './attendance.ts';

export const SHEET_STATUSES = ['draft', 'submitted', 'confirmed', 'reversed'] as const;
export const LINE_KINDS = ['contribution', 'fine', 'treasury'] as const;

/** Larger meetings use several sheets. One transfer of so many legs is posted in less than a second. */
const LINES_MAX = 500;

/** Enough for a UUID or any other id of a client. */
const LINE_ID_MAX_CODE_POINTS = 64;

/** 500 lines with UUIDs as ids, notes, and as many entries of attendance need more than the 64 KiB of other requests. */
const BODY_MAX_KIB = 256;

const note = (meaning: string, example: string) => t.text(1, REASON_MAX_CODE_POINTS, meaning, example);

const line = t.record('SheetLine', {
  line_id: t.text(1, LINE_ID_MAX_CODE_POINTS, 'The id of the line, chosen by the client; unique in the sheet.', '1'),
  kind: t.enumeration(
    LINE_KINDS,
    '`contribution`: to this meeting. `fine`: pays the fine `fine_id`. `treasury`: for the treasury.',
    'contribution',
  ),
  member_id: t.memberId('The member who paid; for `fine` the member who owes it.'),
  amount: t.amount('The amount.', 10_000),
  fine_id: t.optional(t.fineId('The fine that is paid; required for `fine`, and not allowed for other lines.')),
  note: t.optional(note('For people.', 'Brought by a neighbour')),
});
export type SheetLine = t.Value<typeof line>;

const EXAMPLE_LINES: SheetLine[] = [
  { line_id: '1', kind: 'contribution', member_id: t.EXAMPLE.member_id, amount: 10_000 },
  { line_id: '2', kind: 'fine', member_id: t.EXAMPLE.treasurer_id, amount: 500, fine_id: t.EXAMPLE.fine_id },
];
const EXAMPLE_ATTENDANCE = [{ member_id: t.EXAMPLE.member_id, status: 'present' as const }];
const EXAMPLE_NOTE = 'A coin is missing';

/** What is written on the sheet. */
const content = {
  lines: t.describe(t.list(line), 'What was paid in cash, in the order of the request.', EXAMPLE_LINES),
  attendance: t.list(attendanceEntry, 'Who came; recorded with the cash.', EXAMPLE_ATTENDANCE),
  counted_cash: t.money('What the cash box holds after the meeting, as counted.', 12_490),
  note: t.nullable(note('For the board.', EXAMPLE_NOTE), EXAMPLE_NOTE),
};

/** What follows from the content and the cash box. */
const balance = {
  expected_cash: t.money('What the cash box held before, plus the lines.', 12_500),
  difference: t.money('`counted_cash` minus `expected_cash`. It is never booked by itself.', -10),
};

const sheetHash = () =>
  t.sha256(
    'SHA-256 (hex) of the RFC 8785 form of an object with the members `meeting_id`, `lines`, `attendance`, `counted_cash` and ' +
      '`note` as they are shown here.',
  );

const refusal = t.record('SheetRefusal', {
  approval_id: t.approvalId('The approval of the submission.'),
  decision: t.enumeration(DECISIONS, 'How the approval ended.', 'rejected'),
  code: t.nullable(
    t.text(1, t.ERROR_CODE_MAX_LENGTH, 'Why the ledger refused an approved sheet, as an error code; otherwise null.'),
    null,
  ),
});

/** The fields of a sheet. */
export const sheetFields = {
  id: t.id('Chosen by the client.', t.EXAMPLE.sheet_id),
  association_id: t.associationId(),
  meeting_id: t.meetingId(),
  status: t.enumeration(
    SHEET_STATUSES,
    '`submitted`: the board decides, and all dues and fines of the lines are taken. `confirmed`: the cash is in the ledger. ' +
      '`reversed`: it was confirmed, and a correction took it back.',
    'draft',
  ),
  ...content,
  ...balance,
  currency: t.currencyCode(),
  sheet_hash: sheetHash(),
  approval_id: t.nullable(t.approvalId('The approval in which the board decides; null for a draft.'), null),
  recorded_by_member_id: t.memberId('The member who last wrote or submitted it.', t.EXAMPLE.secretary_id),
  transfer_id: t.nullable(
    t.transferId('The transfer of all lines; null until it is confirmed, and for a sheet without lines.'),
    null,
  ),
  refusal: t.nullable(t.describe(refusal, 'Why it is a draft again; null for any other sheet.'), null),
  created_at: t.at('When it was first stored.'),
  submitted_at: t.nullable(t.at('When it was submitted; null for a draft.'), null),
  confirmed_at: t.nullable(t.at('When it was confirmed; null until then.'), null),
};
const sheet = t.record('Sheet', sheetFields);
export type Sheet = t.Value<typeof sheet>;

/** The payload of the approval. */
export const meetingSheetPayload = t.record('MeetingSheetPayload', {
  meeting_id: t.meetingId(),
  ...content,
  ...balance,
  currency: t.currencyCode(),
  sheet_hash: sheetHash(),
});

const endpoint = chapter('Meetings');
const inSheet = { ...t.inMeeting, sheet_id: t.id('The sheet.', t.EXAMPLE.sheet_id) };

export const putSheet = endpoint({
  name: 'contribution.put_sheet',
  summary: 'Write a meeting sheet',
  description:
    'The client chooses `sheet_id`, a UUID, so that a sheet can be written without a connection and sent later, any number of ' +
    'times: the same content again changes nothing. A draft is replaced with `If-Match`. Nothing is taken or ' +
    `posted before the sheet is submitted. The body may have ${String(BODY_MAX_KIB)} KiB.`,
  permission: 'record_sheet',
  refuses: ['precondition_required', 'sheet_not_draft'],
  takes_if_match: true,
  path: inSheet,
  body: {
    lines: t.boundedList(line, 0, LINES_MAX, 'What was paid in cash.', EXAMPLE_LINES),
    attendance: t.optional(
      attendanceEntries('Who came, to be recorded with the cash: one entry for each member, as in `PUT …/attendance`.'),
    ),
    counted_cash: t.amountOrZero('What the cash box holds after the meeting, as counted.', 12_490),
    note: t.optional(note('For the board. Required to submit a sheet with a difference.', EXAMPLE_NOTE)),
  },
  body_max_kib: BODY_MAX_KIB,
  status: 201,
  also: [200],
  answer: sheet,
  examples: {
    body: {
      lines: EXAMPLE_LINES,
      attendance: EXAMPLE_ATTENDANCE,
      counted_cash: 12_490,
      note: EXAMPLE_NOTE,
    },
  },
});

export const submitSheet = endpoint({
  name: 'contribution.submit_sheet',
  summary: 'Submit a meeting sheet to the board',
  description:
    'Takes the dues and fines of all lines, or none: a refusal `sheet_refused` names each line that cannot be taken. One ' +
    'approval decides on the whole sheet; the member who submits it does not vote, members who paid may. Approved, one ' +
    'transfer moves all lines, contributions and fines are paid, and the attendance is recorded. Otherwise everything is ' +
    'given back, and the sheet is a draft again. While it is submitted, the meeting can be neither settled nor cancelled. ' +
    '`expected_cash` is read again; a difference needs a `note` (422). `Location` is the approval.',
  permission: 'record_sheet',
  refuses: ['sheet_not_draft', 'sheet_changed', 'no_eligible_approver', 'meeting_not_open', 'sheet_refused'],
  path: inSheet,
  body: {
    pin: t.sealedPin(),
    sheet_hash: t.opaque(t.HEX_256_LENGTH, 'The hash of the sheet that the caller was shown.', t.EXAMPLE_HASH),
  },
  answer: sheet,
  examples: {
    answer: exampleOfFields(sheetFields, 'answer', {
      status: 'submitted',
      approval_id: t.EXAMPLE.approval_id,
      submitted_at: '2026-10-05T18:30:00.000Z',
    }),
  },
});

export const listSheets = endpoint({
  name: 'contribution.list_sheets',
  summary: 'List the sheets of a meeting',
  description: 'Newest first.',
  permission: 'read',
  path: t.inMeeting,
  query: t.pageQuery,
  answer: t.pageOf(sheet),
});

export const getSheet = endpoint({
  name: 'contribution.get_sheet',
  summary: 'Show a meeting sheet',
  permission: 'read',
  path: inSheet,
  answer: sheet,
});
