import type { EntityManager } from 'typeorm';
import { call } from '../../../lib/actions/call.ts';
import type { CanCall } from '../../../lib/actions/call.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import type { ContributionDeps } from '../deps.ts';
import { decideTaken, insertArrears } from '../persistence/arrears.ts';
import { completeAfterRound } from '../persistence/cycles.ts';
import { clearPaid } from '../persistence/dues.ts';
import type { MeetingRow } from '../persistence/meeting.entity.ts';
import type { SettlementRow } from '../persistence/settlement.entity.ts';
import { lockMeeting, markRefused, markSettled } from '../persistence/settling.ts';
import { outcomeOf } from './outcome.ts';
import type { Outcome } from './outcome.ts';

/** Keeps the answer of the request in the transaction that ends the meeting. */
export type KeepEnd = (manager: EntityManager, settlement: SettlementRow) => Promise<void>;

/**
 * Carries a stored plan out, a settlement's or a cancellation's: the one ledger transfer (repeating it is safe, as it
 * has the plan's id), then what follows from its answer. Driven by the request and, where that died, by the sweeper.
 * @param keep runs in the transaction that ends the meeting, where the request has an answer to keep
 * @returns done once the meeting has ended, by whomever; refused for good by the ledger, the meeting open again
 */
export async function driveSettlement(
  deps: ContributionDeps,
  via: CanCall,
  settlement: SettlementRow,
  keep?: KeepEnd,
): Promise<Outcome<unknown>> {
  const { runtime } = deps.foundation;
  const outcome = await moveSettlement(deps, via, settlement);
  await runtime.reached(`contribution.${settlement.kind}_transfer_answered`);
  if (outcome.kind === 'done') await finishSettlement(deps, settlement, keep);
  if (outcome.kind === 'refused') await giveUpSettlement(deps, settlement, outcome.problem.type);
  await runtime.reached(`contribution.${settlement.kind}_decided`);
  return outcome;
}

async function moveSettlement(
  deps: ContributionDeps,
  via: CanCall,
  settlement: SettlementRow,
): Promise<Outcome<unknown>> {
  // A meeting to which nobody contributed ends without a transfer.
  if (settlement.legs.length === 0) return { kind: 'done', answer: undefined };
  return outcomeOf(
    call(
      via,
      transfer,
      {
        id: settlement.id,
        association_id: settlement.association_id,
        kind: settlement.kind === 'cancellation' ? 'meeting_refund' : 'settlement',
        currency: settlement.currency,
        legs: settlement.legs,
        ...savingsOf(settlement),
        reference: null,
        payer_user_id: null,
        member_id: null,
      },
      deps.timings.settlement_deadline_ms,
    ),
  );
}

/** Absent where no savings change. */
function savingsOf({ savings_emoney_minor, savings_cash_minor }: SettlementRow) {
  if (savings_emoney_minor === 0n && savings_cash_minor === 0n) return {};
  return { savings: { emoney_minor: Number(savings_emoney_minor), cash_minor: Number(savings_cash_minor) } };
}

async function finishSettlement(
  { foundation }: ContributionDeps,
  settlement: SettlementRow,
  keep: KeepEnd | undefined,
): Promise<void> {
  const { outbox, runtime } = foundation;
  await foundation.transaction(async (manager) => {
    const meeting = await lockMeeting(manager, settlement.meeting_id);
    const now = runtime.clock();
    const ended = await markSettled(manager, settlement.id, now);
    if (ended === undefined) return;
    const facts =
      ended.kind === 'cancellation'
        ? await afterCancelling(manager, ended)
        : await afterSettling(manager, ended, meeting, now);
    await outbox.append(manager, ...facts);
    await keep?.(manager, ended);
  });
}

async function afterCancelling(manager: EntityManager, settlement: SettlementRow): Promise<Fact[]> {
  const { association_id, meeting_id, collected_minor, currency } = settlement;
  await clearPaid(manager, meeting_id);
  const data = { meeting_id, refunded_minor: Number(collected_minor), currency };
  return [{ type: 'meeting.cancelled', association_id, data }];
}

async function afterSettling(
  manager: EntityManager,
  settlement: SettlementRow,
  meeting: MeetingRow,
  now: Date,
): Promise<Fact[]> {
  await insertArrears(manager, meeting, settlement.claims, now);
  await decideTaken(manager, settlement.id, 'paid');
  return [settledFact(settlement, meeting), ...(await completedCycle(manager, meeting))];
}

async function giveUpSettlement(
  { foundation }: ContributionDeps,
  settlement: SettlementRow,
  code: string,
): Promise<void> {
  await foundation.transaction(async (manager) => {
    await lockMeeting(manager, settlement.meeting_id);
    if (await markRefused(manager, settlement, code)) await decideTaken(manager, settlement.id, 'given_back');
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
