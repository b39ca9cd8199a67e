/** Governance: approvals, votes, proposals (maker-checker). */
import {
  amount,
  boolean,
  described,
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
  shaped,
  someOf,
  text,
} from '../schema/fields.ts';
import type { Field, Fields, Shapes, Value } from '../schema/fields.ts';
import { always, command, endpoint } from './action.ts';
import { optionalReason, PROPOSAL_TYPES, SUBJECT_TYPES } from './approvals.ts';
import { currencyCode, maxMembers, rulesChange } from './membership/associations.ts';
import {
  approvalId,
  associationId,
  at,
  EXAMPLE,
  EXAMPLE_HASH,
  HEX_256_LENGTH,
  meetingId,
  memberId,
  ownId,
  sealedPin,
  sha256,
} from './ids.ts';
import { pageOf, pageQuery } from './lists.ts';
import { ROLES } from './permissions.ts';

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'cancelled'] as const;
export const VOTE_DECISIONS = ['approve', 'reject'] as const;
export const EXECUTION_STATUSES = ['none', 'pending', 'done', 'failed'] as const;

const TITLE_MAX_CODE_POINTS = 200;
/** A resolution is a page or two; the body may hold 64 KiB. */
const MOTION_MAX_CODE_POINTS = 10_000;
const APPROVERS_MAX = 10_000;

/** What each type of proposal carries. */
export const PROPOSAL_PAYLOADS = {
  role_change: object({
    member_id: memberId('Whose role.'),
    role: described(enumeration(ROLES), 'A new president makes the old one a member, in one step.', 'treasurer'),
  }),
  /** In force from the next cycle on, `shortfall` at once. */
  rules_change: someOf({
    rules: optional(rulesChange),
    contribution_amount: described(optional(amount()), 'From the next cycle on.', 12_000),
    max_members: optional(maxMembers()),
  }),
  expulsion: object({ member_id: memberId('Who is to be expelled.') }),
  closure: object({}),
  motion: object({
    text: described(text(1, MOTION_MAX_CODE_POINTS), 'What is resolved.', 'We meet at the school from now on.'),
  }),
} as const;

const proposalPayloads = {
  role_change: named('RoleChangePayload', PROPOSAL_PAYLOADS.role_change),
  rules_change: named('RulesChangePayload', PROPOSAL_PAYLOADS.rules_change),
  expulsion: named('ExpulsionPayload', PROPOSAL_PAYLOADS.expulsion),
  closure: named('ClosurePayload', PROPOSAL_PAYLOADS.closure),
  motion: named('MotionPayload', PROPOSAL_PAYLOADS.motion),
};

/** What treasury asks the board about. */
const requestPayloads = {
  cash_deposit: named(
    'CashDepositPayload',
    object({
      member_id: memberId('Who handed the cash over.'),
      amount: described(money(), 'How much.', 10_000),
      currency: currencyCode('ISO 4217.'),
      reason: described(text(1, 500), 'As it was given.', 'Paid at the door'),
      meeting_id: optional(meetingId('The meeting that it is for.')),
    }),
  ),
  distribution: named(
    'DistributionPayload',
    object({
      beneficiary_member_id: memberId('Who is to be paid.'),
      amount: described(money(), 'How much.', 25_000),
      currency: currencyCode('ISO 4217.'),
      reason: described(text(1, 500), 'As it was given.', 'Hospital bill'),
    }),
  ),
};

/** Objects whose `payload` depends on a member of theirs: one shape for each value of it. */
function shapesBy<T extends string>(
  by: string,
  payloads: Record<T, Field>,
  ending: string,
  fieldsOf: (type: T) => Fields,
): Shapes {
  const shape = ([type, payload]: [string, Field]): [string, Field] => [
    type,
    named(
      `${type.replace(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase())}${ending}`,
      object({
        ...fieldsOf(type as T),
        [by]: described(enumeration([type]), 'What it is about, and what `payload` holds.'),
        payload,
      }),
    ),
  ];
  return { by, of: Object.fromEntries(Object.entries<Field>(payloads).map(shape)) };
}

const EXAMPLE_CASH = {
  member_id: EXAMPLE.member_id,
  amount: 10_000,
  currency: 'XAF',
  reason: 'Paid at the door',
};
const EXAMPLE_ROLE_CHANGE = { member_id: EXAMPLE.member_id, role: 'treasurer' };

