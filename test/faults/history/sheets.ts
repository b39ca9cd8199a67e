/** The submissions of meeting sheets: their lines take dues and fines together, until the board has decided. */
import { amountOf } from './amounts.ts';
import type { Json } from './exchange.ts';
import { rowsOf, type Facts } from './facts.ts';
import { decidedBy, type Payment } from './payments.ts';
import { isDone, isOpen, type Request } from './requests.ts';

const OF_SHEETS = '/associations/:association/meetings/:meeting/sheets';
const LIST = `GET ${OF_SHEETS}`;
const SUBMIT = `POST ${OF_SHEETS}/:sheet/submit`;

/** A request to submit a sheet, with the lines that it takes. */
export interface Submission {
  request: Request;
  meeting: string;
  lines: Json[];
  /** The transfer of all lines; undefined if no answer shows it. */
  transfer: unknown;
  end: Pick<Payment, 'outcome' | 'endsFrom' | 'endedBy'>;
}

/** A sheet as an answer shows it. */
interface Shown {
  row: Json;
  seenAt: number;
}

/** Returns the submissions of a history, without those that were refused for a reason that no meeting, due or fine has. */
export function submissionsOf(requests: readonly Request[], facts: Facts): Submission[] {
  const shown = shownSheets(requests);
  const submits = requests.filter(({ route }) => route === SUBMIT);
  const claimed = new Set(submits.filter(isDone).map(({ received }) => received['approval_id']));
  return submits.flatMap((request): Submission[] => {
    const sheets = shown.get(request.params['sheet']!) ?? [];
    const written = sheets.find(({ row }) => row['sheet_hash'] === request.sent['sheet_hash']);
    const approval_id = isDone(request) ? request.received['approval_id'] : shownApproval(sheets, claimed);
    const end = endOf(request, approval_id, sheets, requests, facts);
    if (written === undefined || end === undefined) return [];
    const posted = sheets.find(({ row }) => row['approval_id'] === approval_id && row['transfer_id'] !== null);
    const lines = written.row['lines'] as Json[];
    return [
      { request, meeting: request.params['meeting']!, lines, transfer: posted?.row['transfer_id'] ?? undefined, end },
    ];
  });
}

/** Returns what answers show of each sheet, in their order. */
function shownSheets(requests: readonly Request[]): Map<string, Shown[]> {
  const shown = new Map<string, Shown[]>();
  const answers = requests.filter(({ route }) => route.includes(OF_SHEETS)).filter(isDone);
  for (const request of answers.toSorted((one, other) => one.return - other.return)) {
    for (const row of request.route === LIST ? rowsOf(request) : [request.received]) {
      const id = row['id'] as string;
      shown.set(id, [...(shown.get(id) ?? []), { row, seenAt: request.return }]);
    }
  }
  return shown;
}

/** Returns how a submission ended; undefined if it ended before it took anything. */
function endOf(
  request: Request,
  approval_id: unknown,
  sheets: readonly Shown[],
  requests: readonly Request[],
  facts: Facts,
): Submission['end'] | undefined {
  const unknown = { outcome: 'unknown', endsFrom: request.call, endedBy: Infinity } as const;
  if (request.code === 'meeting_not_open') return { ...unknown, outcome: 'refused' };
  // The approval is opened after everything was taken, which is then given back.
  if (request.code === 'no_eligible_approver') return unknown;
  if (!isDone(request) && !isOpen(request)) return undefined;
  if (approval_id === undefined) return unknown;
  const outcome = outcomeOf(approval_id as string, sheets, facts);
  return decidedBy(outcome, approval_id, requests);
}

/** Returns the approval of a submission without an answer, if the last answer that shows the sheet names it. */
function shownApproval(sheets: readonly Shown[], claimed: ReadonlySet<unknown>): unknown {
  const { row } = sheets.at(-1) ?? {};
  const id = row?.['approval_id'] ?? (row?.['refusal'] as Json | null | undefined)?.['approval_id'];
  return typeof id !== 'string' || claimed.has(id) ? undefined : id;
}

function outcomeOf(approval_id: string, sheets: readonly Shown[], facts: Facts): Pick<Payment, 'outcome' | 'endedBy'> {
  const approvals = facts.shownApprovals.get(approval_id) ?? [];
  const executed = approvals.find(({ row }) => executionOf(row) === 'done');
  const seen = (find: (row: Json) => boolean) => sheets.find(({ row }) => find(row))?.seenAt ?? Infinity;
  if (executed !== undefined) {
    const confirmedAt = seen((row) => row['approval_id'] === approval_id && row['confirmed_at'] !== null);
    return { outcome: 'paid', endedBy: Math.min(executed.seenAt, confirmedAt) };
  }
  const isUndone = approvals.some(({ row }) => {
    return ['rejected', 'expired', 'cancelled'].includes(row['status'] as string) || executionOf(row) === 'failed';
  });
  if (!isUndone) return { outcome: 'open', endedBy: Infinity };
  const isDraft = (row: Json) => (row['refusal'] as Json | null)?.['approval_id'] === approval_id;
  return { outcome: 'given_back', endedBy: seen(isDraft) };
}

export function executionOf(approval: Json): unknown {
  return (approval['execution'] as Json | undefined)?.['status'];
}

/** Returns the contributions of submissions, each as a payment in cash. */
export function sheetPaymentsOf(submissions: readonly Submission[]): Payment[] {
  return submissions.flatMap(({ request, meeting, lines, end }) => {
    const contributions = lines.filter(({ kind }) => kind === 'contribution');
    return contributions.map(({ member_id, amount }): Payment => {
      const line = { member: member_id as string, amount: amountOf(amount) };
      return { request, meeting, wallet: null, outstanding: undefined, ...line, ...end };
    });
  });
}
