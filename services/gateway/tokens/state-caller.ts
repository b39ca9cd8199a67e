import type { KeyObject } from 'node:crypto';
import { ACTING } from '../../../lib/contracts/acting.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import { signStatement, type CallerStatement } from '../../../lib/service/caller-statement.ts';
import type { Statements } from '../../../lib/service/implement.ts';

/** States who calls a public action, for each service that the request may reach. */
export type CallerStatements = (caller: Caller, action: string) => Statements;

/** @param keyOf finds the key that signs for a service */
export function callerStatements(
  keyOf: (service: string) => KeyObject | undefined,
  { clock, newId }: Pick<Runtime, 'clock' | 'newId'>,
): CallerStatements {
  const onward = new Map<string, string[]>();
  /** @throws Error for a service without a key, whose actions have no route */
  const sign = (service: string, statement: CallerStatement): string => {
    const key = keyOf(service);
    if (key === undefined) throw new Error(`There is no key for statements to ${service}`);
    return signStatement(key, statement);
  };
  return ({ user_id, name, scopes }, action) => {
    const about = { action, operation_id: newId(), issued_at_ms: clock().getTime() };
    const service = serviceOf(action);
    const statements: Statements = { [service]: sign(service, { user_id, name, scopes, ...about }) };
    let others = onward.get(action);
    if (others === undefined) onward.set(action, (others = receiversOf(action)));
    // A service that acts for the user needs no more than to know that they have called.
    for (const each of others) statements[each] = sign(each, { user_id, name: null, scopes: [], ...about });
    return statements;
  };
}

/** Returns the other services that the action may call for the user. */
function receiversOf(action: string): string[] {
  const acting = ACTING.filter(({ acts_for }) => acts_for?.within(action) === true);
  const called = new Set(acting.map(({ name }) => serviceOf(name)));
  called.delete(serviceOf(action));
  return [...called];
}

function serviceOf(action: string): string {
  return action.slice(0, action.indexOf('.'));
}
