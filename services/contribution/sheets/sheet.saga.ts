import { fundingAccount, poolAccount, treasuryAccount } from '../../../lib/contracts/accounts.ts';
import type { CommandInput } from '../../../lib/contracts/action.ts';
import type { Decision } from '../../../lib/contracts/approvals.ts';
import { requestApproval } from '../../../lib/contracts/governance.ts';
import { transfer, type TransferLeg } from '../../../lib/contracts/treasury.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import { createSaga, type Move, type Saga, type Step } from '../../../lib/saga/saga.ts';
import { callOrRefusal } from '../../../lib/service/call.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import { storeAttendance } from '../attendance/attendance.store.ts';
import { rowsOf } from '../attendance/attendance.rules.ts';
import { attendanceFact } from '../attendance/attendance.view.ts';
import { finePaidFact } from '../fines/fine.view.ts';
import { repeatLateCheck } from '../meetings/late-check.store.ts';
import { failedFact, paidFact } from '../payments/contribution.saga.ts';
import type { ContributionTimings } from '../timings.ts';
import { sumsBy } from './sheet.rules.ts';
import { listLines, readSheetOf } from './sheet.store.ts';
import { SUBMISSION_STATES, sheetSubmissions } from './sheet.table.ts';
import type { SheetRow, SubmissionRow, SubmissionStatus, SubmittedLine } from './sheet.table.ts';
import { sheetFactOf, sheetPayload } from './sheet.view.ts';
import { giveDuesBack, giveFinesBack, payDues, payFines } from './taking.store.ts';

type SheetMove = Move<SubmissionStatus, SubmissionRow>;
type SheetStep = Step<SubmissionStatus, SubmissionRow>;

/** The saga of submitted sheets, with the moves that are made outside of its steps. */
export interface SheetSaga extends Saga<SubmissionStatus, SubmissionRow> {
  /** The move of a submission of this sheet whose approval is open. */
  moveToSubmitted: (row: SubmissionRow, sheet: SheetRow) => SheetMove;
  moveByDecision: (row: SubmissionRow, decision: Decision) => SheetMove;
  /** The move that undoes a submission before its approval is open; undefined if that is not possible. */
  undo: (row: SubmissionRow) => SheetMove | undefined;
}

/**
 * Creates the saga of submitted sheets: it opens the approval and, after the decision, posts all lines in one transfer and
 * counts them, or gives everything back.
 */
export function createSheetSaga(context: ServiceContext, timings: ContributionTimings): SheetSaga {
  const { db, outbox, runtime } = context;
  const { call_timeout_ms } = timings;

  const openApproval: SheetStep = async (row, { via }) => {
    const sheet = await readSheetOf(db, row);
    const request = {
      association_id: row.association_id,
      subject_type: 'meeting_sheet' as const,
      requested_by_member_id: row.submitted_by_member_id,
      // Members who paid may vote.
      concerned_member_id: null,
      approval_id: row.approval_id,
      subject_id: row.sheet_id,
      payload: sheetPayload(sheet),
    };
    const { refusal } = await callOrRefusal(via, requestApproval, request, call_timeout_ms);
    return refusal === undefined ? moveToSubmitted(row, sheet) : moveToRefused(refusal);
  };

  const post: SheetStep = async (row, { via }) => {
    const lines = await listLines(db, row.id);
    // A sheet may have only attendance and a count.
    if (lines.length === 0) return moveToConfirmed(lines);
    const { refusal } = await callOrRefusal(via, transfer, transferOf(row, lines), call_timeout_ms);
    return refusal === undefined ? moveToConfirmed(lines) : moveToRejected({ refusal });
  };

  const moveToSubmitted: SheetSaga['moveToSubmitted'] = (row, sheet) => ({
    to: 'submitted',
    facts: [{ type: 'sheet.submitted', association_id: row.association_id, data: sheetFactOf(sheet, row) }],
  });

  const moveToConfirmed = (lines: SubmittedLine[]): SheetMove => ({
    to: 'confirmed',
    set: { decided_at: runtime.clock() },
    also: async (tx, row) => outbox.append(tx, ...(await confirm(tx, row, lines, runtime.clock()))),
  });

  const moveToRejected = (reason: Pick<Partial<SubmissionRow>, 'decision' | 'refusal'>): SheetMove => ({
    to: 'rejected',
    set: { ...reason, decided_at: runtime.clock() },
    also: async (tx, row) => outbox.append(tx, ...(await reject(tx, row, runtime.clock()))),
  });

  /** For a submission whose approval is not opened. Its request is refused, so its contributions are not shown. */
  const moveToRefused = (refusal: Refusal): SheetMove => ({
    to: 'refused',
    set: { refusal, decided_at: runtime.clock() },
    async also(tx, row) {
      await giveDuesBack(tx, row.id, 'refused', refusal.code, runtime.clock());
      giveFinesBack(tx, row.id);
      repeatLateCheck(tx, row.meeting_id);
    },
  });

  const saga = createSaga(context, timings, {
    name: 'sheet',
    table: sheetSubmissions,
    states: SUBMISSION_STATES,
    steps: { opening: openApproval, posting: post },
  });
  return {
    ...saga,
    moveToSubmitted,
    moveByDecision: (_row, decision) =>
      decision === 'approved' ? { to: 'posting', set: { decision } } : moveToRejected({ decision }),
    undo: ({ status }) =>
      status === 'opening' ? moveToRefused({ code: 'service_unavailable', extras: {} }) : undefined,
  };
}

