import { call } from '../../../lib/actions/call.ts';
import type { CanCall } from '../../../lib/actions/call.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import { pipelinedTransaction } from '../../../lib/db/pipelined-transaction.ts';
import type { Transaction } from '../../../lib/db/statements.ts';
import type { ContributionDeps } from '../deps.ts';
import { SETTLEMENT_MOVES } from '../domain/settlement-states.ts';
import { decideTaken, insertArrears } from '../persistence/arrears.ts';
import { clearPaid } from '../persistence/dues.ts';
import { endMeeting, refusePlan } from '../persistence/ending.ts';
import type { Ending } from '../persistence/ending.ts';
import type { SettlementRow } from '../persistence/settlement.entity.ts';
import { settlementById } from '../persistence/settling.ts';
import { outcomeOf } from './outcome.ts';
import type { Outcome } from './outcome.ts';

/** Keeps the answer of the request in the transaction that ends the meeting. */
export type KeepEnd = (transaction: Transaction, settlement: SettlementRow) => Promise<void>;

/**
 * Carries a stored plan out, a settlement's or a cancellation's: the one ledger transfer (repeating it is safe, as it
 * has the plan's id), then what follows from its answer. Driven by the request and, where that died, by the sweeper.
 * @param keep runs in the transaction that ends the meeting, where the request has an answer to keep
 * @returns done once the meeting has ended, by whomever, with the settlement as it is then; refused for good by the
 *   ledger, the meeting open again
 */
export async function driveSettlement(
  deps: ContributionDeps,
  via: CanCall,
  settlement: SettlementRow,
  keep?: KeepEnd,
): Promise<Outcome<SettlementRow>> {
  const { runtime } = deps.foundation;
  const moved = await moveSettlement(deps, via, settlement);
  await runtime.reached(`contribution.${settlement.kind}_transfer_answered`);
  const outcome = await followUp(deps, settlement, moved, keep);
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

/** Stores what follows from the ledger's answer. */
async function followUp(
  deps: ContributionDeps,
  settlement: SettlementRow,
  moved: Outcome<unknown>,
  keep: KeepEnd | undefined,
): Promise<Outcome<SettlementRow>> {
  if (moved.kind === 'done') return { kind: 'done', answer: await finishSettlement(deps, settlement, keep) };
  if (moved.kind === 'refused') await giveUpSettlement(deps, settlement, moved.problem.type);
  return moved;
}

/** @returns the settlement as it is then, whoever has finished it */
async function finishSettlement(
  { foundation }: ContributionDeps,
  settlement: SettlementRow,
  keep: KeepEnd | undefined,
): Promise<SettlementRow> {
  const { db, outbox, runtime } = foundation;
  const finished = await pipelinedTransaction(db.pool, async (transaction) => {
    const settled_at = runtime.clock();
    const ending = await endMeeting(transaction, settlement, settled_at);
    if (ending === undefined) return undefined;
    const settled: SettlementRow = { ...settlement, status: SETTLEMENT_MOVES.settle.to, settled_at };
    const facts =
      settled.kind === 'cancellation'
        ? await afterCancelling(transaction, settled)
        : await afterSettling(transaction, settled, ending, settled_at);
    await outbox.append(transaction.closing, ...facts);
    await keep?.(transaction, settled);
    return settled;
  });
  if (finished === undefined) return settlementById(db.manager, settlement.id);
  foundation.eventsCommitted();
  return finished;
}

async function afterCancelling({ closing }: Transaction, settlement: SettlementRow): Promise<Fact[]> {
  const { association_id, meeting_id, collected_minor, currency } = settlement;
  await clearPaid(closing, meeting_id);
  const data = { meeting_id, refunded_minor: Number(collected_minor), currency };
  return [{ type: 'meeting.cancelled', association_id, data }];
}

async function afterSettling(
  { closing }: Transaction,
  settlement: SettlementRow,
  { cycle_id, completed_number, has_set_off }: Ending,
  now: Date,
): Promise<Fact[]> {
  const { association_id, meeting_id, collected_minor, currency } = settlement;
  await insertArrears(closing, { id: meeting_id, association_id }, settlement.claims, now);
  if (has_set_off) await decideTaken(closing, settlement.id, 'paid');
  const data = {
    meeting_id,
    cycle_id,
    settlement_id: settlement.id,
    collected_minor: Number(collected_minor),
    currency,
  };
  const settled: Fact = { type: 'meeting.settled', association_id, data };
  if (cycle_id === null || completed_number === null) return [settled];
  return [settled, { type: 'cycle.completed', association_id, data: { cycle_id, number: completed_number } }];
}

async function giveUpSettlement(
  { foundation }: ContributionDeps,
  settlement: SettlementRow,
  code: string,
): Promise<void> {
  await pipelinedTransaction(foundation.db.pool, async (transaction) => {
    if (await refusePlan(transaction, settlement, code)) {
      await decideTaken(transaction.closing, settlement.id, 'given_back');
    }
  });
}
