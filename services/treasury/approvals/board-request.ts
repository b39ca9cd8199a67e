/** What cash deposits and distributions have in common: each is a request that the board decides on. */
import type { Decision } from '../../../lib/contracts/approvals.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { insertRows } from '../../../lib/db/table.ts';
import type { Table } from '../../../lib/db/table.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import { areLocked, membershipSubject, storeUnlocked } from '../../../lib/locks/locks.ts';
import type { Move, Saga, SagaRow } from '../../../lib/saga/saga.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import type { SagaTimings } from '../../../lib/saga/timings.ts';

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
  moveOpened: (row: Row) => Move<S, Row>;
  moveDecided: (row: Row, decision: Decision) => Move<S, Row>;
  /** Undoes a request of which another service could not be told; undefined where it cannot be undone. */
  moveBack: (row: Row, refusal: Refusal) => Move<S, Row> | undefined;
}

/** The refusal of a request of which another service could not be told. */
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

/** The member that a request concerns, as membership named them. */
export interface Concerned {
  member: { member_id: string; tenure: number };
  /** Asks membership again; throws once the request may not be stored any more. */
  stillAllowed: () => Promise<unknown>;
}

/**
 * Stores a new request, unless its association or its member's membership ends.
 * @throws what `stillAllowed` throws; service_unavailable if an ending takes too long
 */
export async function storeRequest<Row extends { association_id: string }>(
  { db, timings }: Pick<ServiceContext, 'db'> & { timings: SagaTimings },
  requests: Table<Row>,
  request: Row,
  { member, stillAllowed }: Concerned,
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
