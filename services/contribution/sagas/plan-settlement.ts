import type { Terms } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { pipelinedTransaction } from '../../../lib/db/pipelined-transaction.ts';
import type { Transaction } from '../../../lib/db/statements.ts';
import type { Clock } from '../../../lib/node/runtime.ts';
import type { ContributionDeps } from '../deps.ts';
import { takesContributions } from '../domain/meeting-states.ts';
import type { PlannedLeg, PlannedPayout } from '../domain/monies.ts';
import { sumOfFunds } from '../domain/monies.ts';
import { inNumbers, previewHash } from '../domain/preview-hash.ts';
import { planRefund } from '../domain/refund.ts';
import { totalOf } from '../domain/split.ts';
import { lockArrears, takeArrears } from '../persistence/arrears.ts';
import { inFlightTo, paidInto } from '../persistence/contributions.ts';
import type { MeetingRow } from '../persistence/meeting.entity.ts';
import type { SettlementRow } from '../persistence/settlement.entity.ts';
import { lockMeeting, reopenMeeting, storePlan } from '../persistence/settling.ts';
import { judgeSettlement, readFacts } from './judge-settlement.ts';
import type { JudgedSettlement } from './judge-settlement.ts';
import type { PayoutWallets } from './payout-wallets.ts';
import type { Situation } from './situation.ts';

/** Who tries to end the meeting. */
export interface PlanningAttempt {
  attempt_id: string;
  meeting_id: string;
  settled_by_member_id: string;
  terms: Terms;
}

export interface SettlementAttempt extends PlanningAttempt {
  situation: Situation;
  wallets: PayoutWallets;
  /** What the caller was shown; nothing else may be settled then. */
  preview_hash: string | undefined;
}

/**
 * Closes an open meeting and stores its plan in one transaction, where nothing is in flight and nothing else hinders
 * it: contributions share-lock the meeting's row, so each is seen or comes too late.
 * @returns undefined, with nothing changed, where it has to be closed and waited for, or refused
 */
export async function planAtOnce(
  { foundation }: ContributionDeps,
  attempt: SettlementAttempt,
): Promise<SettlementRow | undefined> {
  if (attempt.situation.earlier_round_open) return undefined;
  return pipelinedTransaction(foundation.db.pool, async (transaction) => {
    const { meeting, judged, now } = await lockAndJudge(transaction, attempt, foundation.runtime.clock);
    const is_ready = takesContributions(meeting.status) && !judged.are_paying_arrears;
    if (!is_ready || refusalOf(judged, meeting, attempt.preview_hash) !== undefined) return undefined;
    await foundation.runtime.reached('contribution.settling_begun');
    return storeSettlement(transaction, attempt, meeting, judged, now);
  });
}

/**
 * Stores the plan of a meeting that this attempt has closed and to which nothing is in flight, or opens it again. What
 * it sets off is taken in the same transaction.
 * @throws contributions_in_flight, settlement_changed, meeting_not_due, meeting_underfunded
 */
export async function planOrReopen(
  { foundation }: ContributionDeps,
  attempt: SettlementAttempt,
): Promise<SettlementRow> {
  const result = await pipelinedTransaction(foundation.db.pool, async (transaction) => {
    const { meeting, judged, now } = await lockAndJudge(transaction, attempt, foundation.runtime.clock);
    if (isGivenUp(meeting, attempt)) return inFlight();
    const refused = refusalOf(judged, meeting, attempt.preview_hash);
    if (refused !== undefined) return reopened(transaction, attempt, refused);
    return storeSettlement(transaction, attempt, meeting, judged, now);
  });
  return plannedOrThrown(result);
}

/**
 * The same for cancelling it: what came in is to go back to where it came from.
 * @throws contributions_in_flight
 */
export async function planCancellation(
  { foundation }: ContributionDeps,
  attempt: PlanningAttempt,
): Promise<SettlementRow> {
  const result = await pipelinedTransaction(foundation.db.pool, async (transaction) => {
    const [meeting, in_flight, paid] = await Promise.all([
      lockMeeting(transaction, attempt.meeting_id),
      inFlightTo(transaction, attempt.meeting_id),
      paidInto(transaction, attempt.meeting_id),
    ]);
    if (isGivenUp(meeting, attempt)) return inFlight();
    if (in_flight !== 'nothing') return reopened(transaction, attempt, inFlight().refused);
    const planned: SettlementRow = {
      ...rowOf(attempt, meeting, foundation.runtime.clock()),
      ...storedForm(planRefund(meeting.id, paid)),
      kind: 'cancellation',
      rules_version: attempt.terms.rules_version,
      collected_minor: totalOf(paid),
      to_treasury_minor: 0n,
      savings_emoney_minor: 0n,
      savings_cash_minor: 0n,
      claims: [],
    };
    storePlan(transaction, planned);
    return planned;
  });
  return plannedOrThrown(result);
}

