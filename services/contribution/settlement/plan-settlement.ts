import { dayIn } from '../../../lib/calendar/zones.ts';
import { completeRules, zoneOf, type FineRule, type Terms } from '../../../lib/contracts/membership.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { problem, type Problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { lockArrears, takeArrears } from '../arrears/arrears.store.ts';
import type { ContributionDeps } from '../deps.ts';
import { attendanceRules } from '../fines/fine.rules.ts';
import { lockMeeting, reopenUnplanned } from '../meetings/meeting.store.ts';
import { isOpen, type MeetingRow } from '../meetings/meeting.table.ts';
import { findInFlight, listPayments } from '../payments/contribution.store.ts';
import { sumFunds, type WalletOf } from './funds.rules.ts';
import { totalOf } from './pot.rules.ts';
import {
  refusalToSettle,
  amountToNumber,
  planRefund,
  planSettlement,
  previewHash,
  REFUNDS_MAX,
} from './settlement.rules.ts';
import type { SettlementPlan, MeetingToSettle } from './settlement.rules.ts';
import { insertFineRules, insertPlan, readFacts, type CurrentFacts } from './settlement.store.ts';
import type { SettlementRow } from './settlement.table.ts';

/** What planning needs to know about an attempt to settle or cancel a meeting. */
export interface PlanningAttempt {
  /** The operation's id. */
  attempt_id: string;
  /** See Operation. */
  hold: Operation['hold'];
  meeting_id: string;
  settled_by_member_id: string;
  terms: Terms;
}

export interface SettlementAttempt extends PlanningAttempt {
  target: MeetingToSettle;
  walletOf: WalletOf;
  /** The hash of the preview that the caller has seen. If present, the settlement must still match it. */
  preview_hash: string | undefined;
  /** Members who were absent or late, and are no longer in the association. */
  not_fined: string[];
}

/**
 * Closes an open meeting and stores its plan in one transaction, if no payment is in flight and nothing prevents settling.
 * Contributions share-lock the meeting's row, so each is either part of the plan or refused.
 * @returns undefined, with nothing changed, if the settlement must wait for payments, or is refused
 */
export async function planIfReady(
  { db, runtime }: ContributionDeps,
  attempt: SettlementAttempt,
): Promise<SettlementRow | undefined> {
  if (attempt.target.earlier_round_open) return undefined;
  return db.transaction(async (tx) => {
    await attempt.hold(tx);
    const locked = await lockAndRead(tx, attempt);
    if (!isOpen(locked.meeting.status) || locked.facts.are_paying_arrears) return undefined;
    const evaluation = evaluate(attempt, locked, runtime.clock());
    return evaluation.refusal === undefined ? storeSettlement(tx, attempt, evaluation) : undefined;
  });
}

/**
 * Stores the plan of a meeting that this attempt has closed, and takes the arrears that the plan sets off. If settling is
 * refused, it opens the meeting again.
 * @throws contributions_in_flight, settlement_changed, meeting_not_due, meeting_underfunded; idempotency_in_flight
 */
export async function planOrReopen(
  { db, runtime }: ContributionDeps,
  attempt: SettlementAttempt,
): Promise<SettlementRow> {
  const result = await db.transaction(async (tx) => {
    await attempt.hold(tx);
    const locked = await lockAndRead(tx, attempt);
    if (isAbandoned(locked.meeting, attempt)) return contributionsInFlight();
    const evaluation = evaluate(attempt, locked, runtime.clock());
    if (evaluation.refusal !== undefined) return reopen(tx, attempt, evaluation.refusal);
    return storeSettlement(tx, attempt, evaluation);
  });
  return requirePlan(result);
}

/**
 * Stores the plan that cancels a meeting and refunds every contribution, or opens the meeting again.
 * @throws contributions_in_flight, too_many_refunds; idempotency_in_flight
 */
export async function planCancellation(
  { db, runtime }: ContributionDeps,
  attempt: PlanningAttempt,
): Promise<SettlementRow> {
  const result = await db.transaction(async (tx) => {
    await attempt.hold(tx);
    const [meeting, in_flight, paid] = await Promise.all([
      lockMeeting(tx, attempt.meeting_id),
      findInFlight(tx, attempt.meeting_id),
      listPayments(tx, attempt.meeting_id),
    ]);
    if (isAbandoned(meeting, attempt)) return contributionsInFlight();
    if (in_flight !== 'nothing') return reopen(tx, attempt, contributionsInFlight());
    if (paid.length > REFUNDS_MAX) return reopen(tx, attempt, problem('too_many_refunds'));
    return storePlan(tx, attempt, meeting, planRefund(meeting.id, paid), {
      kind: 'cancellation',
      collected_minor: totalOf(paid),
      rules_version: attempt.terms.rules_version,
      created_at: runtime.clock(),
    });
  });
  return requirePlan(result);
}

