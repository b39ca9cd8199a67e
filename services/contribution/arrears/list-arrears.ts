import { listArrears } from '../../../lib/contracts/contribution.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { listName, pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { listUnpaidArrears, type ArrearsPosition } from './arrears.store.ts';

/** Lists what members owe one another from settled rounds, the oldest first, filtered by debtor and creditor. */
export function listArrearsAction({ reads, cursors }: ContributionDeps) {
  return implement(listArrears, async ({ path: { association_id }, query }, caller, ctx) => {
    const { terms } = await authorizeCaller(ctx, caller, association_id, 'read');
    const filter = { association_id, debtor_id: query.member_id ?? null, creditor_id: query.creditor_id ?? null };
    return pageThrough(
      cursors,
      listName(`arrears/${association_id}`, query),
      query,
      (after, limit) => listUnpaidArrears(reads, filter, after as ArrearsPosition | null, limit),
      (row) => [row.settled_at.toISOString(), row.meeting_id, row.debtor_id, row.creditor_id],
      (row) => ({
        meeting_id: row.meeting_id,
        member_id: row.debtor_id,
        creditor_id: row.creditor_id,
        amount: toMajor(row.unpaid_minor, terms.currency),
        since: row.settled_at.toISOString(),
      }),
    );
  });
}
