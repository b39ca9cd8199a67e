import { decideCash } from '../../../lib/contracts/contribution.ts';
import { problem, type Refusal } from '../../../lib/errors/problem.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { unpaidMove } from './contribution.saga.ts';
import { claimCash, keepCashRefusal, withMetadata } from './contribution.store.ts';

/** The failure code of a rejection that has no code. */
const REJECTED = 'rejected';

/** What a call of take_cash is told that arrives after the treasury has given up. It gives up whatever the answer is. */
const GIVEN_UP: Refusal = { code: 'service_unavailable', extras: {} };

/**
 * Marks cash that the board has confirmed and the treasury has posted as paid, or gives back the due of rejected cash. A
 * repeat changes nothing. After a rejection no due can be taken for this cash.
 */
export function decideCashAction({ db, contributions, runtime }: ContributionDeps) {
  return implementCommand(decideCash, async ({ association_id, contribution_id, paid, code }) => {
    if (!paid) await refuseLateTaking(db, contribution_id);
    const row = await contributions.find(contribution_id);
    const isOurs = row?.association_id === association_id && row.method === 'cash';
    const cash = isOurs ? await withMetadata(db, row) : undefined;
    if (cash === undefined && paid) throw problem('not_found');
    if (cash?.status === 'pending') {
      if (paid) await contributions.markPaid(cash);
      else await contributions.move(cash, unpaidMove(cash, 'failed', code ?? REJECTED, runtime.clock()));
      await runtime.reached('contribution.cash_decided');
    }
    return { ok: true };
  });
}

/** Claims the id if no due was taken under it yet. A call that is taking it now is waited for. */
function refuseLateTaking(db: ContributionDeps['db'], contribution_id: string): Promise<void> {
  return db.transaction(async (tx) => {
    if (await claimCash(tx, contribution_id)) keepCashRefusal(tx, contribution_id, GIVEN_UP);
  });
}
