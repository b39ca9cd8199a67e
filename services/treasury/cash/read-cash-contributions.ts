import { getCashContribution, listCashContributions } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { listName, pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { listByState } from './cash-deposit.store.ts';
import { CASH_DEPOSIT_STATES, cashDeposits } from './cash-deposit.table.ts';
import { showCashDeposit, statesShown } from './cash-deposit.view.ts';

/** Lists the cash that was recorded in the association, newest first. */
export const listCashContributionsAction = ({ reads, cursors }: TreasuryDeps) =>
  implement(listCashContributions, async ({ path: { association_id }, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const { status, member_id } = query;
    return pageThrough(
      cursors,
      listName(`cash-contributions/${association_id}`, query),
      query,
      (after, limit) =>
        listByState(reads, { association_id, member_id, states: statesShown(status) }, after?.[0] ?? null, limit),
      (deposit) => [deposit.id],
      showCashDeposit,
    );
  });

/** Reads cash that was recorded in the association. */
export const getCashContributionAction = ({ reads }: TreasuryDeps) =>
  implement(getCashContribution, async ({ path: { association_id, cash_contribution_id } }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const deposit = await reads.orm.findOneBy(cashDeposits, { id: cash_contribution_id, association_id });
    const isShown = deposit !== null && CASH_DEPOSIT_STATES[deposit.status].shown !== null;
    if (!isShown) throw problem('not_found');
    return showCashDeposit(deposit);
  });
