import { settle } from '../../../lib/contracts/contribution.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { answerLocation, answerStatus } from '../../../lib/service/implement.ts';
import { implementSaga } from '../../../lib/service/implement-saga.ts';
import type { ContributionDeps } from '../deps.ts';
import { attendanceRules } from '../fines/fine.rules.ts';
import { listFinableIds } from '../fines/fine.store.ts';
import { closeForContributions, waitForContributions } from './close-meeting.ts';
import { findPayoutWallets, walletLookup } from './find-payout-wallets.ts';
import { planIfReady, planOrReopen, type SettlementAttempt } from './plan-settlement.ts';
import { refusalOfSettlement } from './settlement.saga.ts';
import type { MeetingToSettle } from './settlement.rules.ts';
import type { SettlementRow } from './settlement.table.ts';
import { showSettlement } from './settlement.view.ts';
import { readMeetingToSettle } from './settlement.store.ts';

/**
 * Closes a meeting and pays out its pool: the pool of a rotation's round to the round's hands, that of the last round of
 * savings to the members who saved, and any other pool into the treasury. Answers 200 once it is settled, the ledger's
 * refusal, or 202 while the outcome is unknown.
 */
export function settleAction(deps: ContributionDeps) {
  return implementSaga(deps, settle, {
    saga: deps.settlements,
    async begin({ path, body }, caller, ctx, operation) {
      const target = await readMeetingToSettle(deps.db, path);
      const finable_ids = mayFine(target) ? await listFinableIds(deps.db, path.meeting_id) : [];
      const asked = {
        payee_ids: [...target.payee_ids],
        ...(finable_ids.length === 0 ? {} : { member_ids: finable_ids }),
      };
      const { terms, member, members, payees } = await authorizeCaller(
        ctx,
        caller,
        path.association_id,
        'settle',
        asked,
      );
      const active = new Set(members.filter(({ status }) => status === 'active').map((each) => each.member_id));
      const attempt: SettlementAttempt = {
        attempt_id: operation.id,
        hold: operation.hold,
        meeting_id: path.meeting_id,
        target,
        walletOf: walletLookup(await findPayoutWallets(deps, ctx, payees ?? [], terms.currency)),
        settled_by_member_id: member.member_id,
        terms,
        preview_hash: body.preview_hash,
        not_fined: finable_ids.filter((id) => !active.has(id)),
      };
      return (await planIfReady(deps, attempt)) ?? closeAndPlan(deps, attempt);
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

/** Whether the settlement may fine absence or lateness. Outside a cycle the rules are not known yet. */
function mayFine({ fine_rules }: MeetingToSettle): boolean {
  return fine_rules === null || attendanceRules(fine_rules).length > 0;
}

/** Closes a meeting that is not ready to be planned, waits for payments in flight, and stores the plan. */
async function closeAndPlan(deps: ContributionDeps, attempt: SettlementAttempt): Promise<SettlementRow> {
  const { meeting, debtor_ids, earlier_round_open } = attempt.target;
  const { attempt_id, meeting_id, hold } = attempt;
  const closing = { association_id: meeting.association_id, debtor_ids, meeting_id, attempt_id, hold };
  await closeForContributions(deps, closing, earlier_round_open);
  await waitForContributions(deps, closing);
  return planOrReopen(deps, attempt);
}
