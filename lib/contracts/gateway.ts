/** Contracts of the gateway with services of other teams. */
import * as t from './fields.ts';
import { always, command } from './action.ts';

/** More than the headers of a request may have. */
const TOKEN_MAX_LENGTH = 16_384;
const ACTION_MAX_LENGTH = 100;

/**
 * Verifies a user's token and states that they have called an action: a service that has the token can then call it for
 * them. Refuses with the refusal of the token, and with not_found for an action that is not public or that changes something.
 */
export const stateCaller = command({
  name: 'gateway.state_caller',
  reads: always,
  input: { token: t.opaque(TOKEN_MAX_LENGTH), action: t.opaque(ACTION_MAX_LENGTH) },
  answer: t.object({ statements: t.free() }),
});
