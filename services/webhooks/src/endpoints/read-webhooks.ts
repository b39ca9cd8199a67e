import { problem } from '@association-service/contracts';
import { implement, pageThrough } from '@association-service/contracts/moleculer';
import type { ActionSchema } from 'moleculer';
import type { WebhookEndpoints } from '../contracts.ts';
import type { AuthorizeOwner, Deps } from './deps.ts';
import { listWebhooks } from './webhook.store.ts';
import { showWebhook } from './webhook.view.ts';

/** Lists the endpoints of an owner, newest first. */
export function listWebhooksAction(
  { db, cursors }: Deps,
  contract: WebhookEndpoints['list'],
  authorize: AuthorizeOwner,
): ActionSchema {
  return implement(contract, async ({ path, query }, caller, ctx) => {
    const { association_id } = await authorize(ctx, caller, path);
    return pageThrough(
      cursors,
      `webhooks/${association_id ?? 'all'}`,
      query,
      (after, limit) => listWebhooks(db, association_id, after, limit),
      ({ created_at, id }) => [created_at.toISOString(), id],
      showWebhook,
    );
  });
}

/** Shows an endpoint without its secret. */
export function getWebhookAction(contract: WebhookEndpoints['get'], authorize: AuthorizeOwner): ActionSchema {
  return implement(contract, async ({ path }, caller, ctx) => {
    const { webhook } = await authorize(ctx, caller, path);
    if (webhook === undefined) throw problem('not_found');
    return showWebhook(webhook);
  });
}
