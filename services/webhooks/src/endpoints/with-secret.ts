import type { ActionSchema } from 'moleculer';
import type { CallContext } from '@association-service/contracts/moleculer';
import { placeOf } from '../secrets/message.ts';
import type { Deps } from './deps.ts';

interface Sealed {
  id: string;
  secret: string;
}

/**
 * Opens the secret in the answers of an action. The answer that is kept for a repeat of the request has it sealed, so that no table
 * contains a secret that can be read.
 */
export function withSecret({ box }: Pick<Deps, 'box'>, action: ActionSchema): ActionSchema {
  const handler = action.handler as (ctx: CallContext) => Promise<Sealed>;
  return {
    ...action,
    async handler(this: unknown, ctx: CallContext) {
      const answer = await handler.call(this, ctx);
      return { ...answer, secret: box.open(answer.secret, placeOf(answer.id)) };
    },
  };
}
