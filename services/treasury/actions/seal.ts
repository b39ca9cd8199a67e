import { implementCommand } from '../../../lib/actions/implement.ts';
import { seal } from '../../../lib/contracts/treasury.ts';
import { sealIfEmpty } from '../../../lib/seals/seals.ts';
import type { TreasuryDeps } from '../deps.ts';
import { remainsOf } from '../persistence/emptiness.ts';

/** Closes the treasury of an association that holds nothing, to all new requests. */
export const sealAction = ({ foundation }: TreasuryDeps) =>
  implementCommand(seal, async ({ dry_run, ...closure }) => ({
    remains: await foundation.transaction((manager) => sealIfEmpty(manager, closure, remainsOf, dry_run)),
  }));
