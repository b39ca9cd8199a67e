import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import { ledgerHead } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { associationChain } from './accounts.rules.ts';
import { chainHead } from './ledger-reads.store.ts';

/** Where the association's chain ends: what a reader compares an export with. */
export const ledgerHeadAction = (deps: TreasuryDeps) =>
  implement(ledgerHead, async ({ path: { association_id } }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    return chainHead(deps.foundation.db.pool, associationChain(association_id));
  });
