/** Submitted meeting sheets: their transfers, and the contributions of their lines. */
import type { ContributionStatus } from '../../../services/contribution/payments/contribution.table.ts';
import { transferOf } from '../../../services/contribution/sheets/sheet.saga.ts';
import {
  POSTED_SHEETS,
  sheetSubmissions,
  SUBMISSION_STATES,
  type SubmissionRow,
  type SubmissionStatus,
  type SubmittedLine,
} from '../../../services/contribution/sheets/sheet.table.ts';
import { columnList } from '../../../lib/db/table.ts';
import { sqlList, statesWhere } from '../../../lib/saga/states.ts';
import { pairs } from '../pairs.ts';
import { transferFault, TRANSFERS_BY_ID, unwantedFault, type StoredTransfer } from '../stored-transfer.ts';

/** Amounts are texts, as JSON has no bigint. */
type ListedLine = Pick<SubmittedLine, 'kind' | 'member_id' | 'contribution_id'> & { amount_minor: string };
type ListedSubmission = SubmissionRow & { lines: ListedLine[] };

/** Submissions that are not being posted, so that it is certain whether they have a transfer. */
const CERTAIN = sqlList(statesWhere(SUBMISSION_STATES, (_facts, state) => state !== 'posting'));

const SUBMISSIONS = {
  name: 'verify.submissions',
  text: `
    SELECT ${columnList(sheetSubmissions, 's')}, coalesce((
      SELECT json_agg(json_build_object('kind', l.kind, 'member_id', l.member_id, 'contribution_id', l.contribution_id,
                                        'amount_minor', l.amount_minor::text) ORDER BY l.line)
      FROM submitted_lines l WHERE l.submission_id = s.id
    ), '[]') AS lines
    FROM sheet_submissions s WHERE s.id > $1 AND s.status IN (${CERTAIN}) ORDER BY s.id LIMIT $2`,
};

const submissionText = ({ id, sheet_id, meeting_id, status }: ListedSubmission): string =>
  `submission ${id} of sheet ${sheet_id} of meeting ${meeting_id} is ${status}`;

export const sheetsCheck = pairs<ListedSubmission, StoredTransfer>({
  name: 'sheets',
  compares: 'each submitted meeting sheet with its transfer',
  from: { service: 'contribution', sql: SUBMISSIONS },
  to: { service: 'treasury', sql: TRANSFERS_BY_ID },
  differs(row, find) {
    const lines = row.lines.map((line) => ({ ...line, amount_minor: BigInt(line.amount_minor) }) as SubmittedLine);
    const isPosted = POSTED_SHEETS.includes(row.status) && lines.length > 0;
    const fault = isPosted ? transferFault(transferOf(row, lines), find()) : unwantedFault(find());
    return fault === null ? null : `${submissionText(row)}, but ${fault}`;
  },
});

/** The status of the contributions of a submission; null while it may change. */
const CONTRIBUTION_STATUS: Record<SubmissionStatus, ContributionStatus | null> = {
  opening: 'pending',
  submitted: 'pending',
  posting: null,
  confirmed: 'paid',
  reversing: 'reversing',
  reversed: 'reversed',
  rejected: 'failed',
  refused: 'refused',
};

interface SheetContribution {
  id: string;
  meeting_id: string;
  member_id: string;
  status: ContributionStatus;
  amount_minor: bigint;
}

export const sheetLinesCheck = pairs<ListedSubmission, SheetContribution>({
  name: 'sheet lines',
  compares: 'each line of a submitted meeting sheet with its contribution',
  from: { service: 'contribution', sql: SUBMISSIONS },
  to: {
    service: 'contribution',
    sql: {
      name: 'verify.contributions_of_sheets',
      text: `SELECT id, meeting_id, member_id, status, amount_minor FROM contributions
             WHERE id = ANY($1::uuid[]) AND method = 'cash'`,
    },
  },
  idsIn: ({ lines }) => lines.flatMap(({ contribution_id }) => (contribution_id === null ? [] : [contribution_id])),
  differs(row, find) {
    const expected = CONTRIBUTION_STATUS[row.status];
    if (expected === null) return null;
    const faults = row.lines.map(({ contribution_id, member_id, amount_minor }) => {
      if (contribution_id === null) return null;
      const found = find(contribution_id);
      if (found === undefined) return `its contribution ${contribution_id} is missing`;
      if (found.status !== expected) return `its contribution ${contribution_id} is ${found.status}`;
      const agrees = found.meeting_id === row.meeting_id && found.member_id === member_id;
      if (!agrees) return `its contribution ${contribution_id} is of another member or meeting`;
      if (String(found.amount_minor) === amount_minor) return null;
      return `its contribution ${contribution_id} is of ${String(found.amount_minor)}, not ${amount_minor}`;
    });
    const fault = faults.find((each) => each !== null);
    return fault === undefined ? null : `${submissionText(row)}, but ${fault}`;
  },
});
