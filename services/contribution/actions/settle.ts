import { setTimeout as sleep } from 'node:timers/promises';
import { authorized } from '../../../lib/actions/authorized.ts';
import { answerLocation, answerStatus, implement } from '../../../lib/actions/implement.ts';
import type { CallContext } from '../../../lib/actions/implement.ts';
import { call } from '../../../lib/actions/call.ts';
import { settle } from '../../../lib/contracts/contribution.ts';
import type { Authorization } from '../../../lib/contracts/membership.ts';
import { openWallet } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { ContributionDeps } from '../deps.ts';
import { MEETING_MOVES } from '../domain/meeting-states.ts';
import type { Beneficiary } from '../domain/settlement.ts';
import { hasPending } from '../persistence/contributions.ts';
import type { MeetingRow } from '../persistence/meeting.entity.ts';
import { turnsAt } from '../persistence/meetings.ts';
import {
  beginSettling,
  earlierRoundIsOpen,
  lockMeeting,
  reopenMeeting,
  settlementById,
} from '../persistence/settling.ts';
import { driveSettlement } from '../sagas/settlement-saga.ts';
import { planOrReopen } from '../sagas/plan-settlement.ts';
import { meetingOfPath } from './meeting-of-path.ts';
import { showSettlement } from './show.ts';

/** Closes a meeting and pays its pool out: a round to its hands, any other meeting into the treasury. */
export function settleAction(deps: ContributionDeps) {
  const { db, runtime } = deps.foundation;
  return implement(settle, async ({ path }, caller, ctx) => {
    const meeting = await meetingOfPath(db.manager, path);
    const turns = (await turnsAt(db.manager, [meeting.id])).get(meeting.id) ?? [];
    const member_ids = [...new Set(turns.map((turn) => turn.member_id))];
    const authorization = await authorized(ctx, caller, path.association_id, 'settle', { member_ids });
    const wallets = await payoutWallets(deps, ctx, authorization);

    const attempt_id = runtime.newId();
    await closeForContributions(deps, meeting.id, attempt_id);
    await runtime.reached('contribution.settling_begun');
    await waitForContributions(deps, meeting.id, attempt_id);
    const settlement = await planOrReopen(deps, {
      attempt_id,
      meeting_id: meeting.id,
      hands: turns.map(({ member_id }) => beneficiary(member_id, wallets)),
      settled_by_member_id: authorization.member.member_id,
      terms: authorization.terms,
    });
    await runtime.reached('contribution.settlement_planned');

    const outcome = await driveSettlement(deps, ctx, settlement);
    if (outcome.kind === 'refused') throw outcome.problem;
    const row = await settlementById(db.manager, settlement.id);
    if (row.status !== 'settled') {
      answerStatus(ctx, 202);
      answerLocation(ctx, `/associations/${path.association_id}/meetings/${meeting.id}/settlement`);
    }
    return showSettlement(row);
  });
}

/** Where each beneficiary is paid: his payout wallet, or one opened for him in the currency if he has none. */
async function payoutWallets(
  { timings }: ContributionDeps,
  ctx: CallContext,
  { members, terms }: Authorization,
): Promise<Map<string, string>> {
  const wallets = members.map(async ({ member_id, user_id, payout_wallet_id }): Promise<[string, string]> => {
    if (payout_wallet_id !== null) return [member_id, payout_wallet_id];
    const opening = { user_id, currency: terms.currency };
    const { wallet_id } = await call(ctx, openWallet, opening, timings.transfer_deadline_ms);
    return [member_id, wallet_id];
  });
  return new Map(await Promise.all(wallets));
}

function beneficiary(member_id: string, wallets: Map<string, string>): Beneficiary {
  const wallet_id = wallets.get(member_id);
  if (wallet_id === undefined) throw new Error(`membership does not know member ${member_id} of a running cycle`);
  return { member_id, wallet_id };
}

/** Moves the meeting to `settling`: the attempt that does is the only one. */
async function closeForContributions(
  { foundation }: ContributionDeps,
  meeting_id: string,
  attempt_id: string,
): Promise<void> {
  await foundation.transaction(async (manager) => {
    const meeting: MeetingRow = await lockMeeting(manager, meeting_id);
    const sources: readonly string[] = MEETING_MOVES.begin_settling.from;
    if (!sources.includes(meeting.status)) throw problem('meeting_not_open');
    if (await earlierRoundIsOpen(manager, meeting)) throw problem('earlier_round_open');
    await beginSettling(manager, meeting_id, attempt_id, foundation.runtime.clock());
  });
}

/** Gives pending contributions time to be decided; opens the meeting again if some are not. */
async function waitForContributions(
  { foundation, timings }: ContributionDeps,
  meeting_id: string,
  attempt_id: string,
): Promise<void> {
  for (let waited_ms = 0; await hasPending(foundation.db.manager, meeting_id); waited_ms += timings.in_flight_poll_ms) {
    if (waited_ms >= timings.in_flight_wait_ms) {
      await foundation.transaction((manager) => reopenMeeting(manager, meeting_id, attempt_id));
      throw problem('contributions_in_flight');
    }
    await sleep(timings.in_flight_poll_ms);
  }
}
