import type { Terms } from '../../../lib/contracts/membership.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { problem, type Problem } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { lockArrears, takeArrears } from '../arrears/arrears.store.ts';
import type { ContributionDeps } from '../deps.ts';
import { lockMeeting, reopenMeeting } from '../meetings/meeting.store.ts';
import { isOpen, type MeetingRow } from '../meetings/meeting.table.ts';
import { findInFlight, listPayments } from '../payments/contribution.store.ts';
import { sumFunds, type WalletOf } from './monies.rules.ts';
import { totalOf } from './pot.rules.ts';
import { refusalToSettle, withNumbers, planRefund, planSettlement, previewHash } from './settlement.rules.ts';
import type { SettlementPlan, MeetingToSettle } from './settlement.rules.ts';
import { insertPlan, readFacts, type CurrentFacts } from './settlement.store.ts';
import type { SettlementRow } from './settlement.table.ts';

/** An attempt to settle or cancel a meeting. */
export interface PlanningAttempt {
  /** The operation's id. */
  attempt_id: string;
  meeting_id: string;
  settled_by_member_id: string;
  terms: Terms;
}

export interface SettlementAttempt extends PlanningAttempt {
  target: MeetingToSettle;
  walletOf: WalletOf;
  /** Of the preview that the caller was shown: only what it showed may be settled. */
  preview_hash: string | undefined;
}

/**
 * Closes an open meeting and stores its plan in one transaction, if nothing is in flight and nothing prevents settling.
 * Contributions share-lock the meeting's row, so each is either seen here or refused.
 * @returns undefined, with nothing changed, if payments have to be waited for, or settling is refused
 */
export async function planAtOnce(
  { db, runtime }: ContributionDeps,
  attempt: SettlementAttempt,
): Promise<SettlementRow | undefined> {
  if (attempt.target.earlier_round_open) return undefined;
  return db.transaction(async (tx) => {
    const judged = await lockAndJudge(tx, attempt, runtime.clock);
    const isReady = isOpen(judged.meeting.status) && !judged.facts.are_paying_arrears;
    return isReady && judged.refusal === undefined ? storeSettlement(tx, attempt, judged) : undefined;
  });
}

/**
 * Stores the plan of a meeting that this attempt has closed, or opens the meeting again. Takes the arrears that the plan
 * sets off in the same transaction.
 * @throws contributions_in_flight, settlement_changed, meeting_not_due, meeting_underfunded
 */
export async function planOrReopen(
  { db, runtime }: ContributionDeps,
  attempt: SettlementAttempt,
): Promise<SettlementRow> {
  const result = await db.transaction(async (tx) => {
    const judged = await lockAndJudge(tx, attempt, runtime.clock);
    if (isGivenUp(judged.meeting, attempt)) return inFlight();
    if (judged.refusal !== undefined) return reopen(tx, attempt, judged.refusal);
    return storeSettlement(tx, attempt, judged);
  });
  return plannedOrThrow(result);
}

/**
 * The same for cancelling a meeting: its plan refunds every contribution.
 * @throws contributions_in_flight
 */
export async function planCancellation(
  { db, runtime }: ContributionDeps,
  attempt: PlanningAttempt,
): Promise<SettlementRow> {
  const result = await db.transaction(async (tx) => {
    const [meeting, in_flight, paid] = await Promise.all([
      lockMeeting(tx, attempt.meeting_id),
      findInFlight(tx, attempt.meeting_id),
      listPayments(tx, attempt.meeting_id),
    ]);
    if (isGivenUp(meeting, attempt)) return inFlight();
    if (in_flight !== 'nothing') return reopen(tx, attempt, inFlight());
    return storePlan(tx, attempt, meeting, planRefund(meeting.id, paid), {
      kind: 'cancellation',
      collected_minor: totalOf(paid),
      rules_version: attempt.terms.rules_version,
      created_at: runtime.clock(),
    });
  });
  return plannedOrThrow(result);
}

/** A refusal is returned and not thrown, as that would roll back the reopening of the meeting. */
type Planned = SettlementRow | Problem;

function plannedOrThrow(result: Planned): SettlementRow {
  if (result instanceof Error) throw result;
  return result;
}

function inFlight(): Problem {
  return problem('contributions_in_flight');
}

