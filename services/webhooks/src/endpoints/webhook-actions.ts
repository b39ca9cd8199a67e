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
  authorize: (access: 'read' | 'write') => AuthorizeOwner,
): Record<string, ActionSchema> {
  const [toRead, toWrite] = [authorize('read'), authorize('write')];
  const named = ({ name }: { name: string }) => name.slice(name.indexOf('.') + 1);
  return {
    [named(contracts.create)]: createWebhookAction(deps, contracts.create, toWrite),
    [named(contracts.list)]: listWebhooksAction(deps, contracts.list, toRead),
    [named(contracts.get)]: getWebhookAction(contracts.get, toRead),
    [named(contracts.change)]: changeWebhookAction(deps, contracts.change, toWrite),
    [named(contracts.remove)]: deleteWebhookAction(deps, contracts.remove, toWrite),
    [named(contracts.rotateSecret)]: rotateSecretAction(deps, contracts.rotateSecret, toWrite),
    [named(contracts.listDeliveries)]: listDeliveriesAction(deps, contracts.listDeliveries, toRead),
    [named(contracts.retry)]: retryDeliveryAction(deps, contracts.retry, toWrite),
    [named(contracts.replay)]: replayEventsAction(deps, contracts.replay, toWrite),
    [named(contracts.ping)]: pingAction(deps, contracts.ping, toWrite),
  };
}
