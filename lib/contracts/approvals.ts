/** What governance agrees on with the services that carry out its decisions. */
import * as t from './fields.ts';
import { command } from './action.ts';

export const PROPOSAL_TYPES = ['role_change', 'rules_change', 'expulsion', 'closure', 'motion'] as const;
export type ProposalType = (typeof PROPOSAL_TYPES)[number];

/** What an approval can be about: its subject. */
export const SUBJECT_TYPES = ['cash_deposit', 'distribution', ...PROPOSAL_TYPES] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

/** How an approval can end. */
export const DECISIONS = ['approved', 'rejected', 'expired', 'cancelled'] as const;
export type Decision = (typeof DECISIONS)[number];

/** `done`: the decision is carried out. `failed`: it never can be, and `error` (an error code) says why. */
const executionOutcome = t.object({
  status: t.enumeration(['done', 'failed']),
  error: t.nullable(t.text(1, t.ERROR_CODE_MAX_LENGTH)),
});
export type ExecutionOutcome = t.Value<typeof executionOutcome>;

/** Tells the service that owns the subject how its approval ended. Repeated until answered; the service acts once. */
export const executeApprovalCommand = <S extends string>(service: S) =>
  command({
    name: `${service}.execute_approval`,
    input: {
      approval_id: t.id(),
      association_id: t.id(),
      subject_type: t.enumeration(SUBJECT_TYPES),
      subject_id: t.id(),
      decision: t.enumeration(DECISIONS),
      payload: t.free(),
    },
    answer: executionOutcome,
  });

// Closing an association: each service that may still hold something of it locks it before the closure is carried out.

/**
 * What a service holds of an association that is to be closed. `undecided`: only requests that it has stored but not
 * accepted yet. Each is soon refused, or accepted and then `something`.
 */
export const REMAINS = ['nothing', 'undecided', 'something'] as const;
export type Remains = (typeof REMAINS)[number];

/**
 * Locks an association of which nothing remains in the service: after that the service accepts nothing for it. Repeated,
 * it answers the same. A caller that gets `undecided` asks again. With `dry_run` it only answers.
 */
export const lockAssociationCommand = <S extends string>(service: S) =>
  command({
    name: `${service}.lock_association`,
    input: { ...t.inAssociation, approval_id: t.id(), dry_run: t.boolean() },
    answer: t.object({ remains: t.enumeration(REMAINS) }),
  });

/** Undoes the lock that this approval made. */
export const unlockAssociationCommand = <S extends string>(service: S) =>
  command({
    name: `${service}.unlock_association`,
    input: { ...t.inAssociation, approval_id: t.id() },
    answer: t.object({ ok: t.boolean() }),
  });
