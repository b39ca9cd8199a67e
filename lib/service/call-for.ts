import type { Answer, Command, CommandInput, Endpoint, EndpointInput } from '../contracts/action.ts';
import { stateCaller } from '../contracts/gateway.ts';
import type { Statements } from './call-context.ts';
import { call, callOnAnyNode, CALL_TIMEOUT_MS, type CanCall } from './call.ts';

/**
 * Calls a public action that reads, for the user whose token this is. It decides what this user may see.
 * @param token the access token with which the user has called this service
 * @throws the refusal of the token or of the action, or Moleculer's error, which callFailure() classifies
 */
export async function callFor<C extends Endpoint | Command>(
  via: CanCall,
  token: string,
  contract: C,
  input: C extends Endpoint ? EndpointInput<C> : CommandInput<C>,
  timeout_ms = CALL_TIMEOUT_MS,
): Promise<Answer<C>> {
  const { statements } = await call(via, stateCaller, { token, action: contract.name }, timeout_ms);
  const options = { reads: true, timeout_ms, meta: { statements: statements as Statements } };
  return (await callOnAnyNode(via, contract.name, input, options)) as Answer<C>;
}
