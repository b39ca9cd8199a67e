/** The contracts between governance and the services that execute its decisions. */
import * as t from './fields.ts';
import { command } from './action.ts';

export const PROPOSAL_TYPES = ['role_change', 'rules_change', 'expulsion', 'closure', 'motion', 'fine_waiver'] as const;
export type ProposalType = (typeof PROPOSAL_TYPES)[number];

/** The types of the subject of an approval. */
export const SUBJECT_TYPES = [
  'cash_deposit',
  'distribution',
  'meeting_sheet',
  'correction',
  ...PROPOSAL_TYPES,
] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

/** The ways in which an approval ends. */
export const DECISIONS = ['approved', 'rejected', 'expired', 'cancelled'] as const;
export type Decision = (typeof DECISIONS)[number];

/**
 * `done`: the decision was executed. `failed`: it can never be executed, and `error` is the error code of the reason.
 */
const executionOutcome = t.object({
  status: t.enumeration(['done', 'failed']),
  error: t.nullable(t.text(1, t.ERROR_CODE_MAX_LENGTH)),
});
export type ExecutionOutcome = t.Value<typeof executionOutcome>;

/**
 * Defines the command that notifies the service that owns the subject of the end of its approval. Governance repeats it
 * until it is answered; the service executes it once.
 */
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

// Closing an association: before the closure, each service that may still hold something of the association locks it.

/**
 * The things that a service still holds of an association that is being closed. `undecided` means that there are only
 * requests that are stored but not yet accepted. Each is soon refused, or accepted and then counts as `something`.
 */
export const REMAINS = ['nothing', 'undecided', 'something'] as const;
export type Remains = (typeof REMAINS)[number];

/**
 * Defines the command that locks an association if nothing of it remains in the service, which then accepts nothing
 * more for it. Each call checks again: a caller that gets `undecided` repeats it. Once it is locked, a repeat answers
 * `nothing` until the lock is lifted. With `dry_run` nothing is locked.
 */
export const lockAssociationCommand = <S extends string>(service: S) =>
  command({
    name: `${service}.lock_association`,
    input: { ...t.inAssociation, approval_id: t.id(), dry_run: t.boolean() },
    answer: t.object({ remains: t.enumeration(REMAINS) }),
  });

/**
 * Defines the command that lifts the lock of this approval permanently: a request to lock that arrives later has no
 * effect.
 */
export const unlockAssociationCommand = <S extends string>(service: S) =>
  command({
    name: `${service}.unlock_association`,
    input: { ...t.inAssociation, approval_id: t.id() },
    answer: t.object({ ok: t.boolean() }),
  });
