import { implement } from '../../../lib/actions/implement.ts';
import { ledgerHead } from '../../../lib/contracts/treasury.ts';
import type { TreasuryDeps } from '../deps.ts';
import { associationChain } from '../domain/accounts.ts';
import { chainHead } from '../persistence/ledger-reads.ts';
import { authorizedToRead } from './authorized.ts';

/** Where the association's chain ends: what a reader compares an export with. */
export const ledgerHeadAction = (deps: TreasuryDeps) =>
  implement(ledgerHead, async ({ path: { association_id } }, { user_id }, ctx) => {
    await authorizedToRead(deps, ctx, association_id, user_id);
    return chainHead(deps.foundation.db.manager, associationChain(association_id));
  });
