import type { ActionSchema, Context } from 'moleculer';
import type { Answer, Caller, Command, CommandInput, Endpoint, EndpointInput } from '../contracts/action.ts';
import { API_BASE } from '../contracts/api.ts';
import { problem, problemCode } from '../errors/problem.ts';
import { isUnavailable } from '../db/errors.ts';
import { faultOf } from '../node/log.ts';
import { objectRule, queryRulesOf, rulesOf } from '../schema/rules.ts';
import { idsOf } from '../tracing/trace.ts';

/** What travels with every call beside its input. `$` members are moleculer-web's way to shape the answer. */
export interface CallMeta {
  caller?: Caller;
  /**
   * The `Idempotency-Key` of a write, with what it stands for beside the body; the fingerprint of it all once the
   * owning service has claimed the key.
   */
  idempotency?: { key: string; method: string; path: string; fingerprint?: string };
  /** The client's trace, or one made for the request (W3C Trace Context). */
  traceparent?: string;
  tracestate?: string;
  $statusCode?: number;
  $location?: string;
  $responseHeaders?: Record<string, string>;
}

export type CallContext = Context<unknown, CallMeta>;

/** Makes the Moleculer action of a public contract: checked input in, caller known, faults turned into problems. */
export function implement<E extends Endpoint>(
  contract: E,
  handler: (input: EndpointInput<E>, caller: Caller, ctx: CallContext) => Promise<Answer<E>>,
): ActionSchema {
  return {
    params: {
      $$strict: true,
      path: { type: 'object', strict: true, props: rulesOf(contract.path) },
      query: { type: 'object', strict: true, props: queryRulesOf(contract.query) },
      body: objectRule(contract.body, contract.body_min_members),
    },
    handler: (ctx: CallContext) =>
      guarded(ctx, contract.name, () => {
        const { path, query, body } = ctx.params as Record<'path' | 'query' | 'body', object>;
        for (const part of [path, query, body]) dropAbsent(part);
        return handler(ctx.params as EndpointInput<E>, callerOf(ctx), ctx);
      }),
  };
}

/** Makes the Moleculer action of an internal contract. `options` are Moleculer's own, such as a balancing strategy. */
export function implementCommand<C extends Command>(
  contract: C,
  handler: (input: CommandInput<C>, ctx: CallContext) => Promise<Answer<C>>,
  options: Partial<ActionSchema> = {},
): ActionSchema {
  return {
    ...options,
    params: { $$strict: true, ...rulesOf(contract.input) },
    handler: (ctx: CallContext) => guarded(ctx, contract.name, () => handler(ctx.params as CommandInput<C>, ctx)),
  };
}

/** Answers with the given status in place of the contract's own. */
export function answerStatus(ctx: CallContext, status: number): void {
  ctx.meta.$statusCode = status;
}

/** Tells the client where the thing lives that the answer is about: `path` is relative to the API's base. */
export function answerLocation(ctx: CallContext, path: string): void {
  // moleculer-web writes `$location` for 201 only; a 202 needs it as well.
  ctx.meta.$location = `${API_BASE}${path}`;
  ctx.meta.$responseHeaders = { ...ctx.meta.$responseHeaders, Location: `${API_BASE}${path}` };
}

/** fastest-validator leaves `undefined` where an optional member is absent; spread over a row it would erase values. */
function dropAbsent(part: object): void {
  for (const [name, value] of Object.entries(part)) {
    if (value === undefined) Reflect.deleteProperty(part, name);
  }
}

/** The user on whose behalf an endpoint is called. */
function callerOf(ctx: CallContext): Caller {
  // GET /keys/pin is open to everyone; all other routes set a caller before they call.
  return ctx.meta.caller ?? { user_id: '', name: null, scopes: [] };
}

/** Faults are logged here, where their cause is known, and leave as a problem that shows nothing of it. */
async function guarded<T>(ctx: CallContext, action: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (problemCode(error) !== undefined || isMoleculerError(error)) throw error;
    ctx.service?.logger.error('action failed', { action, ...idsOf(ctx), ...faultOf(error) });
    throw problem(isUnavailable(error) ? 'service_unavailable' : 'internal_error');
  }
}

/** Whether Moleculer itself says that a call could not be made or answered: the gateway knows what that means. */
function isMoleculerError(error: unknown): boolean {
  const { type, retryable } = error as { type?: unknown; retryable?: unknown };
  return typeof type === 'string' && retryable === true;
}
