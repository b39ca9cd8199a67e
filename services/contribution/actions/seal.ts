import { implementCommand } from '../../../lib/actions/implement.ts';
import { seal } from '../../../lib/contracts/contribution.ts';
import type { ContributionDeps } from '../deps.ts';
import { sealIfEmpty } from '../persistence/seals.ts';

/** Lets nothing new begin in an association that is to be closed, if nothing is open in it. */
export function sealAction({ foundation }: ContributionDeps) {
  return implementCommand(seal, async ({ dry_run, ...closure }) => ({
    empty: await foundation.transaction((manager) => sealIfEmpty(manager, closure, dry_run)),
  }));
}
