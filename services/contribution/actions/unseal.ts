import { implementCommand } from '../../../lib/actions/implement.ts';
import { unseal } from '../../../lib/contracts/contribution.ts';
import { liftSeal } from '../../../lib/seals/seals.ts';
import type { ContributionDeps } from '../deps.ts';

/** Opens an association again whose closure has failed. */
export function unsealAction({ foundation }: ContributionDeps) {
  return implementCommand(unseal, async (closure) => {
    await foundation.transaction((manager) => liftSeal(manager, closure));
    return { ok: true };
  });
}
