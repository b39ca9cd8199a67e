/** What cash deposits and distributions have in common: each is a request that the board decides on. */
import type { Caller } from '../../../lib/contracts/action.ts';
import type { Decision } from '../../../lib/contracts/approvals.ts';
import { checkEligibility } from '../../../lib/contracts/governance.ts';
import type { Authorization, NamedMember } from '../../../lib/contracts/membership.ts';
import type { Permission } from '../../../lib/contracts/permissions.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { insertRows, type Table } from '../../../lib/db/table.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import { areLocked, membershipSubject, storeUnlocked } from '../../../lib/locks/locks.ts';
import type { Move, Saga, SagaRow } from '../../../lib/saga/saga.ts';
import type { SagaTimings } from '../../../lib/saga/timings.ts';
import { activeMember, authorizeCaller, requireSameMember } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';

export interface BoardRequest<S extends string> extends SagaRow<S> {
  association_id: string;
  approval_id: string;
  decision: Decision | null;
  refusal: Refusal | null;
}

/** The saga of one kind of request, with the moves that others than its steps make. */
export interface BoardSaga<S extends string, Row extends BoardRequest<S>> {
  saga: Saga<S, Row>;
  /** The state in which the approval is being opened. */
  opening: S;
  /** The state of an approved request that was carried out. */
  done: S;
  /** The approval is open. */
  moveToPending: (row: Row) => Move<S, Row>;
  moveByDecision: (row: Row, decision: Decision) => Move<S, Row>;
  /** Undoes a request of which another service could not be notified; undefined where it cannot be undone. */
  moveBack: (row: Row, refusal: Refusal) => Move<S, Row> | undefined;
}

/** The refusal of a request of which another service could not be notified. */
const UNAVAILABLE: Refusal = { code: 'service_unavailable', extras: {} };

/** What both kinds of request give to implementSaga(). */
export function sagaWriteOf<S extends string, Row extends BoardRequest<S>>({ saga, moveBack }: BoardSaga<S, Row>) {
  return {
    saga,
    isAnsweredEarly: false,
    /** Also while what it has taken is going back. */
    refusalOf: ({ status, refusal }: Row) => (['withdrawing', 'refused'].includes(status) ? refusal : null),
    takeBack: (row: Row) => moveBack(row, UNAVAILABLE),
  };
}

/** A request that may be made. */
interface AuthorizedRequest {
  authorization: Authorization;
  /** The member that it concerns. */
  member: NamedMember;
  requested_by_member_id: string;
  /** Asks membership again; throws once the request may not be stored any more. */
  stillAllowed: () => Promise<void>;
}

/**
 * Asks membership whether the caller may make the request, and governance whether there is a board to decide on it.
 * @throws what membership refuses; not_found if the member is not an active one; no_eligible_approver
 */
export async function authorizeRequest(
  ctx: CallContext,
  caller: Caller,
  { association_id, subject_type, permission, member_id, ...particulars }: RequestParticulars,
  { call_timeout_ms }: SagaTimings,
): Promise<AuthorizedRequest> {
  const asked = { ...particulars, member_ids: [member_id] };
  const authorization = await authorizeCaller(ctx, caller, association_id, permission, asked);
  const member = activeMember(authorization, member_id);
  const requested_by_member_id = authorization.member.member_id;
  const request = { association_id, subject_type, requested_by_member_id, concerned_member_id: member.member_id };
  await call(ctx, checkEligibility, request, call_timeout_ms);
  const stillAllowed = () => requireSameMember(ctx, caller, association_id, permission, member);
  return { authorization, member, requested_by_member_id, stillAllowed };
}

interface RequestParticulars {
  association_id: string;
  subject_type: 'cash_deposit' | 'distribution';
  permission: Permission;
  member_id: string;
  /** In the major unit. */
  amount: number;
  pin?: string;
}

/**
 * Stores a new request, unless its association or its member's membership ends.
 * @throws what `stillAllowed` throws; service_unavailable if an ending takes too long
 */
export async function storeRequest<Row extends { association_id: string }>(
  { db, timings }: Pick<ServiceContext, 'db'> & { timings: SagaTimings },
  requests: Table<Row>,
  request: Row,
  { member, stillAllowed }: AuthorizedRequest,
): Promise<Row> {
  const subjects = [request.association_id, membershipSubject(member)];
  const gate = {
    isLocked: (tx: Transaction) => areLocked(tx, ...subjects),
    stillAllowed,
    wait_ms: timings.lock_wait_ms,
  };
  await storeUnlocked(db, gate, (tx) => insertRows(tx, requests, [request]));
  return request;
}
