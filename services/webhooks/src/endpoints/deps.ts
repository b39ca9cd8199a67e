import type { Caller } from '@association-service/contracts';
import type { CallContext } from '@association-service/contracts/moleculer';
import type { ServiceParts } from '@association-service/contracts/service';
import type { Resolver } from '../addresses/public-lookup.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Dispatcher } from '../sending/dispatcher.ts';

/** What the actions need. */
export interface Deps extends Pick<ServiceParts, 'db' | 'clock' | 'newId' | 'randomBytes' | 'cursors' | 'log'> {
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
  /** Whether endpoints can be added. */
  isClosed: boolean;
}

/**
 * Finds out whether the caller may manage the endpoints.
 * @param path the fields of the request's path; those for endpoints of all associations name none
 * @throws not_found, role_not_allowed, insufficient_scope
 */
export type AuthorizeOwner = (ctx: CallContext, caller: Caller, path: object) => Promise<Owner>;
