import { problem } from '@association-service/contracts';
import { implementWrite } from '@association-service/contracts/moleculer';
import type { ActionSchema } from 'moleculer';
import type { WebhookEndpoints } from '../contracts.ts';
import { refusal } from '../errors.ts';
import { OLD_SECRET_SIGNS_FOR_MS, OLD_SECRETS_MAX } from '../limits.rules.ts';
import { placeOf } from '../secrets/message.ts';
import { SECRET_BYTES, writeSecret } from '../secrets/signature.rules.ts';
import type { AuthorizeOwner, Deps } from './deps.ts';
import { changeSecret, lockWebhook } from './webhook.store.ts';
import { withSecret } from './with-secret.ts';

/** Replaces the secret of an endpoint. Each replaced one signs for 24 h, also if there are several. */
export function rotateSecretAction(
  deps: Deps,
  contract: WebhookEndpoints['rotateSecret'],
  authorize: AuthorizeOwner,
): ActionSchema {
  const { db, box, clock, randomBytes } = deps;
  const action = implementWrite(deps.parts, contract, async ({ path }, caller, ctx, operation) => {
    const { association_id } = await authorize(ctx, caller, path);
    return db.transaction(async (tx) => {
      const found = await lockWebhook(tx, { association_id, webhook_id: path.webhook_id });
      if (found === undefined) throw problem('not_found');
      const { id } = found;
      const now_ms = clock().getTime();
      const signs_until = new Date(now_ms + OLD_SECRET_SIGNS_FOR_MS).toISOString();
      if (found.secret_made_by === operation.id) {
        // The request has arrived a second time.
        const until = found.old_secrets[0]?.signs_until ?? signs_until;
        return { id, secret: found.sealed_secret, old_secret_signs_until: until };
      }
      const signing = found.old_secrets.filter((old) => Date.parse(old.signs_until) > now_ms);
      if (signing.length >= OLD_SECRETS_MAX) throw refusal('webhook_secret_limit');
      const sealed_secret = box.seal(writeSecret(randomBytes(SECRET_BYTES)), placeOf(id));
      const old_secrets = [{ sealed: found.sealed_secret, signs_until }, ...signing];
      await changeSecret(tx, id, { sealed_secret, old_secrets, secret_made_by: operation.id });
      const answer = { id, secret: sealed_secret, old_secret_signs_until: signs_until };
      await operation.keep(tx, answer);
      return answer;
    });
  });
  return withSecret(deps, action);
}
