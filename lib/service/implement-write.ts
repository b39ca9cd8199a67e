import type { ActionSchema } from 'moleculer';
import type { Answer, Caller, Endpoint, EndpointInput } from '../contracts/action.ts';
import { bindIdempotencyKey, freeIdempotencyKey, IDEMPOTENCY_KEY_SERVICE } from '../contracts/idempotency.ts';
import { errorEntry } from '../errors/codes.ts';
import { problem, problemCode } from '../errors/problem.ts';
import type { Sql } from '../db/sql.ts';
import { claimKey, freeKey, releaseKey, renewClaim } from '../idempotency/claims.ts';
import type { Claim, InsertClaim, KeptAnswer } from '../idempotency/claims.ts';
import { fingerprintOf, inFlight, keyedOperation, unkeyedOperation } from '../idempotency/operation.ts';
import type { KeyedOperation, Operation } from '../idempotency/operation.ts';
import { faultOf } from '../errors/fault.ts';
import { renewWhile } from '../node/takeover.ts';
import { hasBecomeLate, lateWarnings, notRun } from '../transport/late-requests.ts';
import { call } from './call.ts';
import type { ServiceRuntime } from './define-service.ts';
import { implement, type CallContext } from './implement.ts';

export type WriteHandler<E extends Endpoint> = (
  input: EndpointInput<E>,
  caller: Caller,
  ctx: CallContext,
  operation: Operation,
) => Promise<Answer<E>>;

export interface WriteOptions<E extends Endpoint> {
  /** Refuses a request because of its content, before its key is claimed. */
  check?: ((input: EndpointInput<E>, caller: Caller) => void) | undefined;
}

const warnOfLate = lateWarnings();

/** What a service needs for writes: a database with IDEMPOTENCY_TABLES. */
export interface WriteContext {
  readonly service: string;
  readonly db: Sql;
  readonly runtime: Pick<ServiceRuntime, 'clock' | 'newId' | 'reached'>;
  readonly insertClaim: InsertClaim;
}

/**
 * Builds the Moleculer action of a public contract that changes something: implement() with support for `Idempotency-Key`.
 * The key is claimed before the handler runs. The handler uses `operation.id` for the object that it creates and, if the
 * whole effect is in one transaction, keeps its answer in that transaction.
 */
export function implementWrite<E extends Endpoint>(
  context: WriteContext,
  contract: E,
  handler: WriteHandler<E>,
  { check }: WriteOptions<E> = {},
): ActionSchema {
  const action = implement(contract, async (input, caller, ctx) => {
    check?.(input, caller);
    const { runtime } = context;
    if (ctx.meta.idempotency === undefined)
      return handler(input, caller, ctx, unkeyedOperation(operationId(ctx, runtime)));
    const operation = await beginOperation(context, contract, input.body, caller, ctx);
    if ('answer' in operation) return replay(ctx, operation.answer) as Answer<E>;
    await runtime.reached('idempotency.claimed');
    return holding(context, ctx, operation, async () => {
      if (context.service !== IDEMPOTENCY_KEY_SERVICE) await bindAtRegistry(context, ctx, operation);
      return runAndConclude(context, ctx, operation, () => handler(input, caller, ctx, operation));
    });
  });
  return Object.assign(action, { [HONOURS_KEYS]: true });
}

/** Marks actions. A symbol is not sent to other nodes, and is copied with the action. */
const HONOURS_KEYS = Symbol('honours Idempotency-Key');

/** Whether an action honours `Idempotency-Key`, as the documents promise of each route that changes something. */
export function honoursKeys(action: ActionSchema): boolean {
  return HONOURS_KEYS in action;
}

/** Runs a request and holds its key meanwhile. */
function holding<T>(
  { db }: WriteContext,
  ctx: CallContext,
  { claim }: KeyedOperation,
  run: () => Promise<T>,
): Promise<T> {
  const renew = () =>
    renewClaim(db, claim).catch((error: unknown) => {
      ctx.service?.logger.warn('an idempotency key could not be held for longer', faultOf(error));
    });
  return renewWhile(() => void renew(), run);
}

/** Returns the id that the gateway has chosen: the same if the call is sent again. A gateway of 0.1.0 chooses none. */
function operationId({ locals }: CallContext, { newId }: WriteContext['runtime']): string {
  return locals.operation_id ?? newId();
}

