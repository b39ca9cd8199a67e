import {
  enumeration,
  free,
  id,
  integer,
  list,
  money,
  named,
  nullable,
  object,
  opaque,
  optional,
  record,
  described,
  shaped,
  text,
} from '../../schema/fields.ts';
import type { Field, Fields, Shapes, Value } from '../../schema/fields.ts';
import { exampleOf, exampleOfFields } from '../../schema/examples.ts';
import { pascal } from '../../schema/json-schema.ts';
import { always, chapter, command } from '../action.ts';
import { SUBJECT_TYPES } from '../approvals.ts';
import {
  approvalId,
  associationId,
  at,
  ERROR_CODE_MAX_LENGTH,
  EXAMPLE,
  EXAMPLE_HASH,
  HEX_256_LENGTH,
  inAssociation,
  meetingId,
  memberId,
  ownId,
  sealedPin,
  sha256,
} from '../ids.ts';
import { pageOf, pageQuery } from '../lists.ts';
import { currencyCode } from '../membership/associations.ts';
import { PROPOSAL_PAYLOADS } from './proposal-payloads.ts';

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'cancelled'] as const;
export const VOTE_DECISIONS = ['approve', 'reject'] as const;
export const EXECUTION_STATUSES = ['none', 'pending', 'done', 'failed'] as const;

const REASON_MAX_CODE_POINTS = 500;
const APPROVERS_MAX = 10_000;
const EXAMPLE_DECIDED_AT = '2026-10-05T18:42:10.310Z';

const requestedReason = (example: string) => text(1, REASON_MAX_CODE_POINTS, 'As the requester gave it.', example);

/** What treasury asks the board about. */
const REQUEST_PAYLOADS = {
  cash_deposit: record('CashDepositPayload', {
    member_id: memberId('The member who paid the cash.'),
    amount: money('The amount.', 10_000),
    currency: currencyCode(),
    reason: requestedReason('Paid at the door'),
    meeting_id: optional(meetingId('The meeting to which it is a contribution.')),
  }),
  distribution: record('DistributionPayload', {
    beneficiary_member_id: memberId('The member who is to be paid.'),
    amount: money('The amount.', 25_000),
    currency: currencyCode(),
    reason: requestedReason('Hospital bill'),
  }),
};

/** The forms of an object whose `payload` depends on its member `by`: one for each type of payload. */
export function shapesBy<T extends string>(
  by: string,
  payloads: Record<T, Field>,
  ending: string,
  fieldsOf: (type: T) => Fields,
): Shapes {
  const shapes = Object.entries<Field>(payloads).map(([type, payload]) => {
    const discriminator = enumeration([type], 'What it is about; `payload` depends on it.');
    const name = pascal(type.replaceAll('_', '.')) + ending;
    return [type, record(name, { ...fieldsOf(type as T), [by]: discriminator, payload })] as const;
  });
  return { by, of: Object.fromEntries(shapes) };
}

const { meeting_id: _, ...EXAMPLE_CASH } = exampleOf(REQUEST_PAYLOADS.cash_deposit, 'answer');

const vote = record('Vote', {
  member_id: memberId('The member who voted.', EXAMPLE.president_id),
  decision: enumeration(VOTE_DECISIONS, 'Their vote.', 'approve'),
  voted_at: at('When they voted.'),
});

const execution = record('Execution', {
  status: enumeration(
    EXECUTION_STATUSES,
    '`none`: there is nothing to do, or not yet. `failed`: it can never be done, and `error` says why; the approval ' +
      'stays approved.',
    'none',
  ),
  error: nullable(text(1, ERROR_CODE_MAX_LENGTH, 'An error code.'), null),
});

const approvalFields = {
  id: ownId(EXAMPLE.approval_id),
  association_id: associationId(),
  subject_type: enumeration(SUBJECT_TYPES, 'What the board decides on.', 'cash_deposit'),
  subject_id: id('The cash deposit, distribution or proposal.', EXAMPLE.cash_deposit_id),
  payload: described(
    free(),
    'Exactly what the board decides on; its members depend on `subject_type`. Show it to the voter.',
    EXAMPLE_CASH,
  ),
  payload_hash: sha256('SHA-256 (hex) of the RFC 8785 form of `payload`.'),
  status: enumeration(APPROVAL_STATUSES, '`pending` until it has ended.', 'pending'),
  required_approvals: integer(
    0,
    APPROVERS_MAX,
    'The number of votes that approve it, fixed when it was requested. 0: the board is one person, whose request is ' +
      'its own approval.',
    1,
  ),
  votes: list(vote, 'A vote counts only while the voter holds a board role.', []),
  requested_by_member_id: memberId('The member who requested it; they may not vote.', EXAMPLE.secretary_id),
  expires_at: at('When it expires.', '2026-10-19T18:30:00.000Z'),
  decided_at: nullable(at('When it was decided.'), null),
  execution: described(execution, 'Whether the decision was carried out, which happens after the approval.'),
};

