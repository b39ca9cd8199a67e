import type { EntityManager } from 'typeorm';
import { call } from '../../../lib/actions/call.ts';
import type { CanCall } from '../../../lib/actions/call.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import type { ContributionDeps } from '../deps.ts';
import { completeAfterRound } from '../persistence/cycles.ts';
import type { MeetingRow } from '../persistence/meeting.entity.ts';
import type { SettlementRow } from '../persistence/settlement.entity.ts';
import { lockMeeting, markRefused, markSettled } from '../persistence/settling.ts';
import { outcomeOf } from './outcome.ts';
import type { Outcome } from './outcome.ts';

/**
 * Carries a stored plan out: the one ledger transfer (repeating it is safe, as it has the plan's id), then what follows
 * from its answer. Driven by the request and, where that died, by the sweeper.
 * @returns done once the meeting is settled, by whomever; refused for good by the ledger, the meeting open again
 */
export async function driveSettlement(
  deps: ContributionDeps,
  via: CanCall,
  settlement: SettlementRow,
): Promise<Outcome<unknown>> {
  const { runtime } = deps.foundation;
  const outcome = await moveSettlement(deps, via, settlement);
  await runtime.reached('contribution.settlement_transfer_answered');
  if (outcome.kind === 'done') await finishSettlement(deps, settlement);
  if (outcome.kind === 'refused') await giveUpSettlement(deps, settlement, outcome.problem.type);
  await runtime.reached('contribution.settlement_decided');
  return outcome;
}

async function moveSettlement(
  deps: ContributionDeps,
  via: CanCall,
  settlement: SettlementRow,
): Promise<Outcome<unknown>> {
  // A meeting to which nobody contributed settles without a transfer.
  if (settlement.legs.length === 0) return { kind: 'done', answer: undefined };
  return outcomeOf(
    call(
      via,
      transfer,
      {
        id: settlement.id,
        association_id: settlement.association_id,
        kind: 'settlement',
        currency: settlement.currency,
        legs: settlement.legs,
        reference: null,
        payer_user_id: null,
        member_id: null,
      },
      deps.timings.settlement_deadline_ms,
    ),
  );
}

async function finishSettlement({ foundation }: ContributionDeps, settlement: SettlementRow): Promise<void> {
  const { outbox, runtime } = foundation;
  await foundation.transaction(async (manager) => {
    const meeting = await lockMeeting(manager, settlement.meeting_id);
    const settled = await markSettled(manager, settlement.id, runtime.clock());
    if (settled === undefined) return;
    const completed = await completedCycle(manager, meeting);
    await outbox.append(manager, settledFact(settled, meeting), ...completed);
  });
}

async function giveUpSettlement(
  { foundation }: ContributionDeps,
  settlement: SettlementRow,
  code: string,
): Promise<void> {
  await foundation.transaction(async (manager) => {
    await lockMeeting(manager, settlement.meeting_id);
    await markRefused(manager, settlement, code);
  });
}

function settledFact(settlement: SettlementRow, meeting: MeetingRow): Fact {
  return {
    type: 'meeting.settled',
    association_id: settlement.association_id,
    data: {
      meeting_id: meeting.id,
      cycle_id: meeting.cycle_id,
      settlement_id: settlement.id,
      collected_minor: Number(settlement.collected_minor),
      currency: settlement.currency,
    },
  };
}

/** Rounds settle in order, so a cycle completes with its last one. */
async function completedCycle(manager: EntityManager, meeting: MeetingRow): Promise<Fact[]> {
  const { cycle_id, round, association_id } = meeting;
  if (cycle_id === null || round === null) return [];
  const number = await completeAfterRound(manager, cycle_id, round);
  return number === undefined ? [] : [{ type: 'cycle.completed', association_id, data: { cycle_id, number } }];
}
