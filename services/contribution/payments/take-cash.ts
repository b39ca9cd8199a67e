import type { EntityManager } from 'typeorm';
import { implementCommand } from '../../../lib/service/implement.ts';
import { takeCash } from '../../../lib/contracts/contribution.ts';
import { problem, problemCode, problemExtras } from '../../../lib/errors/problem.ts';
import type { ContributionDeps } from '../deps.ts';
import { claimCash, keepRefusal, keptRefusal } from './cash-claims.ts';
import type { CashRefusal } from './cash-claims.ts';
import { findPayableMeeting } from './find-payable-meeting.ts';
import { takeDueWithin } from './payment.store.ts';
import type { NewContribution } from './payment.store.ts';
import { untaken } from './untaken.ts';

/**
 * Takes a due for cash that the treasury has recorded and the board has yet to confirm. Once for its id: the first
 * outcome, a refusal too, stands, so that a call which arrives late cannot take what was refused.
 */
export function takeCashAction({ foundation }: ContributionDeps) {
  const { db, runtime } = foundation;
  return implementCommand(takeCash, async ({ association_id, meeting_id, contribution_id, member_id, ...cash }) => {
    const meeting = await findPayableMeeting(db.pool, association_id, meeting_id);
    if (meeting === undefined) throw problem('not_found');
    const contribution = {
      id: contribution_id,
      meeting_id,
      member_id,
      // Whoever recorded it is known to the treasury; it is the member who brought it.
      paid_by_member_id: member_id,
      payer_user_id: null,
      wallet_id: null,
      amount_minor: BigInt(cash.amount_minor),
      currency: cash.currency,
      now: runtime.clock(),
    };
    const refusal = await foundation.transaction((manager) => takeOnce(manager, contribution));
    await runtime.reached('contribution.cash_taken');
    if (refusal !== null) throw problem(refusal.code, refusal.extras);
    return { ok: true };
  });
}

/** A refusal is a value here: thrown, it would roll back that it is kept. Locks: claim, meeting, due. */
async function takeOnce(
  manager: EntityManager,
  contribution: NewContribution & { currency: string },
): Promise<CashRefusal | null> {
  if (!(await claimCash(manager, contribution.id))) return keptRefusal(manager, contribution.id);
  const { outstanding_minor, meeting_status } = await takeDueWithin(manager, contribution);
  if (outstanding_minor !== null) return null;
  const refused = await untaken(manager, contribution, meeting_status);
  const refusal = { code: problemCode(refused) ?? 'internal_error', extras: problemExtras(refused) };
  await keepRefusal(manager, contribution.id, refusal);
  return refusal;
}
