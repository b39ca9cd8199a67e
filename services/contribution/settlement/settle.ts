import { settle } from '../../../lib/contracts/contribution.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { answerLocation, answerStatus } from '../../../lib/service/implement.ts';
import { implementSaga } from '../../../lib/service/implement-saga.ts';
import type { ContributionDeps } from '../deps.ts';
import { closeForContributions, waitForContributions } from './close-meeting.ts';
import { findPayoutWallets, walletLookup } from './find-payout-wallets.ts';
import { planAtOnce, planOrReopen, type SettlementAttempt } from './plan-settlement.ts';
import { refusalOfSettlement } from './settlement.saga.ts';
import type { SettlementRow } from './settlement.table.ts';
import { showSettlement } from './settlement.view.ts';
import { readMeetingToSettle } from './settlement.store.ts';

/**
 * Closes a meeting and pays its pool out: a rotation's round to its hands, the last of a cycle of savings to those who
 * saved, any other meeting into the treasury. Answers 200 once settled, the ledger's refusal, or 202 while the outcome is
 * unknown.
 */
export function settleAction(deps: ContributionDeps) {
  return implementSaga(deps, settle, {
    saga: deps.settlements,
    async begin({ path, body }, caller, ctx, operation) {
      const target = await readMeetingToSettle(deps.db, path);
      const payee_ids = [...target.payee_ids];
      const authorization = await authorizeCaller(ctx, caller, path.association_id, 'settle', { payee_ids });
      const { terms, member, payees } = authorization;
      const attempt: SettlementAttempt = {
        attempt_id: operation.id,
        meeting_id: path.meeting_id,
        target,
        walletOf: walletLookup(await findPayoutWallets(deps, ctx, payees ?? [], terms.currency)),
        settled_by_member_id: member.member_id,
        terms,
        preview_hash: body.preview_hash,
      };
      return (await planAtOnce(deps, attempt)) ?? closeAndPlan(deps, attempt);
    },
    refusalOf: refusalOfSettlement,
    answer(row, ctx) {
      if (row.status !== 'settled') {
        answerStatus(ctx, 202);
        answerLocation(ctx, `/associations/${row.association_id}/meetings/${row.meeting_id}/settlement`);
      }
      return showSettlement(row);
    },
    isAnsweredEarly: true,
  });
}

/** For a meeting that cannot be planned at once: closes it first, and waits for payments in flight. */
async function closeAndPlan(deps: ContributionDeps, attempt: SettlementAttempt): Promise<SettlementRow> {
  const { meeting, debtor_ids, earlier_round_open } = attempt.target;
  const { attempt_id, meeting_id } = attempt;
  const closing = { association_id: meeting.association_id, debtor_ids, meeting_id, attempt_id };
  await closeForContributions(deps, closing, earlier_round_open);
  await waitForContributions(deps, closing);
  return planOrReopen(deps, attempt);
}
