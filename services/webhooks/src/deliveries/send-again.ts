import { problem } from '@association-service/contracts';
import { implementWrite } from '@association-service/contracts/moleculer';
import type { Sql } from '@association-service/contracts/subscriber';
import type { ActionSchema } from 'moleculer';
import { NAME, PING_TYPE, type WebhookEndpoints } from '../contracts.ts';
import type { AuthorizeOwner, Deps } from '../endpoints/deps.ts';
import { lockWebhook, type WebhookOf, type WebhookRow } from '../endpoints/webhook.store.ts';
import { refusal } from '../errors.ts';
import { addPing, findDelivery, makeDue } from './delivery.store.ts';
import { showDelivery } from './delivery.view.ts';

/**
 * Locks an endpoint to which something is to be sent.
 * @throws not_found, webhook_disabled
 */
export async function lockEnabled(tx: Pick<Sql, 'first'>, one: WebhookOf): Promise<WebhookRow> {
  const found = await lockWebhook(tx, one);
  if (found === undefined) throw problem('not_found');
  if (found.status === 'disabled') throw refusal('webhook_disabled');
  return found;
}

/** Sends a delivery again at once, whatever its status was. */
export function retryDeliveryAction(
  deps: Deps,
  contract: WebhookEndpoints['retry'],
  authorize: AuthorizeOwner,
): ActionSchema {
  const { db, clock, dispatcher } = deps;
  return implementWrite(deps.parts, contract, async ({ path }, caller, ctx, operation) => {
    const { association_id } = await authorize(ctx, caller, path);
    const { webhook_id, delivery_id } = path;
    const one = { webhook_id, delivery_id };
    return db.transaction(async (tx) => {
      await lockEnabled(tx, { association_id, webhook_id });
      await makeDue(tx, one, clock());
      const row = await findDelivery(tx, one);
      if (row === undefined) throw problem('not_found');
      const answer = showDelivery(row);
      await operation.keep(tx, answer);
      tx.afterCommit(() => dispatcher.wake([webhook_id]));
      return answer;
    });
  });
}

/** Sends a test event. */
export function pingAction(deps: Deps, contract: WebhookEndpoints['ping'], authorize: AuthorizeOwner): ActionSchema {
  const { db, clock, newId, dispatcher } = deps;
  return implementWrite(deps.parts, contract, async ({ path }, caller, ctx, operation) => {
    const { association_id } = await authorize(ctx, caller, path);
    const { webhook_id } = path;
    return db.transaction(async (tx) => {
      await lockEnabled(tx, { association_id, webhook_id });
      const now = clock();
      const event_id = newId();
      // The operation's id, so that a request that arrives a second time sends nothing more.
      const delivery_id = operation.id;
      const earlier = await findDelivery(tx, { webhook_id, delivery_id });
      if (earlier !== undefined) return showDelivery(earlier);
      const body = JSON.stringify({
        specversion: '1.0',
        id: event_id,
        source: `/association-service/${NAME}`,
        type: PING_TYPE,
        ...(association_id === null ? {} : { subject: association_id }),
        time: now.toISOString(),
        datacontenttype: 'application/json',
        data: { webhook_id },
      });
      addPing(tx, { event_id, delivery_id, webhook_id, association_id, type: PING_TYPE, body }, now);
      const row = await findDelivery(tx, { webhook_id, delivery_id });
      if (row === undefined) throw problem('not_found');
      const answer = showDelivery(row);
      await operation.keep(tx, answer);
      tx.afterCommit(() => dispatcher.wake([webhook_id]));
      return answer;
    });
  });
}
