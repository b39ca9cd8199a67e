import { takeCash } from '../../../lib/contracts/contribution.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { problem, type Refusal } from '../../../lib/errors/problem.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { claimCash, keepCashRefusal, readCashRefusal } from './contribution.store.ts';
import { findMeetingsToPay, takeDue, takeDueOrRefuse, type NewContribution } from './payment.store.ts';

/**
 * Takes a due for cash that the treasury has recorded and the board has not confirmed yet. The first outcome for an id is
 * kept, even if it is a refusal, so that a late repeat cannot take the due.
 */
export function takeCashAction({ db, runtime }: ContributionDeps) {
  return implementCommand(takeCash, async ({ association_id, meeting_id, contribution_id, member_id, ...cash }) => {
    const [meeting] = await findMeetingsToPay(db, [{ association_id, meeting_id }]);
    if (meeting === undefined) throw problem('not_found');
    const contribution = {
      id: contribution_id,
      meeting_id,
      member_id,
      // The member brought the cash. The treasury knows who recorded it.
      paid_by_member_id: member_id,
      payer_user_id: null,
      wallet_id: null,
      amount_minor: BigInt(cash.amount_minor),
      currency: cash.currency,
      metadata: cash.metadata ?? {},
      created_at: runtime.clock(),
    };
    const refusal = await db.transaction((tx) => takeOnce(tx, contribution));
    await runtime.reached('contribution.cash_taken');
    if (refusal !== null) throw problem(refusal.code, refusal.extras);
    return { ok: true };
  });
}

/**
 * Takes the due once for each id.
 * Lock order: claim, meeting, due.
 * @returns the refusal, as throwing it would roll back its record; null if the due was taken
 */
async function takeOnce(
  tx: Transaction,
  contribution: NewContribution & { currency: string },
): Promise<Refusal | null> {
  if (!(await claimCash(tx, contribution.id))) return readCashRefusal(tx, contribution.id);
  if ((await takeDue(tx, contribution)).outstanding_minor !== null) return null;
  const taken = await takeDueOrRefuse(tx, contribution);
  if (!('refusal' in taken)) return null;
  keepCashRefusal(tx, contribution.id, taken.refusal);
  return taken.refusal;
}
