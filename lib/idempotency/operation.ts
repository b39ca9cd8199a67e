import { canonicalHash } from '../canonical/canonical-hash.ts';
import type { Statements } from '../db/statements.ts';
import { keepAnswer } from './claims.ts';
import type { Claim, KeptAnswer } from './claims.ts';

/** What a write carries through its service, with or without an Idempotency-Key. */
export interface Operation {
  /** Names the effect: the id of what is created, of its plan or its transfer. The same for every repeat of the key. */
  readonly id: string;
  /** An earlier request with the key has begun this operation: whatever goes by its id may be there already. */
  readonly resumed: boolean;
  /**
   * Keeps the answer for repeats, in the transaction of the effect; `Location` and status as set on `ctx` so far. Does
   * nothing without a key. Where it is not called, the answer is kept right after the handler.
   */
  answered(transaction: Statements, answer: unknown): Promise<void>;
}

/** An operation with what the wrapper around its handler needs. */
export interface ClaimedOperation extends Operation {
  readonly claim: Claim;
  readonly isAnswered: () => boolean;
}

/** A request without a key: each is an operation of its own. */
export function singleOperation(id: string): Operation {
  return { id, resumed: false, answered: () => Promise.resolve() };
}

/** Where a handler says what its answer has beside the body: the context of its call. */
interface AnswerContext {
  readonly meta: { $statusCode?: number; $responseHeaders?: Record<string, string> };
}

/** @param status of a plain success, where the handler sets no other */
export function claimedOperation(ctx: AnswerContext, claim: Claim, resumed: boolean, status: number): ClaimedOperation {
  let answered = false;
  return {
    id: claim.operation_id,
    resumed,
    claim,
    isAnswered: () => answered,
    async answered(transaction, answer) {
      await keepAnswer(transaction, claim, answerOf(ctx, status, answer));
      answered = true;
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
  const shown = Object.fromEntries(members);
  return canonicalHash({ method, path, body: shown });
}
