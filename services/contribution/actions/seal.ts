import { implementCommand } from '../../../lib/actions/implement.ts';
import { seal } from '../../../lib/contracts/contribution.ts';
import { sealIfEmpty } from '../../../lib/seals/seals.ts';
import type { ContributionDeps } from '../deps.ts';
import { remainsOf } from '../persistence/emptiness.ts';

/** Lets nothing new begin in an association that is to be closed, if nothing is open in it. */
export function sealAction({ foundation }: ContributionDeps) {
  return implementCommand(seal, async ({ dry_run, ...closure }) => ({
    remains: await foundation.transaction((manager) => sealIfEmpty(manager, closure, remainsOf, dry_run)),
  }));
}