const approvalFields = {
  id: ownId(EXAMPLE.approval_id),
  association_id: associationId(),
  subject_type: described(enumeration(SUBJECT_TYPES), 'What is decided on.', 'cash_deposit'),
  subject_id: described(id(), 'The cash deposit, distribution or proposal.', EXAMPLE.cash_deposit_id),
  payload: described(free(), 'What exactly is decided on, by `subject_type`. Show it to the voter.', EXAMPLE_CASH),
  payload_hash: sha256('SHA-256 (hex) of the RFC 8785 form of `payload`.'),
  status: described(enumeration(APPROVAL_STATUSES), 'How it ended, once it has.', 'pending'),
  required_approvals: described(
    integer(0, APPROVERS_MAX),
    'How many votes for it take it through: fixed when it was asked for. 0: the board is one person, and asking was ' +
      'approving.',
    1,
  ),
  votes: described(
    list(
      named(
        'Vote',
        object({
          member_id: memberId('Who voted.', EXAMPLE.president_id),
          decision: described(enumeration(VOTE_DECISIONS), 'How.', 'approve'),
          voted_at: at('When.'),
        }),
      ),
    ),
    'A vote counts only while its voter holds a board role.',
    [],
  ),
  requested_by_member_id: memberId('Who asked for it; he has no vote.', EXAMPLE.secretary_id),
  expires_at: at('When it expires.', '2026-10-19T18:30:00.000Z'),
  decided_at: described(nullable(at('')), 'When it was decided.', null),
  execution: described(
    named(
      'Execution',
      object({
        status: described(
          enumeration(EXECUTION_STATUSES),
          '`none`: nothing is to be done (yet). `failed`: it can never be done, and `error` says why; the approval ' +
            'stays approved.',
          'none',
        ),
        error: described(nullable(text(1, 100)), 'An error code.', null),
      }),
    ),
    'What became of the decision: a fact of its own.',
  ),
};

export const approval = named(
  'Approval',
  shaped(
    approvalFields,
    shapesBy('subject_type', { ...requestPayloads, ...proposalPayloads }, 'Approval', () => approvalFields),
  ),
);
export type Approval = Value<typeof approval>;

const EXAMPLE_APPROVAL: Approval = {
  id: EXAMPLE.approval_id,
  association_id: EXAMPLE.association_id,
  subject_type: 'cash_deposit',
  subject_id: EXAMPLE.cash_deposit_id,
  payload: EXAMPLE_CASH,
  payload_hash: EXAMPLE_HASH,
  status: 'pending',
  required_approvals: 1,
  votes: [],
  requested_by_member_id: EXAMPLE.secretary_id,
  expires_at: '2026-10-19T18:30:00.000Z',
  decided_at: null,
  execution: { status: 'none', error: null },
};
const decided = (status: Approval['status'], decision?: 'approve' | 'reject'): Approval => ({
  ...EXAMPLE_APPROVAL,
  status,
  votes:
    decision === undefined ? [] : [{ member_id: EXAMPLE.president_id, decision, voted_at: '2026-10-05T18:42:10.310Z' }],
  decided_at: '2026-10-05T18:42:10.310Z',
  execution: { status: 'done', error: null },
});

const EXAMPLE_TITLES = {
  role_change: 'Awa becomes treasurer',
  rules_change: 'A higher contribution from the next cycle on',
  expulsion: 'Awa is to leave us',
  closure: 'We close the association',
  motion: 'Where we meet',
};
const proposalTitle = (type: keyof typeof EXAMPLE_TITLES = 'role_change') =>
  described(text(1, TITLE_MAX_CODE_POINTS), 'For people.', EXAMPLE_TITLES[type]);

const proposalFields = {
  id: ownId('0199e1c2-6600-7f40-8000-000000000042'),
  association_id: associationId(),
  type: described(enumeration(PROPOSAL_TYPES), 'What is proposed.', 'role_change'),
  title: proposalTitle(),
  payload: described(free(), 'What exactly, by `type`.', EXAMPLE_ROLE_CHANGE),
  approval,
};

export const proposal = named(
  'Proposal',
  shaped(
    proposalFields,
    shapesBy('type', proposalPayloads, 'Proposal', (type) => ({ ...proposalFields, title: proposalTitle(type) })),
  ),
);
export type Proposal = Value<typeof proposal>;

const inAssociation = { association_id: associationId() };

// Endpoints

