/** Statements of callers as the gateway makes them, with keys of the tests. */
import { signingKeys } from '../../lib/config/caller-keys.ts';
import type { Caller, Command, CommandInput, Endpoint } from '../../lib/contracts/action.ts';
import { contribute } from '../../lib/contracts/contribution.ts';
import { overview } from '../../lib/contracts/membership.ts';
import type { Clock } from '../../lib/node/clock.ts';
import { callerCheck, type CallerCheck } from '../../lib/service/check-caller.ts';
import type { CallMeta } from '../../lib/service/implement.ts';
import { callerStatements } from '../../services/gateway/tokens/state-caller.ts';
import { testCallerKeys, testClock, testIds } from './runtime.ts';

/** Returns the metadata of a call that the gateway makes for a user. */
export function callOf(
  endpoint: Endpoint,
  caller: Caller,
  clock: Clock = testClock,
  newId: () => string = testIds(clock),
): CallMeta {
  return { caller, statements: callerStatements(signingKeys(testCallerKeys), { clock, newId })(caller, endpoint.name) };
}

/** Each command that acts for a user may be called within one of these. */
const REQUESTS: readonly Endpoint[] = [contribute, overview];

/** Returns the metadata with which a service calls a command for a user. */
export function commandOf<C extends Command>({ acts_for }: C, input: CommandInput<C>, clock?: Clock): CallMeta {
  const user_id = acts_for?.user(input) ?? null;
  const request = REQUESTS.find(({ name }) => acts_for?.within(name));
  if (user_id === null || request === undefined) return {};
  const { statements } = callOf(request, { user_id, name: null, scopes: [] }, clock);
  return { statements };
}

/** Returns the check of a service that runs in this process. */
export function testCheck(service: string, clock: Clock = testClock): CallerCheck {
  return callerCheck({ service, keys: testCallerKeys(service), isRequired: true, clock });
}
