import type { Answer, Command, CommandInput } from '../contracts/action.ts';

/**
 * How long a service waits for another's answer: half of what the gateway waits for it, so that there is time left to
 * say what is known.
 */
const ANSWER_TIMEOUT_MS = 5_000;

/** What can make a call: a context inside an action, the broker outside of one. */
export interface CanCall {
  call(action: string, params: unknown, options?: { timeout?: number }): Promise<unknown>;
  /** Of a context. */
  requestID?: string | null;
  meta?: { traceparent?: string };
}

/**
 * Calls another service's command.
 * @param timeout_ms waits at most this long
 * @throws the refusal of the other service, or Moleculer's error; callFailure() tells what it means
 */
export async function call<C extends Command>(
  via: CanCall,
  contract: C,
  input: CommandInput<C>,
  timeout_ms = ANSWER_TIMEOUT_MS,
): Promise<Answer<C>> {
  return (await via.call(contract.name, input, { timeout: timeout_ms })) as Answer<C>;
}
