import { isDeepStrictEqual } from 'node:util';
import { canonicalHash } from '../canonical/canonical-hash.ts';
import type { Endpoint } from '../contracts/action.ts';
import type { Sql, SqlTransaction } from '../db/sql.ts';
import { problem, type Problem } from '../errors/problem.ts';
import { keepAnswer, shareClaim, type HeldClaim, type KeptAnswer } from './claims.ts';

/** Most requests in flight are answered within this time. */
const IN_FLIGHT_RETRY_S = 1;

/** Builds the refusal of a request while another one with its key is running. */
export function inFlight(): Problem {
  return problem('idempotency_in_flight', { retry_after_s: IN_FLIGHT_RETRY_S });
}

/** One write, with or without an Idempotency-Key. */
export interface Operation {
  /** The id of the created object, saga or transfer. It is the same for every repeat of the key. */
  readonly id: string;
  /** Whether the request has an Idempotency-Key, with which the client can resume the operation. */
  readonly isKeyed: boolean;
  /** Whether an earlier request with the key has begun this operation, and may have stored rows with its id. */
  readonly resumed: boolean;
  /** The claim of its key; undefined without a key. */
  readonly claim: HeldClaim | undefined;
  /**
   * For the transaction that stores a plan. Without it, a process that was frozen could store the plan after a repeat of the
   * request has taken the operation over, and was refused.
   * @throws idempotency_in_flight if a repeat has taken the operation over; none can until the transaction ends
   */
  readonly hold: (tx: Pick<Sql, 'run'>) => Promise<void>;
  /**
   * Keeps the answer for repeats, in the transaction of the effect, with the current status and `Location` of the context.
   * Does nothing without a key. If it is not called, the answer is kept after the handler returns.
   * @throws idempotency_in_flight, so that the effect is rolled back, if this process was frozen and a repeat of the request
   *   has taken the operation over
   */
  keep(tx: Pick<SqlTransaction, 'run' | 'afterCommit'>, answer: unknown): Promise<void>;
  /** As keep(), for an effect that may be made again by the repeat, as that of a saga: it keeps the answer or does nothing. */
  keepIfHeld(tx: Pick<SqlTransaction, 'send' | 'afterCommit'>, answer: unknown): void;
}

/** An operation as implementWrite() needs it. */
export interface KeyedOperation extends Operation {
  readonly claim: HeldClaim;
  /** Keeps the answer unless keep() has been called. */
  keepAfterwards(db: Sql, answer: unknown): Promise<void>;
}

/** Returns the operation of a request without a key. */
export function unkeyedOperation(id: string): Operation {
  const done = () => Promise.resolve();
  return { id, isKeyed: false, resumed: false, claim: undefined, hold: done, keep: done, keepIfHeld: () => undefined };
}

/** The part of a call's context in which a handler sets the answer's status and headers. */
interface AnswerContext {
  readonly meta: { $statusCode?: number; $responseHeaders?: Record<string, string> };
}

/**
 * Returns the operation of a request with a key.
 * @param status the status of the answer, unless the handler sets another
 */
export function keyedOperation(ctx: AnswerContext, claim: HeldClaim, resumed: boolean, status: number): KeyedOperation {
  let isKept = false;
  return {
    id: claim.operation_id,
    isKeyed: true,
    resumed,
    claim,
    async hold(tx) {
      if (!(await shareClaim(tx, claim))) throw inFlight();
    },
    async keep(tx, answer) {
      const kept = await tx.run(...keepAnswer(claim, answerOf(ctx, status, answer)));
      if (kept === 0) throw inFlight();
      tx.afterCommit(() => (isKept = true));
    },
    keepIfHeld(tx, answer) {
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

/** The members with an encrypted PIN: a repeat may encrypt it again, and no part of a PIN is stored. */
const PIN_MEMBERS = new Set(['pin', 'current_pin']);

/**
 * Returns the SHA-256 (hex) of a request in RFC 8785 form, with its encrypted PINs only if it is `keyed_by_pin`, and without
 * members that equal `added_defaults`.
 */
export function fingerprintOf(
  method: string,
  path: string,
  body: object,
  { keyed_by_pin, added_defaults = {} }: Pick<Endpoint, 'keyed_by_pin' | 'added_defaults'> = {},
): string {
  const members = Object.entries(body).filter(([name]) => keyed_by_pin === true || !PIN_MEMBERS.has(name));
  return canonicalHash({ method, path, body: without(Object.fromEntries(members), added_defaults) });
}

/** Returns an object without the members that equal the defaults, also inside its objects. */
function without(body: object, defaults: object): object {
  const added = new Map<string, unknown>(Object.entries(defaults));
  const kept = Object.entries(body).flatMap(([name, value]: [string, unknown]) => {
    const usual = added.get(name);
    if (added.has(name) && isDeepStrictEqual(value, usual)) return [];
    return [[name, isObject(usual) && isObject(value) ? without(value, usual) : value] as const];
  });
  return Object.fromEntries(kept);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
