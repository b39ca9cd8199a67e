/** What governance and the services whose requests it decides agree on. */
import { described, enumeration, free, id, nullable, object, optional, text } from '../schema/fields.ts';
import type { Value } from '../schema/fields.ts';

export const PROPOSAL_TYPES = ['role_change', 'rules_change', 'expulsion', 'closure', 'motion'] as const;
export const SUBJECT_TYPES = ['cash_deposit', 'distribution', ...PROPOSAL_TYPES] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

/** How a request can end. */
export const DECISIONS = ['approved', 'rejected', 'expired', 'cancelled'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Tells the owner of a subject how its approval ended. Repeated until answered; the owner acts once. */
export const executeApprovalInput = {
  approval_id: id(),
  association_id: id(),
  subject_type: enumeration(SUBJECT_TYPES),
  subject_id: id(),
  decision: enumeration(DECISIONS),
  payload: free(),
};

/** `done`: it is as decided. `failed`: it can never be, and `error` (an error code) says why. */
export const executionOutcome = object({
  status: enumeration(['done', 'failed']),
  error: nullable(text(1, 100)),
});
export type ExecutionOutcome = Value<typeof executionOutcome>;

/**
 * What a service holds of an association that is to be closed. `undecided`: at most requests that it has stored and not
 * accepted yet; each is over soon, refused, or accepted and then `something`.
 */
export const REMAINS = ['nothing', 'undecided', 'something'] as const;
export type Remains = (typeof REMAINS)[number];

export const optionalReason = () =>
  described(optional(text(1, 500)), 'Why; kept with the vote.', 'The receipt is missing.');
