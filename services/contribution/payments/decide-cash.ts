import { implementCommand } from '../../../lib/service/implement.ts';
import { decideCash } from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { ContributionDeps } from '../deps.ts';
import { findContribution } from './contribution.store.ts';
import { countPaid, failContribution } from './contribution.saga.ts';

/** What a rejection is called where the treasury names no code. */
const REJECTED = 'rejected';

/**
 * Counts cash that the board has confirmed and the treasury has posted, or gives the due back. Once for its id; cash
 * that was never taken for any meeting needs no giving back.
 */
export function decideCashAction(deps: ContributionDeps) {
  const { db } = deps.foundation;
  return implementCommand(decideCash, async ({ association_id, contribution_id, paid, code }) => {
    const row = await findContribution(db.manager, contribution_id);
    const cash = row?.association_id === association_id && row.method === 'cash' ? row : undefined;
    if (cash === undefined && paid) throw problem('not_found');
    if (cash !== undefined) await (paid ? countPaid(deps, cash) : failContribution(deps, cash, code ?? REJECTED));
    return { ok: true };
  });
}
