import { problem } from '@association-service/contracts';
import { implementWrite } from '@association-service/contracts/moleculer';
import type { ActionSchema } from 'moleculer';
import type { WebhookEndpoints } from '../contracts.ts';
import type { AuthorizeOwner, Deps } from './deps.ts';
import { lockWebhook, markDeleted } from './webhook.store.ts';

/** Deletes an endpoint with its deliveries. */
export function deleteWebhookAction(
  deps: Deps,
  contract: WebhookEndpoints['remove'],
  authorize: AuthorizeOwner,
): ActionSchema {
  const { db, clock } = deps;
  return implementWrite(deps.parts, contract, async ({ path }, caller, ctx, operation) => {
    const { association_id } = await authorize(ctx, caller, path);
    await db.transaction(async (tx) => {
      const found = await lockWebhook(tx, { association_id, webhook_id: path.webhook_id });
      if (found === undefined) throw problem('not_found');
      await markDeleted(tx, found.id, clock());
      await operation.keep(tx, {});
    });
    return {};
  });
}
