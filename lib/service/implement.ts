import type { ActionSchema } from 'moleculer';
import type { Answer, Caller, Command, CommandInput, Endpoint, EndpointInput } from '../contracts/action.ts';
import { API_BASE } from '../contracts/api.ts';
import { problem, problemCode } from '../errors/problem.ts';
import { isUnavailable } from '../db/errors.ts';
import { faultOf } from '../errors/fault.ts';
import { objectRule, queryRulesOf, rulesOf } from '../schema/rules.ts';
import type { CallContext } from './call-context.ts';
import { checkOf } from './check-caller.ts';

export type { CallContext, CallLocals, CallMeta, Statements } from './call-context.ts';

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