/** Returns the transfer of all lines: from each member, in cash, into the meeting's pool and the treasury. */
export function transferOf(
  { id, association_id, meeting_id, currency }: SubmissionRow,
  lines: readonly SubmittedLine[],
): CommandInput<typeof transfer> {
  const paid = [...sumsBy(lines, ({ member_id }) => member_id)].map(([member_id, sum]): TransferLeg => {
    return { account: fundingAccount('cash'), amount_minor: -Number(sum), member_id };
  });
  const into = sumsBy(lines, ({ kind }) =>
    kind === 'contribution' ? poolAccount(meeting_id, 'cash') : treasuryAccount('cash'),
  );
  const received = [...into].map(([account, sum]): TransferLeg => ({ account, amount_minor: Number(sum) }));
  return {
    id,
    association_id,
    kind: 'meeting_sheet',
    currency,
    legs: [...paid, ...received],
    reference: null,
    payer_user_id: null,
    member_id: null,
  };
}

/** Counts what the posted lines have paid, and records the attendance. Returns the events. */
async function confirm(
  tx: Transaction,
  row: SubmissionRow,
  lines: readonly SubmittedLine[],
  now: Date,
): Promise<Fact[]> {
  const { id: transfer_id, association_id, meeting_id, submitted_by_member_id: recorded_by_member_id } = row;
  const [sheet, contributions] = await Promise.all([readSheetOf(tx, row), payDues(tx, row.id, now)]);
  const fines = lines.some(({ fine_id }) => fine_id !== null) ? await payFines(tx, row.id) : [];
  const { attendance } = sheet;
  storeAttendance(tx, rowsOf(attendance, { meeting_id, recorded_by_member_id, recorded_at: now }));
  const paid = new Map(contributions.map((each) => [each.id, { ...each, ...UNDESCRIBED }]));
  const owed = new Map(fines.map((each) => [each.id, each]));
  const facts = lines.flatMap(({ contribution_id, fine_id, amount_minor }): Fact[] => {
    const contribution = paid.get(contribution_id ?? '');
    if (contribution !== undefined) return [paidFact(contribution, transfer_id)];
    const fine = owed.get(fine_id ?? '');
    return fine === undefined ? [] : [finePaidFact(fine, amount_minor, transfer_id)];
  });
  const posted = { transfer_id: lines.length === 0 ? null : transfer_id };
  return [
    ...(attendance.length === 0 ? [] : [attendanceFact(association_id, meeting_id, attendance, recorded_by_member_id)]),
    ...facts,
    { type: 'sheet.confirmed', association_id, data: { ...sheetFactOf(sheet, row), ...posted } },
  ];
}

/** Lines of sheets have no metadata, so neither have their contributions. */
const UNDESCRIBED = { metadata: {} };

/** Gives back what the lines have taken. Returns the events. */
async function reject(tx: Transaction, row: SubmissionRow, now: Date): Promise<Fact[]> {
  const { id, association_id, decision, refusal } = row;
  if (decision === null) throw new Error(`Submission ${id} is not decided`);
  const code = refusal?.code ?? null;
  const [sheet, contributions] = await Promise.all([
    readSheetOf(tx, row),
    giveDuesBack(tx, id, 'failed', code ?? decision, now),
  ]);
  giveFinesBack(tx, id);
  repeatLateCheck(tx, row.meeting_id);
  return [
    ...contributions.map((each) => failedFact({ ...each, ...UNDESCRIBED }, code ?? decision)),
    { type: 'sheet.rejected', association_id, data: { ...sheetFactOf(sheet, row), decision, code } },
  ];
}
