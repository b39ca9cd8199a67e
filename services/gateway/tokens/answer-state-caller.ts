import type { ActionSchema } from 'moleculer';
import { stateCaller } from '../../../lib/contracts/gateway.ts';
import { authorize } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import { isWrite, type Route } from '../http/route.rules.ts';
import type { CallerStatements } from './state-caller.ts';
import type { TokenVerifier } from './verifier.ts';

/** States callers to services of other teams, for the actions that read. Changes go through the HTTP API. */
export function stateCallerAction(
  routes: () => readonly Route[],
  verify: TokenVerifier,
  callerStatements: CallerStatements,
): ActionSchema {
  return implementCommand(stateCaller, async ({ token, action }) => {
    if (action !== authorize.name && !routes().some((route) => isReadOf(action, route))) throw problem('not_found');
    const caller = await verify(`Bearer ${token}`);
    return { statements: callerStatements(caller, action) };
  });
}

function isReadOf(action: string, route: Route): boolean {
  return route.endpoint.name === action && !isWrite(route) && route.endpoint.open !== true;
}
