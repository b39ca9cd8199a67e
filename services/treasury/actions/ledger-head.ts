import { authorized } from '../../../lib/actions/authorized.ts';
import { implement } from '../../../lib/actions/implement.ts';
import { ledgerHead } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { associationChain } from '../domain/accounts.ts';
import { chainHead } from '../persistence/ledger-reads.ts';

/** Where the association's chain ends: what a reader compares an export with. */
export const ledgerHeadAction = (deps: TreasuryDeps) =>
  implement(ledgerHead, async ({ path: { association_id } }, caller, ctx) => {
    await authorized(ctx, caller, association_id, 'read');
    return chainHead(deps.foundation.db.pool, associationChain(association_id));
  });
