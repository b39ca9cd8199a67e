import type { Answer } from '@association-service/contracts';
import type { WebhookEndpoints } from '../contracts.ts';
import type { DeliveryRow } from './delivery.store.ts';

/** Returns a delivery as users see it. */
export function showDelivery({ next_attempt_at, created_at, ...row }: DeliveryRow): Answer<WebhookEndpoints['retry']> {
  const { id, webhook_id, event_id, type, replay_id, status, attempts } = row;
  return {
    id,
    webhook_id,
    event_id,
    type,
    replay_id,
    status,
    attempts,
    next_attempt_at: next_attempt_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  };
}