/** A refusal is a value here: thrown, it would roll back the opening. */
type Planned = SettlementRow | { refused: Problem };

function plannedOrThrown(result: Planned): SettlementRow {
  if ('refused' in result) throw result.refused;
  return result;
}

function inFlight(): { refused: Problem } {
  return { refused: problem('contributions_in_flight') };
}

/** A sweeper took this attempt for dead and opened the meeting again. */
function isGivenUp(meeting: MeetingRow, { attempt_id }: PlanningAttempt): boolean {
  return meeting.attempt_id !== attempt_id;
}

async function reopened(
  { closing }: Transaction,
  { meeting_id, attempt_id }: PlanningAttempt,
  refused: Problem,
): Promise<Planned> {
  await reopenMeeting(closing, meeting_id, attempt_id);
  return { refused };
}

/** Takes the meeting and the arrears that may be set off, and judges by what is there then: one round trip. */
async function lockAndJudge(
  transaction: Transaction,
  { meeting_id, situation, terms, wallets }: SettlementAttempt,
  clock: Clock,
): Promise<{ meeting: MeetingRow; judged: JudgedSettlement; now: Date }> {
  const { association_id } = situation.meeting;
  const { debtor_ids } = situation;
  const [meeting, , facts] = await Promise.all([
    lockMeeting(transaction, meeting_id),
    debtor_ids.length === 0 ? undefined : lockArrears(transaction, association_id, debtor_ids),
    readFacts(transaction, situation),
  ]);
  // The day and the hour are those once the meeting is held: who waits for it may wait past midnight.
  const now = clock();
  return { meeting, judged: judgeSettlement(meeting, facts, { situation, terms, wallets, now }), now };
}

async function storeSettlement(
  transaction: Transaction,
  attempt: SettlementAttempt,
  meeting: MeetingRow,
  { plan, collected }: JudgedSettlement,
  now: Date,
): Promise<SettlementRow> {
  const { situation, terms } = attempt;
  const planned: SettlementRow = {
    ...rowOf(attempt, meeting, now),
    ...storedForm(plan),
    kind: 'settlement',
    rules_version: (situation.cycle ?? terms).rules_version,
    collected_minor: sumOfFunds(collected),
    to_treasury_minor: plan.to_treasury_minor,
    savings_emoney_minor: plan.savings.emoney_minor,
    savings_cash_minor: plan.savings.cash_minor,
    claims: plan.claims.map(inNumbers),
  };
  storePlan(transaction, planned);
  const parts = plan.set_offs.map((part) => ({ ...part, wallet_id: null }));
  await takeArrears(transaction.closing, attempt.attempt_id, parts);
  return planned;
}

/** In the contract's order. */
function refusalOf(
  { in_flight, hindrance: code, plan, missing }: JudgedSettlement,
  meeting: MeetingRow,
  preview_hash: string | undefined,
): Problem | undefined {
  if (in_flight) return problem('contributions_in_flight');
  if (preview_hash !== undefined && preview_hash.toLowerCase() !== previewHash(meeting.id, plan)) {
    return problem('settlement_changed');
  }
  if (code !== 'meeting_underfunded') return code === undefined ? undefined : problem(code);
  return problem(code, {
    missing: missing.map(({ member_id, outstanding_minor }) => ({
      member_id,
      outstanding: toMajor(outstanding_minor, meeting.currency),
    })),
  });
}

function rowOf({ attempt_id, settled_by_member_id }: PlanningAttempt, meeting: MeetingRow, now: Date) {
  return {
    id: attempt_id,
    association_id: meeting.association_id,
    meeting_id: meeting.id,
    status: 'planned' as const,
    currency: meeting.currency,
    expected_minor: meeting.expected_minor,
    settled_by_member_id,
    failure_code: null,
    created_at: now,
    settled_at: null,
    driven_at: now,
  };
}

/** JSON has no bigint; sums are safe integers, as the ledger carries none that is larger. */
function storedForm({ payouts, legs }: { payouts: readonly PlannedPayout[]; legs: readonly PlannedLeg[] }) {
  return { payouts: payouts.map(inNumbers), legs: legs.map(inNumbers), paid_out_minor: totalOf(payouts) };
}
