import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import { ledger } from '../../../lib/contracts/treasury.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import type { TreasuryDeps } from '../deps.ts';
import { associationChain } from './accounts.rules.ts';
import { transfersBefore } from './ledger-reads.store.ts';

/** The association's transfers as they were hashed, newest first. */
export const ledgerAction = (deps: TreasuryDeps) =>
  implement(ledger, async ({ path: { association_id }, query }, caller, ctx) => {
    const { foundation } = deps;
    await authorizeCaller(ctx, caller, association_id, 'read');
    const chain_id = associationChain(association_id);
    return pageThrough(
      foundation.cursors,
      `ledger/${association_id}`,
      query,
      (after, limit) => transfersBefore(foundation.db.pool, chain_id, after?.[0] ?? null, limit),
      (transfer) => [transfer.seq.toString()],
      (transfer) => transfer,
    );
  });