/** A stored plan, or a refusal, which is returned because throwing it would roll back the reopening of the meeting. */
type PlanResult = SettlementRow | Problem;

function requirePlan(result: PlanResult): SettlementRow {
  if (result instanceof Error) throw result;
  return result;
}

function contributionsInFlight(): Problem {
  return problem('contributions_in_flight');
}

/**
 * Whether recovery has opened the meeting again because it considered this attempt dead, or a repeat of the attempt has stored
 * its plan.
 */
function isAbandoned(meeting: MeetingRow, { attempt_id }: PlanningAttempt): boolean {
  return meeting.attempt_id !== attempt_id || meeting.settling_since === null;
}

/** Opens the meeting again, and returns the refusal. */
function reopen(tx: Transaction, { meeting_id, attempt_id }: PlanningAttempt, refusal: Problem): Problem {
  reopenUnplanned(tx, meeting_id, attempt_id);
  return refusal;
}

/** A locked meeting, and what decides its settlement. */
interface LockedMeeting {
  meeting: MeetingRow;
  facts: CurrentFacts;
}

/** Locks the meeting and the arrears that may be set off, and reads what decides the settlement, in one round trip. */
async function lockAndRead(tx: Transaction, { meeting_id, target }: SettlementAttempt): Promise<LockedMeeting> {
  const { meeting: found, debtor_ids } = target;
  const [meeting, , facts] = await Promise.all([
    lockMeeting(tx, meeting_id),
    debtor_ids.length === 0 ? undefined : lockArrears(tx, found.association_id, debtor_ids),
    readFacts(tx, target),
  ]);
  return { meeting, facts };
}

/** What settling a locked meeting would do now. */
interface Evaluation extends LockedMeeting {
  plan: SettlementPlan;
  refusal: Problem | undefined;
  now: Date;
}

/**
 * Plans the settlement of a locked meeting that is not settled. After it has settled, later rounds may leave arrears to members
 * who were no payees when the attempt began.
 * @param now read after the meeting was locked, as the wait for the lock may last until the next day
 */
function evaluate(
  { target, terms, walletOf, preview_hash }: SettlementAttempt,
  { meeting, facts }: LockedMeeting,
  now: Date,
): Evaluation {
  const { shortfall } = terms.rules;
  const plan = planSettlement(target, facts, shortfall, walletOf);
  const code = refusalToSettle(meeting, target.kind, shortfall, sumFunds(facts.collected), dayIn(zoneOf(terms), now));
  return { meeting, facts, plan, refusal: refusalOf(meeting, facts, plan, code, preview_hash), now };
}

/** Returns why the plan may not be stored, in the order of docs/settlement.md; undefined if it may. */
function refusalOf(
  { id, currency }: MeetingRow,
  { in_flight, missing }: CurrentFacts,
  plan: SettlementPlan,
  code: ReturnType<typeof refusalToSettle>,
  preview_hash: string | undefined,
): Problem | undefined {
  if (in_flight !== 'nothing') return contributionsInFlight();
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

/** Stores the plan of a settlement, and takes the arrears that it sets off. */
export function storeSettlement(
  tx: Transaction,
  attempt: Omit<SettlementAttempt, 'walletOf' | 'preview_hash' | 'hold'>,
  { meeting, facts, plan, now }: Omit<Evaluation, 'refusal'>,
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
  insertFineRules(tx, { settlement_id: attempt_id, rules: fineRulesOf(target, terms), not_fined: attempt.not_fined });
  return row;
}

/** Returns the rules for absence and lateness: of the meeting's cycle, or of the association. */
function fineRulesOf({ fine_rules }: MeetingToSettle, { rules }: Terms): FineRule[] {
  return attendanceRules(fine_rules ?? completeRules(rules).fines);
}

/** Stores the plan of an attempt for a locked meeting, and closes the meeting if it was still open. */
export function storePlan(
  tx: Transaction,
  { attempt_id, settled_by_member_id }: Pick<PlanningAttempt, 'attempt_id' | 'settled_by_member_id'>,
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
    payouts: plan.payouts.map(amountToNumber),
    legs: plan.legs.map(amountToNumber),
    claims: plan.claims.map(amountToNumber),
    settled_by_member_id,
    failure_code: null,
    settled_at: null,
    last_attempt_at: decided.created_at,
  };
  insertPlan(tx, row);
  return row;
}
