import type { Claim } from '../sending/claim.store.ts';
import type { Message } from '../sending/post.ts';
import type { SecretBox } from './secret-box.ts';
import { signedHeaders } from './signature.rules.ts';

export interface SigningDeps {
  box: SecretBox;
  /** Decides which replaced secrets still sign. */
  clock: () => Date;
  /** The time of the signature, which receivers compare with their own. */
  systemClock: () => Date;
}

/** Returns the place for which the secrets of an endpoint are sealed. */
export const placeOf = (webhook_id: string) => `webhook ${webhook_id}`;

/** Signs a delivery with the secrets of its endpoint. The id is the event's, so that receivers recognise a repeat. */
export function messageOf({ box, clock, systemClock }: SigningDeps, claim: Claim): Message {
  const now_ms = clock().getTime();
  const old = claim.old_secrets.filter(({ signs_until }) => Date.parse(signs_until) > now_ms);
  const sealed = [claim.sealed_secret, ...old.map((each) => each.sealed)];
  const secrets = sealed.map((each) => box.open(each, placeOf(claim.webhook_id)));
  const { url, event_id, body } = claim;
  return { url, body, headers: signedHeaders(event_id, systemClock(), body, secrets) };
}
