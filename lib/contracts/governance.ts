/** Governance: approvals, votes, proposals (maker-checker). */
import {
  boolean,
  enumeration,
  free,
  id,
  instant,
  integer,
  list,
  nullable,
  object,
  opaque,
  optional,
  text,
} from '../schema/fields.ts';
import type { Value } from '../schema/fields.ts';
import { command, endpoint } from './action.ts';
import { optionalReason, PROPOSAL_TYPES, SUBJECT_TYPES } from './approvals.ts';
import { pageOf, pageQuery } from './lists.ts';
import { sealedPin } from './membership.ts';
import { ROLES } from './permissions.ts';

export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'cancelled'] as const;
export const VOTE_DECISIONS = ['approve', 'reject'] as const;
export const EXECUTION_STATUSES = ['none', 'pending', 'done', 'failed'] as const;

const TITLE_MAX_CODE_POINTS = 200;
/** Hex of SHA-256. */
const HASH_LENGTH = 64;
const APPROVERS_MAX = 10_000;

export const approval = object({
  id: id(),
  association_id: id(),
  subject_type: enumeration(SUBJECT_TYPES),
  subject_id: id(),
  payload: free(),
  /** SHA-256 (hex) of the RFC 8785 form of `payload`. */
  payload_hash: opaque(HASH_LENGTH),
  status: enumeration(APPROVAL_STATUSES),
  required_approvals: integer(0, APPROVERS_MAX),
  votes: list(object({ member_id: id(), decision: enumeration(VOTE_DECISIONS), voted_at: instant() })),
  requested_by_member_id: id(),
  expires_at: instant(),
  decided_at: nullable(instant()),
  execution: object({ status: enumeration(EXECUTION_STATUSES), error: nullable(text(1, 100)) }),
});
export type Approval = Value<typeof approval>;

export const proposal = object({
  id: id(),
  association_id: id(),
  type: enumeration(PROPOSAL_TYPES),
  title: text(1, TITLE_MAX_CODE_POINTS),
  payload: free(),
  approval,
});
export type Proposal = Value<typeof proposal>;

/** What each type of proposal carries. */
export const PROPOSAL_PAYLOADS = {
  role_change: { member_id: id(), role: enumeration(ROLES) },
} as const;

const inAssociation = { association_id: id() };

// Endpoints

export const approve = endpoint({
  name: 'governance.approve',
  path: inAssociation,
  body: { approval_id: id(), pin: sealedPin(), payload_hash: optional(opaque(HASH_LENGTH)) },
  answer: approval,
});

export const reject = endpoint({
  name: 'governance.reject',
  path: inAssociation,
  body: { approval_id: id(), pin: sealedPin(), reason: optionalReason() },
  answer: approval,
});

export const listApprovals = endpoint({
  name: 'governance.list_approvals',
  path: inAssociation,
  query: {
    ...pageQuery,
    status: optional(enumeration(APPROVAL_STATUSES)),
    subject_type: optional(enumeration(SUBJECT_TYPES)),
  },
  answer: pageOf(approval),
});

export const getApproval = endpoint({
  name: 'governance.get_approval',
  path: { ...inAssociation, approval_id: id() },
  answer: approval,
});

export const cancelApproval = endpoint({
  name: 'governance.cancel_approval',
  path: { ...inAssociation, approval_id: id() },
  answer: approval,
});

export const propose = endpoint({
  name: 'governance.propose',
  path: inAssociation,
  body: { type: enumeration(PROPOSAL_TYPES), title: text(1, TITLE_MAX_CODE_POINTS), payload: free() },
  status: 201,
  answer: proposal,
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
  input: request,
  answer: object({ required_approvals: integer(1, APPROVERS_MAX) }),
});

/** Opens the approval of a request, once for each id; refuses with no_eligible_approver. */
export const requestApproval = command({
  name: 'governance.request_approval',
  input: { ...request, approval_id: id(), subject_id: id(), payload: free() },
  answer: approval,
});

export const health = command({ name: 'governance.health', input: {}, answer: object({ ok: boolean() }) });
