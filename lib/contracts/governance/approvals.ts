import * as t from '../fields.ts';
import { exampleOfFields } from '../../schema/examples.ts';
import { pascal } from '../../schema/json-schema.ts';
import { always, chapter, command } from '../action.ts';
import { SUBJECT_TYPES } from '../approvals.ts';
import { meetingSheetPayload } from '../contribution/sheets.ts';
import { cashDepositPayload } from '../treasury/cash.ts';
import { correctionPayload } from '../treasury/corrections.ts';
import { distributionPayload } from '../treasury/distributions.ts';
import { REASON_MAX_CODE_POINTS } from '../treasury/ledger.ts';
import { PROPOSAL_PAYLOADS } from './proposal-payloads.ts';

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'cancelled'] as const;
export const VOTE_DECISIONS = ['approve', 'reject'] as const;
export const EXECUTION_STATUSES = ['none', 'pending', 'done', 'failed'] as const;

const APPROVERS_MAX = 10_000;
const EXAMPLE_DECIDED_AT = '2026-10-05T18:42:10.310Z';

/** The payload of each type of subject. */
const PAYLOADS = {
  cash_deposit: cashDepositPayload,
  distribution: distributionPayload,
  correction: correctionPayload,
  meeting_sheet: meetingSheetPayload,
  ...PROPOSAL_PAYLOADS,
};

/** Returns the shapes of an object whose `payload` depends on the member `by`: one for each type of payload. */
export function shapesBy<T extends string>(
  by: string,
  payloads: Record<T, t.Field>,
  ending: string,
  fieldsOf: (type: T) => t.Fields,
): t.Shapes {
  const shapes = Object.entries<t.Field>(payloads).map(([type, payload]) => {
    const discriminator = t.enumeration([type], 'The type of the subject, on which `payload` depends.');
    const name = pascal(type.replaceAll('_', '.')) + ending;
    return [type, t.record(name, { ...fieldsOf(type as T), [by]: discriminator, payload })] as const;
  });
  return { by, of: Object.fromEntries(shapes) };
}

const EXAMPLE_CASH = { member_id: t.EXAMPLE.member_id, amount: 10_000, currency: 'XAF', reason: 'Paid at the door' };

const vote = t.record('Vote', {
  member_id: t.memberId('The member who voted.', t.EXAMPLE.president_id),
  decision: t.enumeration(VOTE_DECISIONS, 'Their vote.', 'approve'),
  voted_at: t.at('When they voted.'),
});

const execution = t.record('Execution', {
  status: t.enumeration(
    EXECUTION_STATUSES,
    '`none`: there is nothing to execute, or not yet. `failed`: the decision can never be executed, and `error` says ' +
      'why; the approval stays approved.',
    'none',
  ),
  error: t.nullable(t.text(1, t.ERROR_CODE_MAX_LENGTH, 'An error code.'), null),
});

export const approvalFields = {
  id: t.ownId(t.EXAMPLE.approval_id),
  association_id: t.associationId(),
  subject_type: t.enumeration(SUBJECT_TYPES, 'What the board decides on.', 'cash_deposit'),
  subject_id: t.id('The cash deposit, distribution, correction, meeting sheet or proposal.', t.EXAMPLE.cash_deposit_id),
  payload: t.describe(
    t.free(),
    'Exactly what the board decides on; its members depend on `subject_type`. Show it to the voter.',
    EXAMPLE_CASH,
  ),
  payload_hash: t.sha256('SHA-256 (hex) of the RFC 8785 form of `payload`.'),
  status: t.enumeration(APPROVAL_STATUSES, '`pending` until it has ended.', 'pending'),
  required_approvals: t.integer(
    0,
    APPROVERS_MAX,
    'The number of approving votes that are needed, fixed when the approval was requested. 0 if the board is one ' +
      'person, whose own request needs no vote.',
    1,
  ),
  votes: t.list(vote, 'A vote counts only while the voter holds a board role.', []),
  requested_by_member_id: t.memberId('The member who requested it; they may not vote.', t.EXAMPLE.secretary_id),
  expires_at: t.at('When it expires.', '2026-10-19T18:30:00.000Z'),
  decided_at: t.nullable(t.at('When it was decided.'), null),
  execution: t.describe(execution, 'Whether the decision was carried out, which happens after the approval.'),
};

export const approval = t.name(
  'Approval',
  t.withShapes(
    approvalFields,
    shapesBy('subject_type', PAYLOADS, 'Approval', () => approvalFields),
  ),
);
export type Approval = t.Value<typeof approval>;

