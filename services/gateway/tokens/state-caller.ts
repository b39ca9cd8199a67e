import type { KeyObject } from 'node:crypto';
import { isTableService, TABLE_SERVICES, type TableService } from '../../../lib/config/service-names.ts';
import { ACTING } from '../../../lib/contracts/acting.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import { signStatement } from '../../../lib/service/caller-statement.ts';
import type { Statements } from '../../../lib/service/implement.ts';

/** States who calls a public action, for each service that the request may reach. */
export type CallerStatements = (caller: Caller, action: string) => Statements;

/** @param keys the key that signs for each service */
export function callerStatements(
  keys: Record<TableService, KeyObject>,
  { clock, newId }: Pick<Runtime, 'clock' | 'newId'>,
): CallerStatements {
  const onward = new Map<string, TableService[]>();
  return ({ user_id, name, scopes }, action) => {
    const about = { action, operation_id: newId(), issued_at_ms: clock().getTime() };
    const service = serviceOf(action);
    const statements: Statements = { [service]: signStatement(keys[service], { user_id, name, scopes, ...about }) };
    let others = onward.get(action);
    if (others === undefined) onward.set(action, (others = receiversOf(action)));
    // A service that acts for the user needs no more than to know that they have called.
    for (const each of others)
      statements[each] = signStatement(keys[each], { user_id, name: null, scopes: [], ...about });
    return statements;
  };
}

/** Returns the other services that the action may call for the user. */
function receiversOf(action: string): TableService[] {
  const called = new Set(
    ACTING.filter(({ acts_for }) => acts_for?.within(action) === true).map(({ name }) => serviceOf(name)),
  );
  called.delete(serviceOf(action));
  return TABLE_SERVICES.filter((service) => called.has(service));
}

/** @throws Error for an action of another service, which is a programming error */
function serviceOf(action: string): TableService {
  const service = action.slice(0, action.indexOf('.'));
  if (!isTableService(service)) throw new Error(`${action} is no action of a service with callers`);
  return service;
}
