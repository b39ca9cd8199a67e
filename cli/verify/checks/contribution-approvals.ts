/** The approvals whose decisions contribution executes: on meeting sheets, and on waivers of fines. */
import type { Decision } from '../../../lib/contracts/approvals.ts';
import type { FineStatus } from '../../../services/contribution/fines/fine.table.ts';
import { POSTED_SHEETS, type SubmissionStatus } from '../../../services/contribution/sheets/sheet.table.ts';
import { PENDING } from '../../../services/governance/approvals/approval.table.ts';
import { pairs } from '../pairs.ts';
import {
  APPROVALS_BY_ID,
  approvalsOf,
  approvalText,
  isNotified,
  type ListedApproval,
  type StoredApproval,
} from './approvals.ts';

interface Submission {
  /** The id of the approval. */
  id: string;
  sheet_id: string;
  status: SubmissionStatus;
  decision: Decision | null;
}

const submissions = (condition: string): string =>
  `SELECT approval_id AS id, sheet_id, status, decision FROM sheet_submissions WHERE ${condition}`;

export const sheetApprovalsCheck = pairs<ListedApproval, Submission>({
  name: 'sheet approvals',
  compares: 'each approval of a meeting sheet with its submission',
  from: { service: 'governance', sql: approvalsOf('sheets', ['meeting_sheet']) },
  to: {
    service: 'contribution',
    sql: { name: 'verify.submissions_by_approval', text: submissions('approval_id = ANY($1::uuid[])') },
  },
  differs(approval, find) {
    const submission = find();
    if (submission === undefined) return `${approvalText(approval)}, but contribution has no such submission`;
    const { status } = submission;
    if (status === 'refused') return null;
    const isPending = PENDING.includes(approval.status);
    if (!isPending && !isNotified(approval)) return null;
    const isDone = approval.execution_status === 'done';
    const agrees = isPending
      ? status === 'opening' || status === 'submitted'
      : isDone
        ? POSTED_SHEETS.includes(status)
        : status === 'rejected';
    if (agrees) return null;
    return `${approvalText(approval)} with execution ${approval.execution_status}, but its submission is ${status}`;
  },
});

export const submissionsCheck = pairs<Submission, StoredApproval>({
  name: 'submissions',
  compares: 'each submitted meeting sheet with its approval',
  from: {
    service: 'contribution',
    sql: {
      name: 'verify.opened_submissions',
      text: `${submissions(`approval_id > $1 AND status NOT IN ('opening', 'refused')`)} ORDER BY approval_id LIMIT $2`,
    },
  },
  to: { service: 'governance', sql: APPROVALS_BY_ID },
  differs({ id, sheet_id, status, decision }, find) {
    const what = `the submission of sheet ${sheet_id} is ${status}`;
    const approval = find();
    if (approval === undefined) return `${what}, but governance has no approval ${id}`;
    if (decision === null || approval.status === decision) return null;
    return `${what} after the decision ${decision}, but its approval ${id} is ${approval.status}`;
  },
});

type ListedWaiver = ListedApproval & { fine_id: string };

interface WaivedFine {
  id: string;
  association_id: string;
  status: FineStatus;
  waived_by_approval_id: string | null;
}

const fines = (condition: string): string =>
  `SELECT id, association_id, status, waived_by_approval_id FROM fines WHERE ${condition}`;

export const waiversCheck = pairs<ListedWaiver, WaivedFine>({
  name: 'waivers',
  compares: 'each approval of the waiver of a fine with the fine',
  from: {
    service: 'governance',
    sql: approvalsOf('waivers', ['fine_waiver'], `, a.payload ->> 'fine_id' AS fine_id`),
  },
  to: { service: 'contribution', sql: { name: 'verify.fines_by_id', text: fines('id = ANY($1::uuid[])') } },
  idsIn: ({ fine_id }) => [fine_id],
  differs(approval, find) {
    const { id, fine_id, status, execution_status } = approval;
    const fine = find(fine_id);
    if (fine === undefined) return `${approvalText(approval)}, but contribution has no fine ${fine_id}`;
    if (status === 'approved' && !isNotified(approval)) return null;
    const isWaived = fine.waived_by_approval_id === id;
    if (isWaived === (execution_status === 'done')) return null;
    const found = isWaived ? 'is waived by it' : `is ${fine.status}`;
    return `${approvalText(approval)} with execution ${execution_status}, but fine ${fine_id} ${found}`;
  },
});

export const waivedFinesCheck = pairs<WaivedFine, StoredApproval>({
  name: 'waived fines',
  compares: 'each waived fine with its approval',
  from: {
    service: 'contribution',
    sql: { name: 'verify.waived_fines', text: `${fines(`id > $1 AND status = 'waived'`)} ORDER BY id LIMIT $2` },
  },
  to: { service: 'governance', sql: APPROVALS_BY_ID },
  idsIn: ({ waived_by_approval_id: approval_id }) => (approval_id === null ? [] : [approval_id]),
  differs({ id, association_id, waived_by_approval_id }, find) {
    const approval_id = String(waived_by_approval_id);
    const approval = find(approval_id);
    if (approval?.status === 'approved') return null;
    const found = approval === undefined ? 'governance does not have' : `is ${approval.status}`;
    return `fine ${id} of association ${association_id} is waived by approval ${approval_id}, which ${found}`;
  },
});
