import { implement, listName, pageThrough } from '@association-service/contracts/moleculer';
import type { ActionSchema } from 'moleculer';
import type { WebhookEndpoints } from '../contracts.ts';
import type { AuthorizeOwner, Deps } from '../endpoints/deps.ts';
import { listDeliveries } from './delivery.store.ts';
import { showDelivery } from './delivery.view.ts';

/** Lists the deliveries to an endpoint, newest first. */
export function listDeliveriesAction(
  { db, cursors }: Pick<Deps, 'db' | 'cursors'>,
  contract: WebhookEndpoints['listDeliveries'],
  authorize: AuthorizeOwner,
): ActionSchema {
  return implement(contract, async ({ path, query }, caller, ctx) => {
    await authorize(ctx, caller, path);
    const { webhook_id } = path;
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
