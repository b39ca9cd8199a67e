import type { ActionSchema } from 'moleculer';
import type { WebhookEndpoints } from '../contracts.ts';
import { listDeliveriesAction } from '../deliveries/list-deliveries.ts';
import { pingAction, retryDeliveryAction } from '../deliveries/send-again.ts';
import { replayEventsAction } from '../replays/replay-events.ts';
import { changeWebhookAction } from './change-webhook.ts';
import { createWebhookAction } from './create-webhook.ts';
import { deleteWebhookAction } from './delete-webhook.ts';
import type { AuthorizeOwner, Deps } from './deps.ts';
import { getWebhookAction, listWebhooksAction } from './read-webhooks.ts';
import { rotateSecretAction } from './rotate-secret.ts';

/** Returns the actions for the endpoints of one kind of owner, by their names without the service's. */
export function webhookActions(
  deps: Deps,
  contracts: WebhookEndpoints,
  authorize: AuthorizeOwner,
): Record<string, ActionSchema> {
  const named = ({ name }: { name: string }) => name.slice(name.indexOf('.') + 1);
  return {
    [named(contracts.create)]: createWebhookAction(deps, contracts.create, authorize),
    [named(contracts.list)]: listWebhooksAction(deps, contracts.list, authorize),
    [named(contracts.get)]: getWebhookAction(contracts.get, authorize),
    [named(contracts.change)]: changeWebhookAction(deps, contracts.change, authorize),
    [named(contracts.remove)]: deleteWebhookAction(deps, contracts.remove, authorize),
    [named(contracts.rotateSecret)]: rotateSecretAction(deps, contracts.rotateSecret, authorize),
    [named(contracts.listDeliveries)]: listDeliveriesAction(deps, contracts.listDeliveries, authorize),
    [named(contracts.retry)]: retryDeliveryAction(deps, contracts.retry, authorize),
    [named(contracts.replay)]: replayEventsAction(deps, contracts.replay, authorize),
    [named(contracts.ping)]: pingAction(deps, contracts.ping, authorize),
  };
}
