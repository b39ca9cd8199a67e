import type { Settlement, SettlementPreview } from '../../../lib/contracts/contribution.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { MeetingRow } from '../meetings/meeting.table.ts';
import { amountToNumber, previewHash, shortfallOf, type SettlementPlan } from './settlement.rules.ts';
import type { SettlementRow, StoredArrear, StoredPayout } from './settlement.table.ts';

/** Returns a settlement as clients see it. */
export function showSettlement(row: SettlementRow): Settlement {
  const { id, currency } = row;
  return {
    id,
    meeting_id: row.meeting_id,
    status: row.status === 'settled' ? 'settled' : 'pending',
    ...amounts(row, row.collected_minor),
    payouts: showPayouts(row.payouts, currency).map((payout) => ({ ...payout, transfer_id: id })),
    to_treasury_amount: toMajor(row.to_treasury_minor, currency),
    arrears: showArrears(row.claims, currency),
    rules_version: row.rules_version,
    settled_by_member_id: row.settled_by_member_id,
    settled_at: row.settled_at?.toISOString() ?? null,
  };
}

/**
 * Returns a preview as clients see it.
 * @param refused_for why settling would be refused now; null if it would not be
 */
export function showPreview(
  meeting: MeetingRow,
  plan: SettlementPlan,
  collected_minor: bigint,
  rules_version: number,
  refused_for: string | null,
): SettlementPreview {
  const { id, currency } = meeting;
  return {
    meeting_id: id,
    ...amounts(meeting, collected_minor),
    payouts: showPayouts(plan.payouts.map(amountToNumber), currency),
    to_treasury_amount: toMajor(plan.to_treasury_minor, currency),
    arrears: showArrears(plan.claims.map(amountToNumber), currency),
    // In the form in which the ledger shows them.
    legs: plan.legs.map(({ account, amount_minor }) => ({ account, amount_minor: Number(amount_minor) })),
    rules_version,
    refused_for,
    preview_hash: previewHash(id, plan),
  };
}

function amounts(
  { expected_minor, currency }: Pick<MeetingRow, 'expected_minor' | 'currency'>,
  collected_minor: bigint,
) {
  return {
    collected_amount: toMajor(collected_minor, currency),
    expected_amount: toMajor(expected_minor, currency),
    shortfall_amount: toMajor(shortfallOf(expected_minor, collected_minor), currency),
  };
}

function showPayouts(payouts: readonly StoredPayout[], currency: string) {
  return payouts.map(({ member_id, wallet_id, method, amount_minor }) => {
    return { member_id, wallet_id, method, amount: toMajor(BigInt(amount_minor), currency) };
  });
}

/** Returns the arrears that a settlement leaves: each debtor once, with their creditors in the order of the claims. */
function showArrears(claims: readonly StoredArrear[], currency: string): Settlement['arrears'] {
  const byDebtor = Map.groupBy(claims, (claim) => claim.debtor_id);
  return [...byDebtor].map(([member_id, owed]) => ({
    member_id,
    amount: toMajor(
      owed.reduce((sum, claim) => sum + BigInt(claim.amount_minor), 0n),
      currency,
    ),
    owed_to: owed.map(({ creditor_id, amount_minor }) => {
      return { member_id: creditor_id, amount: toMajor(BigInt(amount_minor), currency) };
    }),
  }));
}
