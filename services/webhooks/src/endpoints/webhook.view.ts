import type { Answer } from '@association-service/contracts';
import type { WebhookEndpoints } from '../contracts.ts';
import type { WebhookRow } from './webhook.store.ts';

/** Returns an endpoint as those see it who may manage it. */
export function showWebhook({ disabled_at, created_at, ...row }: WebhookRow): Answer<WebhookEndpoints['get']> {
  const { id, association_id, url, types, description, status, disabled_reason } = row;
  return {
    id,
    association_id,
    url,
    types,
    description,
    status,
    disabled_reason,
    disabled_at: disabled_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
  };
}
