/** How this service's rows look to clients: amounts in major units, instants as text. */
import type { EntityManager } from 'typeorm';
import type { Contribution, Cycle, Due, Meeting, Settlement } from '../../../lib/contracts/contribution.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { Reader } from '../../../lib/db/statements.ts';
import { outstandingOf } from '../domain/dues.ts';
import type { Hand } from '../domain/rotation.ts';
import { shortfallOf } from '../domain/settlement.ts';
import type { ContributionRow } from '../persistence/contribution.entity.ts';
import type { CycleRow } from '../persistence/cycle.entity.ts';
import { handsOf } from '../persistence/cycles.ts';
import type { DueRow } from '../persistence/dues.ts';
import { findShownMeeting } from '../persistence/meetings.ts';
import type { ShownMeetingRow } from '../persistence/meetings.ts';
import type { SettlementRow, StoredClaim } from '../persistence/settlement.entity.ts';

/** The shown forms of a page of cycles, their hands read at once. */
export async function showCycles(manager: EntityManager, rows: CycleRow[]): Promise<Cycle[]> {
  const ids = rows.map((row) => row.id);
  const hands = await handsOf(manager, ids);
  return rows.map((row) => cycleWith(row, hands.get(row.id) ?? []));
}

/** The shown form of one cycle. */
export async function showCycle(manager: EntityManager, row: CycleRow): Promise<Cycle> {
  const hands = await handsOf(manager, [row.id]);
  return cycleWith(row, hands.get(row.id) ?? []);
}

/**
 * The meeting that a path names, as clients see it.
 * @throws not_found
 */
export async function shownMeetingOf(
  manager: Reader,
  path: { association_id: string; meeting_id: string },
): Promise<Meeting> {
  const row = await findShownMeeting(manager, path.association_id, path.meeting_id);
  if (row === undefined) throw problem('not_found');
  return showMeeting(row);
}

/** A member's due as clients see it. */
export function showDue(row: DueRow, currency: string): Due {
  return {
    member_id: row.member_id,
    due: toMajor(row.due_minor, currency),
    paid: toMajor(row.paid_minor, currency),
    outstanding: toMajor(outstandingOf(row.due_minor, row.paid_minor), currency),
    arrears: toMajor(row.arrears_minor, currency),
  };
}

/** A contribution as clients see it; one that was refused with a 4xx they never do. */
export function showContribution(row: ContributionRow): Contribution {
  if (row.status === 'refused') throw new Error(`Contribution ${row.id} was refused and must not be shown`);
  const paid = row.status === 'paid';
  return {
    id: row.id,
    association_id: row.association_id,
    meeting_id: row.meeting_id,
    member_id: row.member_id,
    paid_by_member_id: row.paid_by_member_id,
    wallet_id: row.wallet_id,
    amount: toMajor(row.amount_minor, row.currency),
    currency: row.currency,
    method: row.method,
    status: row.status,
    outstanding: toMajor(row.outstanding_minor, row.currency),
    transfer_id: paid ? row.id : null,
    paid_at: paid ? instantOf(row.decided_at) : null,
  };
}

/** What a settlement leaves owed, each debtor once, in natural order; those whom he owes in rotation order. */
export function showArrears(claims: readonly StoredClaim[], currency: string): Settlement['arrears'] {
  const byDebtor = Map.groupBy(claims, (claim) => claim.debtor_id);
  return [...byDebtor].map(([member_id, owed]) => ({
    member_id,
    amount: toMajor(
      owed.reduce((sum, claim) => sum + BigInt(claim.amount_minor), 0n),
      currency,
    ),
    owed_to: owed.map(({ creditor_id, amount_minor }) => ({
      member_id: creditor_id,
      amount: toMajor(BigInt(amount_minor), currency),
    })),
  }));
}

/** A settlement as clients see it. */
export function showSettlement(row: SettlementRow): Settlement {
  const major = (minor: bigint) => toMajor(minor, row.currency);
  return {
    id: row.id,
    meeting_id: row.meeting_id,
    status: row.status === 'settled' ? 'settled' : 'pending',
    collected_amount: major(row.collected_minor),
    expected_amount: major(row.expected_minor),
    shortfall_amount: major(shortfallOf(row.expected_minor, row.collected_minor)),
    payouts: row.payouts.map(({ member_id, wallet_id, method, amount_minor }) => ({
      member_id,
      wallet_id,
      method,
      amount: major(BigInt(amount_minor)),
      transfer_id: row.id,
    })),
    to_treasury_amount: major(row.to_treasury_minor),
    arrears: showArrears(row.claims, row.currency),
    rules_version: row.rules_version,
    settled_by_member_id: row.settled_by_member_id,
    settled_at: instantOf(row.settled_at),
  };
}

function cycleWith(row: CycleRow, hands: readonly Hand[]): Cycle {
  if (row.number === null || row.rounds === null || (row.status !== 'running' && row.status !== 'completed')) {
    throw new Error(`Cycle ${row.id} has not started and must not be shown`);
  }
  return {
    id: row.id,
    association_id: row.association_id,
    number: row.number,
    status: row.status,
    order: row.rotation_order,
    seed: row.seed,
    starts_on: row.starts_on,
    contribution_amount: toMajor(row.contribution_amount_minor, row.currency),
    rules: row.rules,
    rules_version: row.rules_version,
    hands: hands.map(({ position, member_id, round }) => ({ position, member_id, round })),
    rounds: row.rounds,
    created_at: row.created_at.toISOString(),
  };
}

/** A meeting as clients see it. */
export function showMeeting(row: ShownMeetingRow): Meeting {
  return {
    id: row.id,
    association_id: row.association_id,
    cycle_id: row.cycle_id,
    round: row.round,
    title: row.title,
    due_on: row.due_on,
    status: row.status,
    expected_amount: toMajor(row.expected_minor, row.currency),
    collected_amount: toMajor(row.collected_minor, row.currency),
    beneficiaries: countHands(row.turns),
    settled_at: instantOf(row.settled_at),
  };
}

/** Each member once, with his hands, at the place of his first. */
function countHands(turns: readonly string[]): { member_id: string; hands: number }[] {
  const hands = new Map<string, number>();
  for (const member_id of turns) hands.set(member_id, (hands.get(member_id) ?? 0) + 1);
  return [...hands].map(([member_id, count]) => ({ member_id, hands: count }));
}

function instantOf(instant: Date | null): string | null {
  return instant === null ? null : instant.toISOString();
}
