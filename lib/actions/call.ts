import type { Answer, Command, CommandInput } from '../contracts/action.ts';

/** What can make a call: a context inside an action, the broker outside of one. */
export interface CanCall {
  call(action: string, params: unknown, options?: { timeout?: number }): Promise<unknown>;
}

/**
 * Calls another service's command.
 * @param timeout_ms waits at most this long; the broker's own limit if absent
 * @throws the refusal of the other service, or Moleculer's error; callFailure() tells what it means
 */
export async function call<C extends Command>(
  via: CanCall,
  contract: C,
  input: CommandInput<C>,
  timeout_ms?: number,
): Promise<Answer<C>> {
  const options = timeout_ms === undefined ? {} : { timeout: timeout_ms };
  return (await via.call(contract.name, input, options)) as Answer<C>;
}
