import { implementCommand } from '../../../lib/actions/implement.ts';
import { unseal } from '../../../lib/contracts/treasury.ts';
import { liftSeal } from '../../../lib/seals/seals.ts';
import type { TreasuryDeps } from '../deps.ts';

/** Opens again what was sealed for an approval. */
export const unsealAction = ({ foundation }: TreasuryDeps) =>
  implementCommand(unseal, async (closure) => {
    await foundation.transaction((manager) => liftSeal(manager, closure));
    return { ok: true };
  });