export const approve = endpoint({
  name: 'governance.approve',
  tag: 'Governance',
  summary: 'Vote for a request',
  description:
    'The answer to the deciding vote waits a moment for the execution, and may say `pending`. Send the `payload_hash` that ' +
    'the voter has seen, computed from the `payload` shown to him, and he approves that and nothing else.',
  permission: 'decide',
  refuses: ['own_request', 'beneficiary_cannot_approve', 'already_voted', 'approval_not_pending', 'approval_changed'],
  path: inAssociation,
  body: {
    approval_id: approvalId('The approval.'),
    pin: sealedPin(),
    payload_hash: described(optional(opaque(HEX_256_LENGTH)), 'Of the payload that the voter has seen.', EXAMPLE_HASH),
  },
  answer: approval,
  examples: { answer: decided('approved', 'approve') },
});

export const reject = endpoint({
  name: 'governance.reject',
  tag: 'Governance',
  summary: 'Vote against a request',
  description: 'It is rejected as soon as the required number of approvals cannot be reached.',
  permission: 'decide',
  refuses: ['own_request', 'beneficiary_cannot_approve', 'already_voted', 'approval_not_pending'],
  path: inAssociation,
  body: { approval_id: approvalId('The approval.'), pin: sealedPin(), reason: optionalReason() },
  answer: approval,
  examples: { answer: decided('rejected', 'reject') },
});

export const listApprovals = endpoint({
  name: 'governance.list_approvals',
  tag: 'Governance',
  summary: 'List approvals',
  description: 'The newest first.',
  permission: 'read',
  path: inAssociation,
  query: {
    ...pageQuery,
    status: described(optional(enumeration(APPROVAL_STATUSES)), 'Only with this status.', 'pending'),
    subject_type: described(optional(enumeration(SUBJECT_TYPES)), 'Only on subjects of this type.', 'cash_deposit'),
  },
  answer: pageOf(approval),
});

export const getApproval = endpoint({
  name: 'governance.get_approval',
  tag: 'Governance',
  summary: 'Show an approval with its votes',
  permission: 'read',
  path: { ...inAssociation, approval_id: approvalId('The approval.') },
  answer: approval,
});

export const cancelApproval = endpoint({
  name: 'governance.cancel_approval',
  tag: 'Governance',
  summary: "Cancel one's own request",
  description: 'Whatever role its requester has by now.',
  permission: 'cancel_request',
  refuses: ['not_requester', 'approval_not_pending'],
  path: { ...inAssociation, approval_id: approvalId('The approval.') },
  answer: approval,
  examples: { answer: decided('cancelled') },
});

export const propose = endpoint({
  name: 'governance.propose',
  tag: 'Governance',
  summary: 'Propose a change of the association',
  description:
    'Of a role, of the rules (from the next cycle on; `shortfall` at once), an expulsion, the closure, or a motion. The ' +
    'board votes on it. While the board is one person, asking is approving: it is executed before the answer.',
  permission: 'propose',
  refuses: [
    'amount_precision',
    'no_eligible_approver',
    'member_has_obligations',
    'president_cannot_leave',
    'association_full',
    'association_not_empty',
  ],
  path: inAssociation,
  body: {
    type: described(enumeration(PROPOSAL_TYPES), 'What is proposed.', 'role_change'),
    title: proposalTitle(),
    payload: described(free(), 'What exactly, by `type`.', EXAMPLE_ROLE_CHANGE),
  },
  body_shapes: shapesBy('type', proposalPayloads, 'Proposal', (type) => ({ title: proposalTitle(type) })),
  status: 201,
  answer: proposal,
  examples: {
    answer: {
      id: '0199e1c2-6600-7f40-8000-000000000042',
      association_id: EXAMPLE.association_id,
      type: 'role_change',
      title: 'Awa becomes treasurer',
      payload: EXAMPLE_ROLE_CHANGE,
      approval: {
        ...EXAMPLE_APPROVAL,
        subject_type: 'role_change',
        subject_id: '0199e1c2-6600-7f40-8000-000000000042',
        payload: EXAMPLE_ROLE_CHANGE,
      },
    },
  },
});

// Commands

const request = {
  ...inAssociation,
  subject_type: enumeration(SUBJECT_TYPES),
  requested_by_member_id: id(),
  /** Whom it benefits or concerns: he may not vote. */
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

export const health = command({
  name: 'governance.health',
  input: {},
  answer: object({ ok: boolean(), delayed_events: optional(boolean()) }),
});
