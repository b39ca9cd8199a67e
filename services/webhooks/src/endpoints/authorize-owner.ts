import { problem } from '@association-service/contracts';
import { authorizeCaller, requireScope, requireUnchanged } from '@association-service/contracts/moleculer';
import { MANAGE_SCOPE, MANAGING_ROLES } from '../contracts.ts';
import { findDelivery } from '../deliveries/delivery.store.ts';
import type { AuthorizeOwner, Deps, NamedByPath } from './deps.ts';
import { findWebhook, type WebhookRow } from './webhook.store.ts';
import { showWebhook } from './webhook.view.ts';

type Db = Deps['db'];

/**
 * For endpoints of an association: its president and secretaries. The role is read at every request, and
 * refused after unknown objects, as by all services. Nothing of a closed association is changed.
 */
export function asBoard(db: Db, access: 'read' | 'write'): AuthorizeOwner {
  return async (ctx, caller, path) => {
    const { association_id } = path as { association_id: string };
    const { terms, member } = await authorizeCaller(ctx, caller, association_id, 'read');
    const webhook = await findNamed(db, association_id, path);
    if (!MANAGING_ROLES.some((role) => role === member.role)) {
      throw problem('role_not_allowed', { required_roles: MANAGING_ROLES });
    }
    if (access === 'write' && terms.status === 'closed') {
      await requireUnchanged(ctx, () => webhook && showWebhook(webhook));
      throw problem('association_closed');
    }
    return { association_id, webhook };
  };
}

/** For endpoints of all associations. */
export function asManager(db: Db): AuthorizeOwner {
  return async (_ctx, caller, path) => {
    requireScope(caller, MANAGE_SCOPE);
    return { association_id: null, webhook: await findNamed(db, null, path) };
  };
}

/** @throws not_found if there is no such endpoint of the owner, or no such delivery to it */
async function findNamed(
  db: Db,
  association_id: string | null,
  { webhook_id, delivery_id }: NamedByPath,
): Promise<WebhookRow | undefined> {
  if (webhook_id === undefined) return undefined;
  const webhook = await findWebhook(db, { association_id, webhook_id });
  if (webhook === undefined) throw problem('not_found');
  if (delivery_id !== undefined && (await findDelivery(db, { webhook_id, delivery_id })) === undefined) {
    throw problem('not_found');
  }
  return webhook;
}
