import { decideCash } from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { unpaidMove } from './contribution.saga.ts';

/** The failure code of a rejection that has no code. */
const REJECTED = 'rejected';

/**
 * Marks cash that the board has confirmed and the treasury has posted as paid, or gives back the due of rejected cash. A
 * repeat changes nothing, and neither does rejected cash for which no due was taken.
 */
export function decideCashAction({ contributions, runtime }: ContributionDeps) {
  return implementCommand(decideCash, async ({ association_id, contribution_id, paid, code }) => {
    const row = await contributions.find(contribution_id);
    const cash = row?.association_id === association_id && row.method === 'cash' ? row : undefined;
    if (cash === undefined && paid) throw problem('not_found');
    if (cash?.status === 'pending') {
      if (paid) await contributions.markPaid(cash);
      else await contributions.move(cash, unpaidMove(cash, 'failed', code ?? REJECTED, runtime.clock()));
      await runtime.reached('contribution.cash_decided');
    }
    return { ok: true };
  });
}