export const approval = named(
  'Approval',
  shaped(
    approvalFields,
    shapesBy('subject_type', { ...REQUEST_PAYLOADS, ...PROPOSAL_PAYLOADS }, 'Approval', () => approvalFields),
  ),
);
export type Approval = Value<typeof approval>;

const exampleOfDecided = (status: Approval['status'], ...decisions: ('approve' | 'reject')[]): Approval =>
  exampleOfFields(approvalFields, 'answer', {
    status,
    votes: decisions.map((decision) => ({
      member_id: EXAMPLE.president_id,
      decision,
      voted_at: EXAMPLE_DECIDED_AT,
    })),
    decided_at: EXAMPLE_DECIDED_AT,
    execution: { status: 'done', error: null },
  });

const endpoint = chapter('Governance');
const inApproval = { ...inAssociation, approval_id: approvalId('The approval.') };

export const approve = endpoint({
  name: 'governance.approve',
  summary: 'Vote for a request',
  description:
    'The answer to the deciding vote waits a moment for the execution, which may still be `pending`. Send the ' +
    '`payload_hash` of the `payload` that the voter was shown: then they approve exactly that.',
  permission: 'decide',
  refuses: ['own_request', 'beneficiary_cannot_approve', 'already_voted', 'approval_not_pending', 'approval_changed'],
  path: inAssociation,
  body: {
    approval_id: approvalId('The approval.'),
    pin: sealedPin(),
    payload_hash: optional(opaque(HEX_256_LENGTH, 'Of the payload that the voter was shown.', EXAMPLE_HASH)),
  },
  answer: approval,
  examples: { answer: exampleOfDecided('approved', 'approve') },
});

export const reject = endpoint({
  name: 'governance.reject',
  summary: 'Vote against a request',
  description: 'A request is rejected as soon as it cannot get the required number of approvals.',
  permission: 'decide',
  refuses: ['own_request', 'beneficiary_cannot_approve', 'already_voted', 'approval_not_pending'],
  path: inAssociation,
  body: {
    approval_id: approvalId('The approval.'),
    pin: sealedPin(),
    reason: optional(text(1, REASON_MAX_CODE_POINTS, 'Stored with the vote.', 'The receipt is missing.')),
  },
  answer: approval,
  examples: { answer: exampleOfDecided('rejected', 'reject') },
});

export const listApprovals = endpoint({
  name: 'governance.list_approvals',
  summary: 'List approvals',
  description: 'Newest first.',
  permission: 'read',
  path: inAssociation,
  query: {
    ...pageQuery,
    status: optional(enumeration(APPROVAL_STATUSES, 'Only with this status.', 'pending')),
    subject_type: optional(enumeration(SUBJECT_TYPES, 'Only on subjects of this type.', 'cash_deposit')),
  },
  answer: pageOf(approval),
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
  description: 'The requester may cancel it whatever their present role.',
  permission: 'cancel_request',
  refuses: ['not_requester', 'approval_not_pending'],
  path: inApproval,
  answer: approval,
  examples: { answer: exampleOfDecided('cancelled') },
});

const request = {
  ...inAssociation,
  subject_type: enumeration(SUBJECT_TYPES),
  requested_by_member_id: id(),
  /** The member whom it benefits or concerns, and who may not vote. */
  concerned_member_id: nullable(id()),
};

/** How many approvals a request would need; refuses with no_eligible_approver. Writes nothing. */
export const checkEligibility = command({
  name: 'governance.check_eligibility',
  reads: always,
  input: request,
  answer: object({ required_approvals: integer(1, APPROVERS_MAX) }),
});

/** Opens the approval of a request, once for each id; refuses with no_eligible_approver. */
export const requestApproval = command({
  name: 'governance.request_approval',
  input: { ...request, approval_id: id(), subject_id: id(), payload: free() },
  answer: approval,
});
