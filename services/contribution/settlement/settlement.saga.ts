import { transfer } from '../../../lib/contracts/treasury.ts';
import type { CommandInput } from '../../../lib/contracts/action.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import type { RecurringJob } from '../../../lib/service/recurring-job.ts';
import { createSaga, type Attempt, type Commit, type Saga } from '../../../lib/saga/saga.ts';
import { callOrRefusal } from '../../../lib/service/call.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import { decideAllocations, insertArrears } from '../arrears/arrears.store.ts';
import { assessAttendance } from '../fines/assess-automatic-fines.ts';
import type { ContributionTimings } from '../timings.ts';
import { lockMeeting, reopenAbandonedMeetings, reopenMeeting } from '../meetings/meeting.store.ts';
import { clearPaid } from '../payments/contribution.store.ts';
import { endMeeting, refusePlan, type EndedMeeting } from './settlement.store.ts';
import { SETTLEMENT_STATES, settlements, type SettlementRow, type SettlementStatus } from './settlement.table.ts';

export type SettlementSaga = Saga<SettlementStatus, SettlementRow>;

/**
 * Creates the saga that carries out the stored plan of a settlement or a cancellation: it posts one ledger transfer with
 * the plan's id, and then ends the meeting or opens it again.
 */
export function createSettlementSaga(context: ServiceContext, timings: ContributionTimings): SettlementSaga {
  const { db, outbox, runtime } = context;

  async function carryOut(
    plan: SettlementRow,
    { via, keepAnswer }: Attempt<SettlementRow>,
  ): Promise<Commit<SettlementRow>> {
    // A meeting to which no member contributed ends without a transfer.
    const { refusal } =
      plan.legs.length === 0
        ? { refusal: undefined }
        : await callOrRefusal(via, transfer, transferOf(plan), timings.settlement_timeout_ms);
    return { commit: () => (refusal === undefined ? finish(plan, keepAnswer) : giveUp(plan, refusal.code)) };
  }

  function finish(plan: SettlementRow, keepAnswer: Attempt<SettlementRow>['keepAnswer']) {
    return db.transaction(async (tx) => {
      const finished = await finishPlan(tx, plan, runtime.clock());
      if (finished === undefined) return undefined;
      outbox.append(tx, ...finished.facts);
      await assessAttendance(context, tx, plan, finished.fines);
      await keepAnswer?.(tx, finished.settled);
      return finished.settled;
    });
  }

  function giveUp(plan: SettlementRow, failure_code: ErrorCode) {
    return db.transaction(async (tx) => {
      const [, refused] = await Promise.all([lockMeeting(tx, plan.meeting_id), refusePlan(tx, plan.id, failure_code)]);
      if (refused === undefined) return undefined;
      reopenMeeting(tx, plan.meeting_id, plan.id);
      decideAllocations(tx, plan.id, 'given_back');
      return refused;
    });
  }

  return createSaga(context, timings, {
    name: 'settlement',
    table: settlements,
    states: SETTLEMENT_STATES,
    steps: { planned: carryOut },
  });
}

/**
 * Ends the meeting of a plan whose money has moved.
 * @returns the plan and its events; undefined, with nothing changed, if it was decided before
 */
export async function finishPlan(
  tx: Transaction,
  plan: SettlementRow,
  settled_at: Date,
): Promise<{ settled: SettlementRow; facts: Fact[]; fines: EndedMeeting['fines'] } | undefined> {
  const ending = await endMeeting(tx, plan, settled_at);
  if (ending === undefined) return undefined;
  const settled: SettlementRow = { ...plan, status: 'settled', settled_at };
  if (plan.kind === 'cancellation') clearPaid(tx, plan.meeting_id);
  else insertArrears(tx, plan, settled_at);
  if (ending.has_set_off) decideAllocations(tx, plan.id, 'paid');
  return { settled, facts: factsOf(settled, ending), fines: ending.fines };
}

/** Creates the job that opens meetings again whose attempt died after closing them and before storing a plan. */
export function reopeningJob({ db }: ServiceContext, timings: ContributionTimings): RecurringJob {
  return {
    name: 'reopening of meetings',
    every_ms: timings.recover_every_ms,
    run: () => reopenAbandonedMeetings(db, timings.stale_after_ms),
  };
}

/** Returns why the ledger refused the plan; null if it did not. */
export function refusalOfSettlement({ failure_code }: SettlementRow): Refusal | null {
  return failure_code === null ? null : { code: failure_code, extras: {} };
}

/** Returns the one transfer that carries the plan out. */
export function transferOf(plan: SettlementRow): CommandInput<typeof transfer> {
  const { savings_emoney_minor, savings_cash_minor } = plan;
  const hasSavings = savings_emoney_minor !== 0n || savings_cash_minor !== 0n;
  const savings = { emoney_minor: Number(savings_emoney_minor), cash_minor: Number(savings_cash_minor) };
  return {
    id: plan.id,
    association_id: plan.association_id,
    kind: plan.kind === 'cancellation' ? 'meeting_refund' : 'settlement',
    currency: plan.currency,
    legs: plan.legs,
    ...(hasSavings ? { savings } : {}),
    reference: null,
    payer_user_id: null,
    member_id: null,
  };
}

function factsOf(settled: SettlementRow, { cycle_id, completed_number }: EndedMeeting): Fact[] {
  const { id: settlement_id, kind, association_id, meeting_id, currency } = settled;
  const collected_minor = Number(settled.collected_minor);
  if (kind === 'cancellation') {
    const data = { meeting_id, refunded_minor: collected_minor, currency };
    return [{ type: 'meeting.cancelled', association_id, data }];
  }
  const data = { meeting_id, cycle_id, settlement_id, collected_minor, currency };
  const facts: Fact[] = [{ type: 'meeting.settled', association_id, data }];
  if (cycle_id !== null && completed_number !== null) {
    facts.push({ type: 'cycle.completed', association_id, data: { cycle_id, number: completed_number } });
  }
  return facts;
}
