import { cashLedger } from '../../../lib/contracts/treasury.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { listCashMovements } from '../ledger/ledger-reads.store.ts';

/** Lists the movements of the association's cash box, newest first. */
export const cashLedgerAction = ({ reads, cursors }: TreasuryDeps) =>
  implement(cashLedger, async ({ path: { association_id }, query }, caller, ctx) => {
    const { terms } = await authorizeCaller(ctx, caller, association_id, 'read');
    const { currency } = terms;
    return pageThrough(
      cursors,
      `cash-ledger/${association_id}`,
      query,
      (after, limit) => listCashMovements(reads, association_id, after?.[0] ?? null, limit),
      (movement) => [movement.entry_no.toString()],
      (movement) => ({
        id: movement.transfer_id,
        kind: movement.kind,
        amount: toMajor(movement.amount, currency),
        balance_after: toMajor(movement.balance_after, currency),
        member_id: movement.member_id,
        reference: movement.reference,
        posted_at: movement.posted_at.toISOString(),
      }),
    );
  });
