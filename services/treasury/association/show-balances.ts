import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import { balances } from '../../../lib/contracts/treasury.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { TreasuryDeps } from '../deps.ts';
import { summarise } from './balances.rules.ts';
import { accountHoldings } from '../ledger/ledger-reads.store.ts';

/** What the association holds, and where. */
export const balancesAction = (deps: TreasuryDeps) =>
  implement(balances, async ({ path: { association_id } }, caller, ctx) => {
    const { terms } = await authorizeCaller(ctx, caller, association_id, 'read');
    const { currency } = terms;
    const summary = summarise(await accountHoldings(deps.foundation.db.pool, association_id));
    return {
      currency,
      treasury: toMajor(summary.treasury, currency),
      reserved: toMajor(summary.reserved, currency),
      cash: toMajor(summary.cash, currency),
      available: toMajor(summary.available, currency),
      pools: summary.pools.map(({ meeting_id, amount, cash_amount }) => ({
        meeting_id,
        amount: toMajor(amount, currency),
        cash_amount: toMajor(cash_amount, currency),
      })),
    };
  });
