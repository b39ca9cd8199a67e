import type { Caller } from '@association-service/contracts';
import type { CallContext } from '@association-service/contracts/moleculer';
import type { ServiceParts } from '@association-service/contracts/service';
import type { Resolver } from '../addresses/public-lookup.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Dispatcher } from '../sending/dispatcher.ts';
import type { WebhookRow } from './webhook.store.ts';

/** What the actions need. */
export interface Deps extends Pick<ServiceParts, 'db' | 'clock' | 'newId' | 'randomBytes' | 'cursors'> {
  /** For implementWrite(). */
  parts: Pick<ServiceParts, 'service' | 'db' | 'runtime' | 'insertClaim'>;
  box: SecretBox;
  resolver: Resolver;
  allows_private: boolean;
  dispatcher: Pick<Dispatcher, 'wake'>;
  /** Makes the deliveries of replays that have begun. */
  continueReplays: () => void;
}

/** Whose endpoints a request is about. */
export interface Owner {
  /** Null for endpoints of all associations. */
  association_id: string | null;
  /** The endpoint that the path names. */
  webhook: WebhookRow | undefined;
}

/** Fields of paths; which ones a path has depends on the operation. */
export interface NamedByPath {
  webhook_id?: string;
  delivery_id?: string;
}

/**
 * Finds out whether the caller may manage the endpoints, and the endpoint and delivery that the path names exist.
 * @param path the fields of the request's path; those for endpoints of all associations name no association
 * @throws not_found, role_not_allowed, insufficient_scope, precondition_failed, association_closed
 */
export type AuthorizeOwner = (ctx: CallContext, caller: Caller, path: NamedByPath) => Promise<Owner>;
