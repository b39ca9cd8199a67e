import type { EntityManager } from 'typeorm';
import { authorized } from '../../../lib/actions/authorized.ts';
import { implementWrite } from '../../../lib/actions/implement-write.ts';
import { answerLocation, answerStatus } from '../../../lib/actions/implement.ts';
import type { CallContext } from '../../../lib/actions/implement.ts';
import { settle } from '../../../lib/contracts/contribution.ts';
import type { Settlement } from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import type { ContributionDeps } from '../deps.ts';
import type { SettlementRow } from '../persistence/settlement.entity.ts';
import { findSettlement, settlementById } from '../persistence/settling.ts';
import { closeForContributions, waitForContributions } from '../sagas/closing.ts';
import { storedRefusal } from '../sagas/outcome.ts';
import { payoutWallets } from '../sagas/payout-wallets.ts';
import { planOrReopen } from '../sagas/plan-settlement.ts';
import { driveSettlement } from '../sagas/settlement-saga.ts';
import { situationOf } from '../sagas/situation.ts';
import { meetingOfPath } from './meeting-of-path.ts';
import { showSettlement } from './show.ts';

/**
 * Closes a meeting and pays its pool out: a rotation's round to its hands, the last of a cycle of savings to those who
 * saved, any other meeting into the treasury.
 */
export function settleAction(deps: ContributionDeps) {
  const { db, runtime } = deps.foundation;
  return implementWrite(deps.foundation, settle, async ({ path, body }, caller, ctx, operation) => {
    // What was planned was allowed, and goes on by itself: refusing it now would free its key.
    const earlier = operation.resumed ? await findSettlement(db.manager, operation.id) : null;
    if (earlier !== null) return driveAndAnswer(deps, ctx, earlier, operation);

    const meeting = await meetingOfPath(db.manager, path);
    const situation = await situationOf(db.manager, meeting);
    const member_ids = [...situation.payee_ids];
    const authorization = await authorized(ctx, caller, path.association_id, 'settle', { member_ids });
    const wallets = await payoutWallets(deps, ctx, authorization);

    const { association_id, id: meeting_id } = meeting;
    const attempt = { association_id, meeting_id, attempt_id: operation.id, debtor_ids: situation.debtor_ids };
    const objection = situation.earlier_round_open ? problem('earlier_round_open') : undefined;
    await closeForContributions(deps, attempt, objection);
    await runtime.reached('contribution.settling_begun');
    await waitForContributions(deps, attempt);
    const settlement = await planOrReopen(deps, {
      ...attempt,
      situation,
      wallets,
      settled_by_member_id: authorization.member.member_id,
      terms: authorization.terms,
      preview_hash: body.preview_hash,
    });
    await runtime.reached('contribution.settlement_planned');
    return driveAndAnswer(deps, ctx, settlement, operation);
  });
}

/** Carries the plan out and says what came of it: 200 once settled, the ledger's refusal, or 202 while not known. */
async function driveAndAnswer(
  deps: ContributionDeps,
  ctx: CallContext,
  planned: SettlementRow,
  operation: Operation,
): Promise<Settlement> {
  if (planned.status === 'refused') throw storedRefusal(planned.failure_code);
  if (planned.status === 'settled') return showSettlement(planned);
  const keep = (manager: EntityManager, row: SettlementRow) => operation.answered(manager, showSettlement(row));
  const outcome = await driveSettlement(deps, ctx, planned, keep);
  if (outcome.kind === 'refused') throw outcome.problem;
  const row = await settlementById(deps.foundation.db.manager, planned.id);
  if (row.status !== 'settled') {
    answerStatus(ctx, 202);
    answerLocation(ctx, `/associations/${row.association_id}/meetings/${row.meeting_id}/settlement`);
  }
  return showSettlement(row);
}
