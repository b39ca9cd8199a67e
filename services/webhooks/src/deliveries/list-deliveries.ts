import { problem } from '@association-service/contracts';
import { implement, listName, pageThrough } from '@association-service/contracts/moleculer';
import type { ActionSchema } from 'moleculer';
import type { WebhookEndpoints } from '../contracts.ts';
import type { AuthorizeOwner, Deps } from '../endpoints/deps.ts';
import { findWebhook } from '../endpoints/webhook.store.ts';
import { listDeliveries } from './delivery.store.ts';
import { showDelivery } from './delivery.view.ts';

/** Lists the deliveries to an endpoint, newest first. */
export function listDeliveriesAction(
  { db, cursors }: Pick<Deps, 'db' | 'cursors'>,
  contract: WebhookEndpoints['listDeliveries'],
  authorize: AuthorizeOwner,
): ActionSchema {
  return implement(contract, async ({ path: { webhook_id, ...path }, query }, caller, ctx) => {
    const { association_id } = await authorize(ctx, caller, path);
    if ((await findWebhook(db, { association_id, webhook_id })) === undefined) throw problem('not_found');
    return pageThrough(
      cursors,
      listName(`webhooks/${webhook_id}/deliveries`, query),
      query,
      (after, limit) => listDeliveries(db, { webhook_id, status: query.status }, after, limit),
      ({ created_at, id }) => [created_at.toISOString(), id],
      showDelivery,
    );
  });
}
