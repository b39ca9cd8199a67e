import type { CONTRIBUTION_STATUSES } from '../../../lib/contracts/contribution.ts';
import type { PAYMENT_METHODS } from '../../../lib/contracts/fields.ts';
import type { Metadata } from '../../../lib/contracts/metadata.ts';
import { bigint, instant, json, jsonb, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import { sqlList, statesBefore, statesWhere, type StateTable } from '../../../lib/saga/states.ts';

/**
 * `refused`: the request that stored it got the refusal, and it is never shown. `failed`: it may have been seen as pending.
 * `reversing`: a correction has taken it back, and the ledger has not decided yet; it is shown as paid.
 */
export type ContributionStatus = (typeof CONTRIBUTION_STATUSES)[number] | 'refused' | 'reversing';

interface Facts {
  /** The status that clients see; null if the contribution is not shown. */
  shown: (typeof CONTRIBUTION_STATUSES)[number] | null;
  /** Whether its transfer is in the ledger. */
  posted: boolean;
  /** Whether it is posted and not being reversed. */
  counts: boolean;
}

/**
 * Each contribution is decided once, by the first attempt that knows the answer of the ledger or, for cash, of the board.
 */
export const CONTRIBUTION_STATES: StateTable<ContributionStatus, Facts> = {
  pending: { next: ['paid', 'failed', 'refused'], shown: 'pending', posted: false, counts: false },
  paid: { next: ['reversing'], shown: 'paid', posted: true, counts: true },
  reversing: { next: ['paid', 'reversed'], shown: 'paid', posted: true, counts: false },
  reversed: { next: [], shown: 'reversed', posted: true, counts: false },
  failed: { next: [], shown: 'failed', posted: false, counts: false },
  refused: { next: [], shown: null, posted: false, counts: false },
};

/**
 * SQL lists of the statuses of contributions that are pending, take a part of the due without being paid, are paid, and are
 * visible to clients.
 */
export const PENDING = sqlList(statesBefore(CONTRIBUTION_STATES, 'failed'));
export const IN_FLIGHT = sqlList(statesBefore(CONTRIBUTION_STATES, 'paid'));
export const PAID = sqlList(statesWhere(CONTRIBUTION_STATES, ({ counts }) => counts));
export const SHOWN_CONTRIBUTIONS = sqlList(statesWhere(CONTRIBUTION_STATES, ({ shown }) => shown !== null));

/**
 * Payments of members' dues, or of any amount outside a cycle. A contribution's transfer has the same id. Cash has neither
 * wallet nor payer; the treasury posts it once the board has confirmed it.
 */
export const contributions = table('contributions', {
  id: key(uuid()),
  association_id: uuid(),
  meeting_id: uuid(),
  member_id: uuid(),
  paid_by_member_id: uuid(),
  payer_user_id: optional(text()),
  wallet_id: optional(text()),
  method: text<(typeof PAYMENT_METHODS)[number]>(),
  /** Pays into the meeting's pool or, if the meeting is settled, directly to the member's creditors. */
  kind: text<'pool' | 'arrears'>(),
  amount_minor: bigint(),
  currency: text(),
  status: text<ContributionStatus>(),
  /** What is left of the due or, for `arrears`, of the arrears, as of the last change of this row. */
  outstanding_minor: bigint(),
  /** Why it failed or was refused: an error code of the ledger, or the treasury's reason for cash. */
  failure_code: optional(text()),
  created_at: instant(),
  decided_at: optional(instant()),
  last_attempt_at: instant(),
});
export type ContributionRow = RowOf<typeof contributions> & {
  /** From `contribution_metadata`; `{}` for none, absent in a row that was read without it. */
  metadata?: Metadata;
};
export type DescribedContribution = ContributionRow & { metadata: Metadata };

/** The metadata of contributions that have some. It is written with the contribution, and never changes. */
export const contributionMetadata = table('contribution_metadata', {
  contribution_id: key(uuid()),
  metadata: json<Metadata>(),
});

/** The gateway's statement for the treasury that the payer has called, until the contribution is decided (ADR 29). */
export const contributionStatements = table('contribution_statements', {
  contribution_id: key(uuid()),
  statement: text(),
});

/** What each member has paid of each due before settlement. The first payment, also of arrears, creates the row. */
export const dues = table('dues', {
  meeting_id: key(uuid()),
  member_id: key(uuid()),
  /** Null outside a cycle, where nothing is owed and any amount may be paid. */
  due_minor: optional(bigint()),
  /** What is paid or in flight. */
  taken_minor: bigint(),
  paid_minor: bigint(),
});

/**
 * What one member owes for a meeting and has paid. `paid_minor` includes payments of arrears after the meeting settled;
 * `arrears_minor` is what they still owe. `place` is an ordinal or the member's id: the next page begins after it.
 */
export interface ListedDue {
  member_id: string;
  due_minor: bigint;
  paid_minor: bigint;
  arrears_minor: bigint;
  place: string;
}

/** Claimed contributions in cash. The treasury repeats its request until it is answered; the first outcome is kept. */
export const cashClaims = table('cash_claims', {
  contribution_id: key(uuid()),
  /** Why the due was not taken; null if it was taken. */
  refusal: optional(jsonb<Refusal>()),
});