/** Whether recovery has opened the meeting again, as it took this attempt for dead. */
function isGivenUp(meeting: MeetingRow, { attempt_id }: PlanningAttempt): boolean {
  return meeting.attempt_id !== attempt_id;
}

function reopen(tx: Transaction, { meeting_id, attempt_id }: PlanningAttempt, refusal: Problem): Problem {
  reopenMeeting(tx, meeting_id, attempt_id);
  return refusal;
}

/** A locked meeting, and what settling it would do now. */
interface JudgedMeeting {
  meeting: MeetingRow;
  facts: CurrentFacts;
  plan: SettlementPlan;
  refusal: Problem | undefined;
  now: Date;
}

/** Locks the meeting and the arrears that may be set off, and plans its settlement, in one round trip. */
async function lockAndJudge(
  tx: Transaction,
  { meeting_id, target, terms, walletOf, preview_hash }: SettlementAttempt,
  clock: () => Date,
): Promise<JudgedMeeting> {
  const { meeting: found, debtor_ids, kind } = target;
  const [meeting, , facts] = await Promise.all([
    lockMeeting(tx, meeting_id),
    debtor_ids.length === 0 ? undefined : lockArrears(tx, found.association_id, debtor_ids),
    readFacts(tx, target),
  ]);
  // Read once the meeting is locked, as the wait for the lock may go past midnight.
  const now = clock();
  const { shortfall } = terms.rules;
  const plan = planSettlement(target, facts, shortfall, walletOf);
  const code = refusalToSettle(meeting, kind, shortfall, sumFunds(facts.collected), now);
  return { meeting, facts, plan, refusal: refusalOf(meeting, facts, plan, code, preview_hash), now };
}

/** Why the plan may not be stored, in the contract's order. */
function refusalOf(
  { id, currency }: MeetingRow,
  { in_flight, missing }: CurrentFacts,
  plan: SettlementPlan,
  code: ReturnType<typeof refusalToSettle>,
  preview_hash: string | undefined,
): Problem | undefined {
  if (in_flight !== 'nothing') return inFlight();
  if (preview_hash !== undefined && preview_hash.toLowerCase() !== previewHash(id, plan)) {
    return problem('settlement_changed');
  }
  if (code === undefined) return undefined;
  if (code !== 'meeting_underfunded') return problem(code);
  return problem(code, {
    missing: missing.map(({ member_id, outstanding_minor }) => {
      return { member_id, outstanding: toMajor(outstanding_minor, currency) };
    }),
  });
}

function storeSettlement(
  tx: Transaction,
  attempt: SettlementAttempt,
  { meeting, facts, plan, now }: JudgedMeeting,
): SettlementRow {
  const { target, terms, attempt_id } = attempt;
  const row = storePlan(tx, attempt, meeting, plan, {
    kind: 'settlement',
    collected_minor: sumFunds(facts.collected),
    rules_version: target.rules_version ?? terms.rules_version,
    created_at: now,
  });
  const parts = plan.set_offs.map((part) => ({ ...part, wallet_id: null }));
  takeArrears(tx, attempt_id, parts);
  return row;
}

/** Stores the plan of an attempt for a locked meeting, and closes the meeting if it was still open. */
function storePlan(
  tx: Transaction,
  { attempt_id, settled_by_member_id }: PlanningAttempt,
  meeting: MeetingRow,
  plan: SettlementPlan,
  decided: Pick<SettlementRow, 'kind' | 'collected_minor' | 'rules_version' | 'created_at'>,
): SettlementRow {
  const row: SettlementRow = {
    ...decided,
    id: attempt_id,
    association_id: meeting.association_id,
    meeting_id: meeting.id,
    status: 'planned',
    currency: meeting.currency,
    expected_minor: meeting.expected_minor,
    paid_out_minor: totalOf(plan.payouts),
    to_treasury_minor: plan.to_treasury_minor,
    savings_emoney_minor: plan.savings.emoney_minor,
    savings_cash_minor: plan.savings.cash_minor,
    payouts: plan.payouts.map(withNumbers),
    legs: plan.legs.map(withNumbers),
    claims: plan.claims.map(withNumbers),
    settled_by_member_id,
    failure_code: null,
    settled_at: null,
    last_attempt_at: decided.created_at,
  };
  insertPlan(tx, row);
  return row;
}
