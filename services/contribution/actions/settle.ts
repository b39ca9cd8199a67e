import { authorized } from '../../../lib/actions/authorized.ts';
import { implementWrite } from '../../../lib/actions/implement-write.ts';
import { answerLocation, answerStatus } from '../../../lib/actions/implement.ts';
import type { CallContext } from '../../../lib/actions/implement.ts';
import { settle } from '../../../lib/contracts/contribution.ts';
import type { Settlement } from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { connectionOf } from '../../../lib/db/pipelined-transaction.ts';
import type { ContributionDeps } from '../deps.ts';
import type { SettlementRow } from '../persistence/settlement.entity.ts';
import { findSettlement, settlementById } from '../persistence/settling.ts';
import { closeForContributions, waitForContributions } from '../sagas/closing.ts';
import { storedRefusal } from '../sagas/outcome.ts';
import { payoutWallets } from '../sagas/payout-wallets.ts';
import { planAtOnce, planOrReopen } from '../sagas/plan-settlement.ts';
import type { SettlementAttempt } from '../sagas/plan-settlement.ts';
import { driveSettlement } from '../sagas/settlement-saga.ts';
import type { KeepEnd } from '../sagas/settlement-saga.ts';
import { situationOf } from '../sagas/situation.ts';
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

    const situation = await situationOf(connectionOf(db.pool), path);
    const payee_ids = [...situation.payee_ids];
    const authorization = await authorized(ctx, caller, path.association_id, 'settle', { payee_ids });
    const attempt: SettlementAttempt = {
      attempt_id: operation.id,
      meeting_id: path.meeting_id,
      situation,
      wallets: await payoutWallets(deps, ctx, authorization.payees ?? [], authorization.terms.currency),
      settled_by_member_id: authorization.member.member_id,
      terms: authorization.terms,
      preview_hash: body.preview_hash,
    };
    const planned = (await planAtOnce(deps, attempt)) ?? (await closeAndPlan(deps, attempt));
    await runtime.reached('contribution.settlement_planned');
    return driveAndAnswer(deps, ctx, planned, operation);
  });
}

/** For a meeting that cannot be planned at a glance: closes it first, and gives what is in flight time. */
async function closeAndPlan(deps: ContributionDeps, attempt: SettlementAttempt): Promise<SettlementRow> {
  const { association_id } = attempt.situation.meeting;
  const { debtor_ids, earlier_round_open } = attempt.situation;
  const closing = { association_id, debtor_ids, meeting_id: attempt.meeting_id, attempt_id: attempt.attempt_id };
  await closeForContributions(deps, closing, earlier_round_open ? problem('earlier_round_open') : undefined);
  await deps.foundation.runtime.reached('contribution.settling_begun');
  await waitForContributions(deps, closing);
  return planOrReopen(deps, attempt);
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
  const keep: KeepEnd = ({ closing }, row) => operation.answered(closing, showSettlement(row));
  const outcome = await driveSettlement(deps, ctx, planned, keep);
  if (outcome.kind === 'refused') throw outcome.problem;
  // Where the ledger's answer is not known, a sweeper may have heard it.
  const row = outcome.kind === 'done' ? outcome.answer : await settlementById(deps.foundation.db.manager, planned.id);
  if (row.status !== 'settled') {
    answerStatus(ctx, 202);
    answerLocation(ctx, `/associations/${row.association_id}/meetings/${row.meeting_id}/settlement`);
  }
  return showSettlement(row);
}
