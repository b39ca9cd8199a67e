import type { Terms } from '../../../lib/contracts/membership.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { lockArrears, takeArrears } from '../arrears/arrears.store.ts';
import type { ContributionDeps } from '../deps.ts';
import { lockMeeting, reopenMeeting } from '../meetings/meeting.store.ts';
import { isOpen } from '../meetings/meeting.table.ts';
import type { MeetingRow } from '../meetings/meeting.table.ts';
import { findInFlight, listPayments } from '../payments/contribution.store.ts';
import { NO_FUNDS, sumFunds } from './monies.rules.ts';
import type { WalletOf } from './monies.rules.ts';
import { totalOf } from './pot.rules.ts';
import { refusalToSettle, withNumbers, planRefund, planSettlement, previewHash } from './settlement.rules.ts';
import type { SettlementPlan, Situation } from './settlement.rules.ts';
import { storePlan } from './settlement.store.ts';
import type { SettlementRow } from './settlement.table.ts';
import { readFacts } from './read-facts.ts';
import type { CurrentFacts } from './read-facts.ts';

/** An attempt to end a meeting, by whose operation it goes, and by which member. */
export interface PlanningAttempt {
  attempt_id: string;
  meeting_id: string;
  settled_by_member_id: string;
  terms: Terms;
}

export interface SettlementAttempt extends PlanningAttempt {
  situation: Situation;
  walletOf: WalletOf;
  /** What the caller was shown; nothing else may be settled then. */
  preview_hash: string | undefined;
}

/**
 * Closes an open meeting and stores its plan in one transaction, where nothing is in flight and nothing else hinders
 * it: contributions share-lock the meeting's row, so each is seen or comes too late.
 * @returns undefined, with nothing changed, where it has to be closed and waited for, or refused
 */
export async function planAtOnce(
  { db, runtime }: ContributionDeps,
  attempt: SettlementAttempt,
): Promise<SettlementRow | undefined> {
  if (attempt.situation.earlier_round_open) return undefined;
  return db.transaction(async (tx) => {
    const judged = await lockAndJudge(tx, attempt, runtime.clock);
    const is_ready = isOpen(judged.meeting.status) && !judged.facts.are_paying_arrears;
    return is_ready && judged.refusal === undefined ? storeSettlement(tx, attempt, judged) : undefined;
  });
}

/**
 * Stores the plan of a meeting that this attempt has closed and to which nothing is in flight, or opens it again. What
 * it sets off is taken in the same transaction.
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
 * The same for cancelling it: what came in is to go back to where it came from.
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
    const plan = { to_treasury_minor: 0n, savings: NO_FUNDS, claims: [], ...planRefund(meeting.id, paid) };
    const version = attempt.terms.rules_version;
    const row = settlementRow('cancellation', attempt, meeting, plan, totalOf(paid), version, runtime.clock());
    storePlan(tx, row);
    return row;
  });
  return plannedOrThrow(result);
}

/** A refusal is a value here: thrown, it would roll back the opening. */
type Planned = SettlementRow | Problem;

function plannedOrThrow(result: Planned): SettlementRow {
  if (result instanceof Error) throw result;
  return result;
}

function inFlight(): Problem {
  return problem('contributions_in_flight');
}

/** Recovery took this attempt for dead and opened the meeting again. */
function isGivenUp(meeting: MeetingRow, { attempt_id }: PlanningAttempt): boolean {
  return meeting.attempt_id !== attempt_id;
}

function reopen(tx: Transaction, { meeting_id, attempt_id }: PlanningAttempt, refusal: Problem): Problem {
  reopenMeeting(tx, meeting_id, attempt_id);
  return refusal;
}

/** A locked meeting, and what settling it would do as things stand. */
interface JudgedMeeting {
  meeting: MeetingRow;
  facts: CurrentFacts;
  plan: SettlementPlan;
  refusal: Problem | undefined;
  now: Date;
}

/** Locks the meeting and the arrears that may be set off, and judges by what is there then: one round trip. */
async function lockAndJudge(
  tx: Transaction,
  { meeting_id, situation, terms, walletOf, preview_hash }: SettlementAttempt,
  clock: () => Date,
): Promise<JudgedMeeting> {
  const { meeting: found, debtor_ids, kind } = situation;
  const [meeting, , facts] = await Promise.all([
    lockMeeting(tx, meeting_id),
    debtor_ids.length === 0 ? undefined : lockArrears(tx, found.association_id, debtor_ids),
    readFacts(tx, situation),
  ]);
  // The day and the hour are those once the meeting is locked: the wait for it may go past midnight.
  const now = clock();
  const { shortfall } = terms.rules;
  const plan = planSettlement(situation, facts, shortfall, walletOf);
  const hindrance = refusalToSettle(meeting, kind, shortfall, sumFunds(facts.collected), now);
  return { meeting, facts, plan, refusal: refusalOf(meeting, facts, plan, hindrance, preview_hash), now };
}

/** In the contract's order. */
function refusalOf(
  { id, currency }: MeetingRow,
  { in_flight, missing }: CurrentFacts,
  plan: SettlementPlan,
  hindrance: ReturnType<typeof refusalToSettle>,
  preview_hash: string | undefined,
): Problem | undefined {
  if (in_flight !== 'nothing') return inFlight();
  if (preview_hash !== undefined && preview_hash.toLowerCase() !== previewHash(id, plan)) {
    return problem('settlement_changed');
  }
  if (hindrance !== 'meeting_underfunded') return hindrance === undefined ? undefined : problem(hindrance);
  return problem(hindrance, {
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
  const { situation, terms, attempt_id } = attempt;
  const collected_minor = sumFunds(facts.collected);
  const version = situation.rules_version ?? terms.rules_version;
  const row = settlementRow('settlement', attempt, meeting, plan, collected_minor, version, now);
  storePlan(tx, row);
  const parts = plan.set_offs.map((part) => ({ ...part, wallet_id: null }));
  takeArrears(tx, attempt_id, parts);
  return row;
}

/** JSON has no bigint; sums are safe integers, as the ledger carries none that is larger. */
function settlementRow(
  kind: SettlementRow['kind'],
  { attempt_id, settled_by_member_id }: PlanningAttempt,
  meeting: MeetingRow,
  plan: Omit<SettlementPlan, 'set_offs'>,
  collected_minor: bigint,
  rules_version: number,
  now: Date,
): SettlementRow {
  return {
    id: attempt_id,
    kind,
    association_id: meeting.association_id,
    meeting_id: meeting.id,
    status: 'planned',
    currency: meeting.currency,
    collected_minor,
    expected_minor: meeting.expected_minor,
    paid_out_minor: totalOf(plan.payouts),
    to_treasury_minor: plan.to_treasury_minor,
    savings_emoney_minor: plan.savings.emoney_minor,
    savings_cash_minor: plan.savings.cash_minor,
    payouts: plan.payouts.map(withNumbers),
    legs: plan.legs.map(withNumbers),
    claims: plan.claims.map(withNumbers),
    rules_version,
    settled_by_member_id,
    failure_code: null,
    created_at: now,
    settled_at: null,
    last_attempt_at: now,
  };
}
