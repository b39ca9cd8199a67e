import type { ActionSchema } from 'moleculer';
import type { Answer, Caller, Endpoint, EndpointInput } from '../contracts/action.ts';
import { ERRORS } from '../errors/codes.ts';
import { problem, problemCode } from '../errors/problem.ts';
import { claimKey, freeKey, letGoOfKey } from '../idempotency/claims.ts';
import type { KeptAnswer } from '../idempotency/claims.ts';
import { claimedOperation, fingerprintOf, singleOperation } from '../idempotency/operation.ts';
import type { ClaimedOperation, Operation } from '../idempotency/operation.ts';
import type { Foundation } from '../service/foundation.ts';
import { implement } from './implement.ts';
import type { CallContext } from './implement.ts';

export type WriteHandler<E extends Endpoint> = (
  input: EndpointInput<E>,
  caller: Caller,
  ctx: CallContext,
  operation: Operation,
) => Promise<Answer<E>>;

/**
 * Makes the Moleculer action of a public contract that changes something: implement(), and `Idempotency-Key` honoured
 * (contract, section 1). The key is claimed before the handler runs; the handler uses `operation.id` for what it makes
 * and, where one transaction has the whole effect, keeps its answer in it.
 * @param check refuses what the request alone decides: that comes before the key
 */
export function implementWrite<E extends Endpoint>(
  { db, runtime }: Pick<Foundation, 'db' | 'runtime'>,
  contract: E,
  handler: WriteHandler<E>,
  check: (input: EndpointInput<E>, caller: Caller) => void = () => undefined,
): ActionSchema {
  return implement(contract, async (input, caller, ctx) => {
    check(input, caller);
    const { idempotency } = ctx.meta;
    if (idempotency === undefined) return handler(input, caller, ctx, singleOperation(runtime.newId()));

    const { key, method, path } = idempotency;
    const fingerprint = fingerprintOf(method, path, input.body);
    const claim = { user_id: caller.user_id, key, fingerprint, operation_id: runtime.newId() };
    const claimed = await claimKey(db.pool, claim, runtime.clock());
    if (claimed.kind === 'reused') throw problem('idempotency_key_reused');
    if (claimed.kind === 'in_flight') throw problem('idempotency_in_flight');
    if (claimed.kind === 'answered') return replay(ctx, claimed.answer) as Answer<E>;
    const { operation_id, resumed } = claimed;
    const operation = claimedOperation(ctx, { ...claim, operation_id }, resumed, contract.status);
    // For the PIN's judge: a used ciphertext passes again for this very request, not for another with the key.
    ctx.meta.idempotency = { ...idempotency, fingerprint };
    await runtime.reached('idempotency.claimed');
    return concluded(db.pool, operation, () => handler(input, caller, ctx, operation));
  });
}

/** Keeps a 2xx answer; a refusal frees the key; after a fault the operation stays, for a repeat to go on with. */
async function concluded<T>(pool: Foundation['db']['pool'], operation: ClaimedOperation, run: () => Promise<T>) {
  let answer: T;
  try {
    answer = await run();
  } catch (error) {
    const code = problemCode(error);
    const refused = code !== undefined && ERRORS[code].status < 500;
    await (refused ? freeKey : letGoOfKey)(pool, operation.claim);
    throw error;
  }
  if (!operation.isAnswered()) await operation.answered(pool, answer);
  return answer;
}

function replay(ctx: CallContext, { status, headers, body }: KeptAnswer): unknown {
  ctx.meta.$statusCode = status;
  ctx.meta.$responseHeaders = { ...headers, 'Idempotency-Replayed': 'true' };
  return body;
}
