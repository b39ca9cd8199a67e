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
  routes: readonly Route[],
  verify: TokenVerifier,
  callerStatements: CallerStatements,
): ActionSchema {
  const reads = routes.filter((route) => !isWrite(route) && route.endpoint.open !== true);
  const actions = new Set([authorize.name, ...reads.map(({ endpoint }) => endpoint.name)]);
  return implementCommand(stateCaller, async ({ token, action }) => {
    if (!actions.has(action)) throw problem('not_found');
    const caller = await verify(`Bearer ${token}`);
    return { statements: callerStatements(caller, action) };
  });
}
