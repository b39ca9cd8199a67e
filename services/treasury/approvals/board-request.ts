/** The common part of cash deposits, distributions and corrections: requests that the board decides on. */
import type { Caller } from '../../../lib/contracts/action.ts';
import type { Decision } from '../../../lib/contracts/approvals.ts';
import { checkEligibility } from '../../../lib/contracts/governance.ts';
import type { NamedMember } from '../../../lib/contracts/membership.ts';
import type { Permission } from '../../../lib/contracts/permissions.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { insertRows, type Table } from '../../../lib/db/table.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import { areLocked, membershipSubject, storeWhenUnlocked } from '../../../lib/locks/locks.ts';
import type { Move, Saga, SagaRow } from '../../../lib/saga/saga.ts';
import type { SagaTimings } from '../../../lib/saga/timings.ts';
import { activeMember, amountOf, authorizeCaller, requireSameMember } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import type { CorrectionState } from '../corrections/correction.table.ts';
import type { CashDepositState } from '../cash/cash-deposit.table.ts';
import type { DistributionState } from '../distributions/distribution.table.ts';

/** The columns of a request that all kinds have. */
export interface BoardRequest<S extends string> extends SagaRow<S> {
  association_id: string;
  approval_id: string;
  decision: Decision | null;
  refusal: Refusal | null;
}

/** The saga of a kind of request, with the moves that are made outside of its steps. */
export interface BoardSaga<S extends string, Row extends BoardRequest<S>> {
  saga: Saga<S, Row>;
  /** The state in which governance is asked for the approval. */
  opening: S;
  /** The states of an approved request that was carried out, even if a correction has reversed it since. */
  done: readonly S[];
  moveToPending: (row: Row) => Move<S, Row>;
  moveByDecision: (row: Row, decision: Decision) => Move<S, Row>;
  /** The move that undoes a request before its approval is open; undefined if that is not possible. */
  undo: (row: Row, refusal: Refusal) => Move<S, Row> | undefined;
}

/** The states that the sagas of all kinds have. */
type CommonState = CashDepositState & DistributionState & CorrectionState;

/** States in which a request has been refused; its reserve or due may still have to be given back. */
const REFUSED: readonly string[] = ['withdrawing', 'refused'] satisfies (CashDepositState & DistributionState)[];
/** States that execute-approval.ts needs. */
export const PENDING: string = 'pending_approval' satisfies CommonState;
export const REJECTED: string = 'rejected' satisfies CommonState;

/** The refusal of a request that was undone because another service could not be called. */
const UNAVAILABLE: Refusal = { code: 'service_unavailable', extras: {} };

/**
 * Returns the decision on a decided request.
 * @throws Error if the request has none
 */
export function decisionOf({ id, decision }: Pick<BoardRequest<string>, 'id' | 'decision'>): Decision {
  if (decision === null) throw new Error(`Request ${id} is not decided`);
  return decision;
}

/** Returns the members of a SagaWrite that are the same for all kinds of request. */
export function sagaWriteOf<S extends string, Row extends BoardRequest<S>>({ saga, undo }: BoardSaga<S, Row>) {
  return {
    saga,
    isAnsweredEarly: false,
    refusalOf: ({ status, refusal }: Row) => (REFUSED.includes(status) ? refusal : null),
    undo: (row: Row) => undo(row, UNAVAILABLE),
  };
}

/** The input with which membership and governance check a request. */
interface BoardRequestInput {
  association_id: string;
  subject_type: 'cash_deposit' | 'distribution';
  permission: Permission;
  /** The member that the request concerns. */
  member_id: string;
  /** In the major unit. */
  amount: number;
  pin?: string;
}

/** A request that membership and governance allow. */
interface AuthorizedRequest {
  /** The member that the request concerns. */
  member: NamedMember;
  requested_by_member_id: string;
  /** In minor units. */
  amount: bigint;
  currency: string;
  /** Asks membership again. @throws once the request may not be stored any more */
  checkStillAllowed: () => Promise<void>;
}

/**
 * Asks membership whether the caller may make the request, and governance whether there is a board to decide on it.
 * @throws what membership refuses; not_found if the member is not an active one; no_eligible_approver
 */
export async function authorizeRequest(
  ctx: CallContext,
  caller: Caller,
  { association_id, subject_type, permission, member_id, ...particulars }: BoardRequestInput,
  { call_timeout_ms }: SagaTimings,
): Promise<AuthorizedRequest> {
  const asked = { ...particulars, member_ids: [member_id] };
  const authorization = await authorizeCaller(ctx, caller, association_id, permission, asked);
  const member = activeMember(authorization, member_id);
  const requested_by_member_id = authorization.member.member_id;
  const request = { association_id, subject_type, requested_by_member_id, concerned_member_id: member.member_id };
  await call(ctx, checkEligibility, request, call_timeout_ms);
  return {
    member,
    requested_by_member_id,
    amount: amountOf(authorization),
    currency: authorization.terms.currency,
    checkStillAllowed: () => requireSameMember(ctx, caller, association_id, permission, member),
  };
}

/**
 * Stores a new request, unless its association or its member's membership is ending.
 * @throws what `checkStillAllowed` throws; service_unavailable if an ending takes too long
 */
export async function storeRequest<Row extends { association_id: string }>(
  { db, timings }: Pick<ServiceContext, 'db'> & { timings: SagaTimings },
  requests: Table<Row>,
  request: Row,
  { member, checkStillAllowed }: AuthorizedRequest,
  { hold }: Operation,
): Promise<Row> {
  const subjects = [request.association_id, membershipSubject(member)];
  const gate = {
    isLocked: (tx: Transaction) => areLocked(tx, ...subjects),
    checkStillAllowed,
    wait_ms: timings.lock_wait_ms,
  };
  await storeWhenUnlocked(db, gate, async (tx) => {
    await hold(tx);
    await insertRows(tx, requests, [request]);
  });
  return request;
}
