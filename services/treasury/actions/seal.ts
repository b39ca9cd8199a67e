import { implementCommand } from '../../../lib/actions/implement.ts';
import { seal } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { sealIfEmpty } from '../persistence/seals.ts';

/** Closes the treasury of an association that holds nothing, to all new requests. */
export const sealAction = ({ foundation }: TreasuryDeps) =>
  implementCommand(seal, async (input) => ({
    empty: await foundation.transaction((manager) => sealIfEmpty(manager, input)),
  }));
