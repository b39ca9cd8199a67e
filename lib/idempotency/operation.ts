import { canonicalHash } from '../canonical/canonical-hash.ts';
import type { Db, Transaction } from '../db/db.ts';
import { keepAnswer } from './claims.ts';
import type { Claim, KeptAnswer } from './claims.ts';

/** One write, with or without an Idempotency-Key. */
export interface Operation {
  /** The id of what is created, of its saga or its transfer. The same for every repeat of the key. */
  readonly id: string;
  /** Whether the request has an Idempotency-Key: a client can then come back to what it has begun. */
  readonly isKeyed: boolean;
  /** An earlier request with the key has begun this operation: what has its id may be stored already. */
  readonly resumed: boolean;
  /**
   * Keeps the answer for repeats, in the transaction of the effect; status and `Location` as set on the context so far.
   * Does nothing without a key. Where it is not called, the answer is kept right after the handler.
   */
  keep(tx: Pick<Transaction, 'send' | 'afterCommit'>, answer: unknown): void;
}

/** An operation with what the wrapper around its handler needs. */
export interface KeyedOperation extends Operation {
  readonly claim: Claim;
  /** Keeps the answer unless keep() has been called. */
  keepAfterwards(db: Db, answer: unknown): Promise<void>;
}

/** A request without a key: each is an operation of its own. */
export function unkeyedOperation(id: string): Operation {
  return { id, isKeyed: false, resumed: false, keep: () => undefined };
}

/** Where a handler says what its answer has beside the body: the context of its call. */
interface AnswerContext {
  readonly meta: { $statusCode?: number; $responseHeaders?: Record<string, string> };
}

/** @param status of a plain success, where the handler sets no other */
export function keyedOperation(ctx: AnswerContext, claim: Claim, resumed: boolean, status: number): KeyedOperation {
  let isKept = false;
  return {
    id: claim.operation_id,
    isKeyed: true,
    resumed,
    claim,
    keep(tx, answer) {
      tx.send(...keepAnswer(claim, answerOf(ctx, status, answer)));
      tx.afterCommit(() => (isKept = true));
    },
    async keepAfterwards(db, answer) {
      if (!isKept) await db.run(...keepAnswer(claim, answerOf(ctx, status, answer)));
    },
  };
}

function answerOf({ meta }: AnswerContext, status: number, body: unknown): KeptAnswer {
  return { status: meta.$statusCode ?? status, headers: meta.$responseHeaders ?? {}, body };
}

/** Members that hold a sealed PIN: a repeat may seal it afresh, and no trace of one is kept. */
const PIN_MEMBERS = new Set(['pin', 'current_pin']);

/** SHA-256 (hex) of the RFC 8785 form of what a key stands for: sealed PINs only where the request is about them. */
export function fingerprintOf(method: string, path: string, body: object, keyed_by_pin = false): string {
  const members = Object.entries(body).filter(([name]) => keyed_by_pin || !PIN_MEMBERS.has(name));
  return canonicalHash({ method, path, body: Object.fromEntries(members) });
}
