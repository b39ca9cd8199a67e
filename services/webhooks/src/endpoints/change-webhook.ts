import { problem } from '@association-service/contracts';
import { implementWrite, requireUnchanged } from '@association-service/contracts/moleculer';
import type { ActionSchema } from 'moleculer';
import type { WebhookEndpoints } from '../contracts.ts';
import { failPending } from '../sending/attempt.store.ts';
import { requireGoodUrl, requirePublicHost } from './check-url.ts';
import type { AuthorizeOwner, Deps } from './deps.ts';
import { changeWebhook, lockWebhook, type WebhookRow } from './webhook.store.ts';
import { showWebhook } from './webhook.view.ts';

/** Changes an endpoint. Disabling it gives up its pending deliveries. */
export function changeWebhookAction(
  deps: Deps,
  contract: WebhookEndpoints['change'],
  authorize: AuthorizeOwner,
): ActionSchema {
  const { db, clock } = deps;
  return implementWrite(
    deps.parts,
    contract,
    async ({ path, body }, caller, ctx, operation) => {
      const { association_id } = await authorize(ctx, caller, path);
      const one = { association_id, webhook_id: path.webhook_id };
      if (body.url !== undefined) await requirePublicHost(deps, body.url);
      return db.transaction(async (tx) => {
        const locked = await lockWebhook(tx, one);
        await requireUnchanged(ctx, () => locked && showWebhook(locked));
        if (locked === undefined) throw problem('not_found');
        const now = clock();
        const changed = withChanges(locked, body, now);
        const isRepaired = changed.url !== locked.url || (changed.status === 'enabled' && locked.status === 'disabled');
        await changeWebhook(tx, changed, isRepaired);
        const isDisabled = changed.status === 'disabled' && locked.status === 'enabled';
        if (isDisabled) await failPending(tx, changed.id, now);
        const answer = showWebhook(changed);
        await operation.keep(tx, answer);
        return answer;
      });
    },
    {
      check({ body }) {
        if (body.url !== undefined) requireGoodUrl(deps, body.url);
      },
    },
  );
}

interface Changes {
  url?: string;
  types?: string[];
  description?: string;
  status?: WebhookRow['status'];
}

function withChanges(row: WebhookRow, { url, types, description, status }: Changes, now: Date): WebhookRow {
  const changed: WebhookRow = {
    ...row,
    url: url ?? row.url,
    types: types === undefined ? row.types : [...new Set(types)],
    description: description === undefined ? row.description : description || null,
  };
  if (status === undefined || status === row.status) return changed;
  if (status === 'enabled') return { ...changed, status, disabled_reason: null, disabled_at: null };
  return { ...changed, status, disabled_reason: 'request', disabled_at: now };
}