const exampleOfDecided = (status: Approval['status'], ...decisions: ('approve' | 'reject')[]): Approval =>
  exampleOfFields(approvalFields, 'answer', {
    status,
    votes: decisions.map((decision) => ({
      member_id: t.EXAMPLE.president_id,
      decision,
      voted_at: EXAMPLE_DECIDED_AT,
    })),
    decided_at: EXAMPLE_DECIDED_AT,
    execution: { status: 'done', error: null },
  });

const endpoint = chapter('Governance');
const inApproval = { ...t.inAssociation, approval_id: t.approvalId('The approval.') };

export const approve = endpoint({
  name: 'governance.approve',
  summary: 'Vote for a request',
  description:
    'The answer to the deciding vote waits a moment for the execution, which may still be `pending`. Send the ' +
    '`payload_hash` of the `payload` that the voter was shown, so that they approve exactly that payload.',
  permission: 'decide',
  refuses: ['own_request', 'beneficiary_cannot_approve', 'already_voted', 'approval_not_pending', 'approval_changed'],
  path: t.inAssociation,
  body: {
    approval_id: t.approvalId('The approval.'),
    pin: t.sealedPin(),
    payload_hash: t.optional(
      t.opaque(t.HEX_256_LENGTH, 'The hash of the payload that the voter was shown.', t.EXAMPLE_HASH),
    ),
  },
  answer: approval,
  examples: { answer: exampleOfDecided('approved', 'approve') },
});

export const reject = endpoint({
  name: 'governance.reject',
  summary: 'Vote against a request',
  description: 'A request is rejected as soon as it can no longer get the required number of approvals.',
  permission: 'decide',
  refuses: ['own_request', 'beneficiary_cannot_approve', 'already_voted', 'approval_not_pending'],
  path: t.inAssociation,
  body: {
    approval_id: t.approvalId('The approval.'),
    pin: t.sealedPin(),
    reason: t.optional(t.text(1, REASON_MAX_CODE_POINTS, 'Stored with the vote.', 'The receipt is missing.')),
  },
  answer: approval,
  examples: { answer: exampleOfDecided('rejected', 'reject') },
});

export const listApprovals = endpoint({
  name: 'governance.list_approvals',
  summary: 'List approvals',
  description: 'Newest first.',
  permission: 'read',
  path: t.inAssociation,
  query: {
    ...t.pageQuery,
    status: t.optional(t.enumeration(APPROVAL_STATUSES, 'Only with this status.', 'pending')),
    subject_type: t.optional(t.enumeration(SUBJECT_TYPES, 'Only for subjects of this type.', 'cash_deposit')),
  },
  answer: t.pageOf(approval),
});

export const getApproval = endpoint({
  name: 'governance.get_approval',
  summary: 'Show an approval with its votes',
  permission: 'read',
  path: inApproval,
  answer: approval,
});

export const cancelApproval = endpoint({
  name: 'governance.cancel_approval',
  summary: "Cancel the caller's own request",
  description: 'The requester may cancel it regardless of their current role.',
  permission: 'cancel_request',
  refuses: ['not_requester', 'approval_not_pending'],
  path: inApproval,
  answer: approval,
  examples: { answer: exampleOfDecided('cancelled') },
});

const request = {
  ...t.inAssociation,
  subject_type: t.enumeration(SUBJECT_TYPES),
  requested_by_member_id: t.id(),
  /** The member that the request benefits or concerns, who may not vote. */
  concerned_member_id: t.nullable(t.id()),
};

/** Returns how many approvals a request would need. Refuses with no_eligible_approver. Writes nothing. */
export const checkEligibility = command({
  name: 'governance.check_eligibility',
  reads: always,
  input: request,
  answer: t.object({ required_approvals: t.integer(1, APPROVERS_MAX) }),
});

/** Opens the approval of a request, once per id. Refuses with no_eligible_approver. */
export const requestApproval = command({
  name: 'governance.request_approval',
  input: { ...request, approval_id: t.id(), subject_id: t.id(), payload: t.free() },
  answer: approval,
});

const { status, subject_type, expires_at } = approvalFields;

/**
 * Reads for whose votes a request waits, for services that tell them. `status` may be `pending` for a moment after the request
 * has expired. Refuses with not_found.
 */
export const waitingVotes = command({
  name: 'governance.waiting_votes',
  reads: always,
  input: inApproval,
  answer: t.object({
    status,
    subject_type,
    expires_at,
    /** The members of the board who may vote now, and have not; empty once the request is decided or has expired. */
    waiting_member_ids: t.list(t.id()),
  }),
});