/**
 * Claims the request's key. Before a caller gives a request up, the request holds its key or does not begin: a repeat then finds the
 * key, and is not refused as if it were the first.
 * @throws idempotency_key_reused, idempotency_in_flight; notRun() if the key was claimed late
 */
async function beginOperation(
  { db, runtime, insertClaim }: WriteContext,
  contract: Endpoint,
  body: object,
  { user_id }: Caller,
  ctx: CallContext,
): Promise<KeyedOperation | { answer: KeptAnswer }> {
  const { key, method, path } = ctx.meta.idempotency ?? { key: '', method: '', path: '' };
  const fingerprint = fingerprintOf(method, path, body, contract);
  const claim = { user_id, key, fingerprint, operation_id: operationId(ctx, runtime) };
  const claimed = await claimKey(db, claim, runtime.clock(), insertClaim);
  if (claimed.kind === 'reused') throw problem('idempotency_key_reused');
  if (claimed.kind === 'in_flight') throw inFlight();
  if (claimed.kind === 'answered') return claimed;
  const { operation_id, claimed_at, resumed } = claimed;
  const held = { ...claim, operation_id, claimed_at };
  if (hasBecomeLate(ctx)) {
    if (ctx.service) warnOfLate(ctx.service.logger, contract.name, ctx.nodeID);
    await (resumed ? releaseKey : freeKey)(db, held);
    throw notRun(ctx);
  }
  // The fingerprint is for the check of the PIN: a used ciphertext is accepted again only for the same request.
  ctx.meta.idempotency = { key, method, path, fingerprint, operation_id };
  return keyedOperation(ctx, held, resumed, contract.status);
}

/**
 * Binds the key in membership's registry of all services' keys, before the handler runs. The key of a resumed operation is
 * bound too, as its first request may have ended before it did so.
 * @throws idempotency_key_reused; another error if membership cannot be reached
 */
async function bindAtRegistry(
  { db }: WriteContext,
  ctx: CallContext,
  { claim, resumed }: KeyedOperation,
): Promise<void> {
  try {
    await call(ctx, bindIdempotencyKey, bindingOf(claim));
  } catch (error) {
    // An operation that has begun stays, so that a repeat can resume it.
    await (resumed ? releaseKey : freeKey)(db, claim);
    throw error;
  }
}

function bindingOf({ user_id, key, fingerprint }: Claim) {
  return { user_id, key, fingerprint };
}

/** Keeps a 2xx answer. A refusal frees the key. After a fault, the operation stays, so that a repeat can resume it. */
async function runAndConclude<T>(
  context: WriteContext,
  ctx: CallContext,
  operation: KeyedOperation,
  run: () => Promise<T>,
): Promise<T> {
  let answer: T;
  try {
    answer = await run();
  } catch (error) {
    const code = problemCode(error);
    const isRefused = code !== undefined && errorEntry(code).status < 500;
    if (!isRefused) await releaseKey(context.db, operation.claim);
    else if (!(await freeEverywhere(context, ctx, operation))) throw inFlight();
    throw error;
  }
  await operation.keepAfterwards(context.db, answer);
  return answer;
}

/**
 * Frees the key of a refused request. The client gets the refusal even if that fails.
 * @returns false if a repeat has taken the operation over, whose effect may be the reason for the refusal
 */
async function freeEverywhere(
  { service, db }: WriteContext,
  ctx: CallContext,
  { claim }: KeyedOperation,
): Promise<boolean> {
  try {
    if (!(await renewClaim(db, claim))) return false;
    // The registry first: a key that is free here but bound there would refuse the next request.
    if (service !== IDEMPOTENCY_KEY_SERVICE) await call(ctx, freeIdempotencyKey, bindingOf(claim));
    await freeKey(db, claim);
  } catch (error) {
    ctx.service?.logger.warn('an idempotency key could not be freed', faultOf(error));
    await releaseKey(db, claim);
  }
  return true;
}

function replay(ctx: CallContext, { status, headers, body }: KeptAnswer): unknown {
  ctx.meta.$statusCode = status;
  ctx.meta.$responseHeaders = { ...headers, 'Idempotency-Replayed': 'true' };
  return body;
}
