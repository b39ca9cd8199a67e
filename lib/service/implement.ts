import type { ActionSchema, Context } from 'moleculer';
import type { TableService } from '../config/service-names.ts';
import type { Answer, Caller, Command, CommandInput, Endpoint, EndpointInput } from '../contracts/action.ts';
import { API_BASE } from '../contracts/api.ts';
import { problem, problemCode } from '../errors/problem.ts';
import { isUnavailable } from '../db/errors.ts';
import { faultOf } from '../errors/fault.ts';
import { objectRule, queryRulesOf, rulesOf } from '../schema/rules.ts';
import { checkOf } from './check-caller.ts';

/** Signed statements of who calls, for the services that a request may reach. */
export type Statements = Partial<Record<TableService, string>>;

/** The metadata of every call. The gateway reads the answer's status and headers from the members that begin with `$`. */
export interface CallMeta {
  /** For processes of 0.1.0, which believe it. This release believes `statements`. */
  caller?: Caller;
  statements?: Statements | undefined;
  /**
   * The `Idempotency-Key` of a write with the request's method and path; once the owning service has claimed the key, also
   * its fingerprint, and the operation with which a repair stores the key again if that service has lost it.
   */
  idempotency?: { key: string; method: string; path: string; fingerprint?: string; operation_id?: string };
  /** The client's trace, or a new one (W3C Trace Context). */
  traceparent?: string;
  tracestate?: string;
  $statusCode?: number;
  $responseHeaders?: Record<string, string>;
}

/** What is known of a call in this process. It is not sent. */
export interface CallLocals {
  /** Those that came with the call: call() passes on the one for the service that it calls. */
  statements?: Statements | undefined;
  /** The id for what the request creates, chosen by the gateway. */
  operation_id?: string;
}

export type CallContext = Context<unknown, CallMeta, CallLocals>;

/** Builds the Moleculer action of a public contract, which checks the input and turns faults into problems. */
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
      logFaults(ctx, contract.name, () => {
        const { path, query, body } = ctx.params as Record<'path' | 'query' | 'body', object>;
        for (const part of [path, query, body]) dropAbsent(part);
        takeStatements(ctx);
        return handler(ctx.params as EndpointInput<E>, checkOf(ctx).ofEndpoint(ctx, contract), ctx);
      }),
  };
}

/** Builds the Moleculer action of an internal contract. */
export function implementCommand<C extends Command>(
  contract: C,
  handler: (input: CommandInput<C>, ctx: CallContext) => Promise<Answer<C>>,
): ActionSchema {
  return {
    params: { $$strict: true, ...rulesOf(contract.input) },
    handler: (ctx: CallContext) =>
      logFaults(ctx, contract.name, () => {
        const input = ctx.params as CommandInput<C>;
        takeStatements(ctx);
        if (contract.acts_for !== undefined) checkOf(ctx).ofCommand(ctx, contract, input);
        return handler(input, ctx);
      }),
  };
}

/** Sets the answer's status instead of the contract's. */
export function answerStatus(ctx: CallContext, status: number): void {
  ctx.meta.$statusCode = status;
}

/** Sets the answer's `Location`; `path` is relative to the API's base. */
export function answerLocation(ctx: CallContext, path: string): void {
  ctx.meta.$responseHeaders = { ...ctx.meta.$responseHeaders, Location: `${API_BASE}${path}` };
}

/** Deletes absent members, which fastest-validator sets to `undefined`: spread over a row, they would erase values. */
function dropAbsent(part: object): void {
  for (const [name, value] of Object.entries(part)) {
    if (value === undefined) Reflect.deleteProperty(part, name);
  }
}

/** Takes the statements out of the metadata, which Moleculer passes on with each call and sends back with the answer. */
function takeStatements({ meta, locals }: CallContext): void {
  locals.statements = meta.statements;
  delete meta.statements;
}

/** Logs a fault, and throws a problem without its cause instead. */
async function logFaults<T>(ctx: CallContext, action: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (problemCode(error) !== undefined || isMoleculerError(error)) throw error;
    ctx.service?.logger.error('action failed', { action, ...faultOf(error) });
    throw problem(isUnavailable(error) ? 'service_unavailable' : 'internal_error');
  }
}

/** Whether Moleculer threw the error because a call could not be made or answered. The gateway handles these errors. */
function isMoleculerError(error: unknown): boolean {
  const { type, retryable } = error as { type?: unknown; retryable?: unknown };
  return typeof type === 'string' && retryable === true;
}
