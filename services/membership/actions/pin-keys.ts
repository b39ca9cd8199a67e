import type { ActionSchema } from 'moleculer';
import { implement } from '../../../lib/service/implement.ts';
import { pinKeys } from '../../../lib/contracts/membership.ts';
import type { MembershipDeps } from '../deps.ts';

/** The keys to encrypt PINs to, as a JWK Set, the newest first. */
export function pinKeysAction({ offer }: MembershipDeps): ActionSchema {
  return implement(pinKeys, async () => {
    const keys = await offer.publicKeys();
    return { keys: keys.map((key) => ({ ...key })) };
  });
}
