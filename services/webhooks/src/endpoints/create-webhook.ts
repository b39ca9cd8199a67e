import { ALL_TYPES } from '@association-service/contracts';
import { answerLocation, implementWrite } from '@association-service/contracts/moleculer';
import type { ActionSchema } from 'moleculer';
import type { WebhookEndpoints } from '../contracts.ts';
import { refusal } from '../errors.ts';
import { WEBHOOKS_MAX } from '../limits.rules.ts';
import { placeOf } from '../secrets/message.ts';
import { SECRET_BYTES, writeSecret } from '../secrets/signature.rules.ts';
import { requireGoodUrl, requirePublicHost } from './check-url.ts';
import type { AuthorizeOwner, Deps } from './deps.ts';
import { addWebhook, countAlone, lockWebhook } from './webhook.store.ts';
import { showWebhook } from './webhook.view.ts';
import { withSecret } from './with-secret.ts';

/** Adds an endpoint. */
export function createWebhookAction(
  deps: Deps,
  contract: WebhookEndpoints['create'],
  authorize: AuthorizeOwner,
): ActionSchema {
  const { db, box, clock, randomBytes } = deps;
  const action = implementWrite(
    deps.parts,
    contract,
    async ({ path, body }, caller, ctx, operation) => {
      const { association_id } = await authorize(ctx, caller, path);
      await requirePublicHost(deps, body.url);
      const { id } = operation;
      answerLocation(
        ctx,
        association_id === null ? `/webhooks/${id}` : `/associations/${association_id}/webhooks/${id}`,
      );
      return db.transaction(async (tx) => {
        const count = await countAlone(tx, association_id);
        const earlier = await lockWebhook(tx, { association_id, webhook_id: id });
        // The request has arrived a second time.
        if (earlier !== undefined) return { ...showWebhook(earlier), secret: earlier.sealed_secret };
        if (count >= WEBHOOKS_MAX) throw refusal('webhook_limit');
        const now = clock();
        const sealed_secret = box.seal(writeSecret(randomBytes(SECRET_BYTES)), placeOf(id));
        const webhook = {
          id,
          association_id,
          url: body.url,
          types: [...new Set<string>(body.types ?? [ALL_TYPES])],
          description: body.description || null,
        };
        const enabled = { status: 'enabled', disabled_reason: null, disabled_at: null, created_at: now } as const;
        await addWebhook(tx, { ...webhook, sealed_secret, created_by_user_id: caller.user_id }, now);
        const answer = { ...showWebhook({ ...webhook, ...enabled }), secret: sealed_secret };
        await operation.keep(tx, answer);
        return answer;
      });
    },
    { check: ({ body }) => requireGoodUrl(deps, body.url) },
  );
  return withSecret(deps, action);
}
