import { implementCommand } from '../../../lib/actions/implement.ts';
import { unseal } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { unseal as unsealStored } from '../persistence/seals.ts';

/** Opens again what was sealed for an approval. */
export const unsealAction = ({ foundation }: TreasuryDeps) =>
  implementCommand(unseal, async ({ association_id, approval_id }) => {
    await unsealStored(foundation.db.manager, association_id, approval_id);
    return { ok: true };
  });
