import type { ActionSchema, Logger } from 'moleculer';
import type { Answer, Caller, Endpoint, EndpointInput } from '../contracts/action.ts';
import { ERRORS } from '../errors/codes.ts';
import { problem, problemCode } from '../errors/problem.ts';
import { bindIdempotencyKey, freeIdempotencyKey } from '../contracts/membership.ts';
import { claimKey, freeKey, HOLD_MS, letGoOfKey } from '../idempotency/claims.ts';
import type { Claim, KeptAnswer } from '../idempotency/claims.ts';
import { claimedOperation, fingerprintOf, singleOperation } from '../idempotency/operation.ts';
import type { ClaimedOperation, Operation } from '../idempotency/operation.ts';
import { faultOf } from '../node/log.ts';
import type { Foundation } from '../service/foundation.ts';
import { idsOf } from '../tracing/trace.ts';
import type { Ids } from '../tracing/trace.ts';
import { call } from './call.ts';
import { implement } from './implement.ts';
import type { CallContext } from './implement.ts';

export type WriteHandler<E extends Endpoint> = (
  input: EndpointInput<E>,
  caller: Caller,
  ctx: CallContext,
  operation: Operation,
) => Promise<Answer<E>>;

/** Most requests are answered within it. */
const IN_FLIGHT_RETRY_S = 1;

/**
 * Makes the Moleculer action of a public contract that changes something: implement(), and `Idempotency-Key` honoured
 * (contract, section 1). The key is claimed before the handler runs; the handler uses `operation.id` for what it makes
 * and, where one transaction has the whole effect, keeps its answer in it.
 * @param check refuses what the request alone decides: that comes before the key
 */
export function implementWrite<E extends Endpoint>(
  { db, runtime, insertClaim }: Pick<Foundation, 'db' | 'runtime' | 'insertClaim'>,
  contract: E,
  handler: WriteHandler<E>,
  check: (input: EndpointInput<E>, caller: Caller) => void = () => undefined,
): ActionSchema {
  return implement(contract, async (input, caller, ctx) => {
    check(input, caller);
    const { idempotency } = ctx.meta;
    if (idempotency === undefined) return handler(input, caller, ctx, singleOperation(runtime.newId()));

    const { key, method, path } = idempotency;
    const withoutPins = fingerprintOf(method, path, input.body);
    const fingerprint = contract.keyed_by_pin ? fingerprintOf(method, path, input.body, true) : withoutPins;
    const claim = { user_id: caller.user_id, key, fingerprint, operation_id: runtime.newId() };
    const claimed = await claimKey(db.pool, claim, runtime.clock(), HOLD_MS, insertClaim);
    if (claimed.kind === 'reused') throw problem('idempotency_key_reused');
    if (claimed.kind === 'in_flight') throw problem('idempotency_in_flight', { retry_after_s: IN_FLIGHT_RETRY_S });
    if (claimed.kind === 'answered') return replay(ctx, claimed.answer) as Answer<E>;
    const { operation_id, resumed } = claimed;
    const operation = claimedOperation(ctx, { ...claim, operation_id }, resumed, contract.status);
    // For the PIN's judge: a used ciphertext passes again for this very request, not for another with the key.
    ctx.meta.idempotency = { ...idempotency, fingerprint: withoutPins };
    await runtime.reached('idempotency.claimed');
    const keyed: Keyed = {
      ...{ pool: db.pool, operation, log: ctx.service?.logger, ids: idsOf(ctx) },
      binding: contract.name.startsWith(KEYS_MEET_AT) ? undefined : keyBinding(ctx, operation.claim),
    };
    // A resumed one too: its first request may have died before.
    await bound(keyed);
    return concluded(keyed, () => handler(input, caller, ctx, operation));
  });
}

/** Where the keys of all services meet; its own are there anyway. */
const KEYS_MEET_AT = 'membership.';

/** A key at membership, where it is seen whichever service a user sends it to next. */
interface KeyBinding {
  bind(): Promise<unknown>;
  free(): Promise<unknown>;
}

function keyBinding(ctx: CallContext, { user_id, key, fingerprint }: Claim): KeyBinding {
  const bound = { user_id, key, fingerprint };
  return {
    bind: () => call(ctx, bindIdempotencyKey, bound),
    free: () => call(ctx, freeIdempotencyKey, bound),
  };
}

/** A write under a key, with what its conclusion takes. */
interface Keyed {
  pool: Foundation['db']['pool'];
  operation: ClaimedOperation;
  /** None at membership itself. */
  binding: KeyBinding | undefined;
  log: Logger | undefined;
  ids: Ids;
}

/** Has the key bound before anything is done under it. @throws idempotency_key_reused, or that membership is away */
async function bound({ pool, operation, binding }: Keyed): Promise<void> {
  try {
    await binding?.bind();
  } catch (error) {
    // An operation that has begun already stays, for its repeat to go on with.
    await (operation.resumed ? letGoOfKey : freeKey)(pool, operation.claim);
    throw error;
  }
}

/** Keeps a 2xx answer; a refusal frees the key; after a fault the operation stays, for a repeat to go on with. */
async function concluded<T>(keyed: Keyed, run: () => Promise<T>): Promise<T> {
  const { pool, operation } = keyed;
  let answer: T;
  try {
    answer = await run();
  } catch (error) {
    const code = problemCode(error);
    const refused = code !== undefined && ERRORS[code].status < 500;
    await (refused ? freed(keyed) : letGoOfKey(pool, operation.claim));
    throw error;
  }
  if (!operation.isAnswered()) await operation.answered(pool, answer);
  return answer;
}

/** Frees the key of a refused request. Whether that succeeds or not, the client is told the refusal. */
async function freed({ pool, operation: { claim }, binding, log, ids }: Keyed): Promise<void> {
  try {
    // The binding goes first: a key that is free here and bound there would refuse the next request.
    await binding?.free();
    await freeKey(pool, claim);
  } catch (error) {
    log?.warn('an idempotency key could not be freed', { ...ids, ...faultOf(error) });
    await letGoOfKey(pool, claim);
  }
}

function replay(ctx: CallContext, { status, headers, body }: KeptAnswer): unknown {
  ctx.meta.$statusCode = status;
  ctx.meta.$responseHeaders = { ...headers, 'Idempotency-Replayed': 'true' };
  return body;
}
