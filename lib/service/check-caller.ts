/** Checks who calls: from the statements of the gateway, never from anything else that a call says (ADR 29). */
import type { KeyObject } from 'node:crypto';
import type { Service } from 'moleculer';
import type { Caller, Command, CommandInput, Endpoint } from '../contracts/action.ts';
import { problem } from '../errors/problem.ts';
import type { Clock } from '../node/clock.ts';
import { callerFaults } from '../telemetry/metrics.ts';
import type { CallContext } from './call-context.ts';
import { readStatement, type CallerStatement } from './caller-statement.ts';

/**
 * Longer than the hour by which clocks of servers may differ, in both directions: requests must not fail because of a clock.
 * A statement is for one action of one user, so a stolen one permits nothing else.
 */
export const STATEMENT_VALID_MS = 90 * 60_000;

/** Why a call is not accepted. */
export const CALLER_FAULTS = ['missing', 'forged', 'expired', 'other_action', 'other_user'] as const;
export type CallerFault = (typeof CALLER_FAULTS)[number];

/** The checks of a service. A call that does not pass is answered with `internal_error`. */
export interface CallerCheck {
  /** Returns the user who has called this public action. */
  ofEndpoint(ctx: CallContext, contract: Endpoint): Caller;
  /** Checks that the user of the command's input has called an action that includes it. */
  ofCommand<C extends Command>(ctx: CallContext, contract: C, input: CommandInput<C>): void;
}

export interface CallerCheckOptions {
  service: string;
  /** The keys with which the gateway signs for this service: during a rotation two. */
  keys: readonly KeyObject[];
  /** Whether calls of 0.1.0 are refused, which has no statements. */
  isRequired: boolean;
  clock: Clock;
}

export function callerCheck({ service, keys, isRequired, clock }: CallerCheckOptions): CallerCheck {
  for (const reason of CALLER_FAULTS) callerFaults.inc({ reason, outcome: isRequired ? 'refused' : 'accepted' }, 0);

  function judge(ctx: CallContext, expected: Expected): CallerStatement | CallerFault {
    const signed = ctx.locals.statements?.[service];
    if (signed === undefined) return 'missing';
    const statement = readStatement(keys, signed);
    return statement === undefined ? 'forged' : (faultOf(statement, expected, clock()) ?? statement);
  }

  /** @throws internal_error, unless such calls are accepted */
  function report(ctx: CallContext, action: string, reason: CallerFault): void {
    callerFaults.inc({ reason, outcome: isRequired ? 'refused' : 'accepted' });
    if (!isRequired) return;
    ctx.service?.logger.error('a call without a valid statement of its caller was refused', {
      action,
      reason,
      node: ctx.nodeID,
    });
    throw problem('internal_error');
  }

  return {
    ofEndpoint(ctx, { name, open }) {
      if (open === true) return { user_id: '', name: null, scopes: [] };
      const judged = judge(ctx, { isAction: (action) => action === name });
      if (typeof judged === 'object') {
        ctx.locals.operation_id = judged.operation_id;
        return judged;
      }
      report(ctx, name, judged);
      const { caller } = ctx.meta;
      if (caller === undefined) throw new Error(`${name} was called without a caller`);
      return caller;
    },
    ofCommand(ctx, { name, acts_for }, input) {
      const user_id = acts_for?.user(input) ?? null;
      if (acts_for === undefined || user_id === null) return;
      const operation_id = acts_for.operation_id?.(input);
      const judged = judge(ctx, { isAction: (action) => acts_for.within(action, input), user_id, operation_id });
      if (typeof judged === 'string') report(ctx, name, judged);
    },
  };
}

interface Expected {
  isAction: (action: string) => boolean;
  /** Absent if the statement says who calls. */
  user_id?: string;
  operation_id?: string | undefined;
}

function faultOf(
  { action, user_id, operation_id, issued_at_ms }: CallerStatement,
  expected: Expected,
  now: Date,
): CallerFault | undefined {
  if (!expected.isAction(action)) return 'other_action';
  if (expected.user_id !== undefined && expected.user_id !== user_id) return 'other_user';
  // A stored plan may be carried out after an outage: once, as its operation has one outcome.
  const isInTime = Math.abs(now.getTime() - issued_at_ms) <= STATEMENT_VALID_MS;
  return isInTime || operation_id === expected.operation_id ? undefined : 'expired';
}

/** A running service with its check, which its actions find here. */
type Checking = Pick<Service, 'name'> & { callers?: CallerCheck };

/** Gives a service the check for all of its actions. */
export function checkCallers(service: Pick<Service, 'name'>, check: CallerCheck): void {
  (service as Checking).callers = check;
}

/** @throws Error for a service without a check: its actions would accept any caller */
export function checkOf(ctx: CallContext): CallerCheck {
  const { name = '', callers } = (ctx.service ?? {}) as Partial<Checking>;
  if (callers === undefined) throw new Error(`The service ${name} has no check of its callers`);
  return callers;
}
