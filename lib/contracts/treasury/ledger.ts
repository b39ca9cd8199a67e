/** Transfers between accounts, the hash chain, and balances. */
import * as t from '../fields.ts';
import { poolAccount, treasuryAccount, walletAccount } from '../accounts.ts';
import { chapter, command } from '../action.ts';
import { metadata } from '../metadata.ts';

/** Enough for texts of people and references of payment providers; the API documents both. */
export const REASON_MAX_CODE_POINTS = 500;
export const REFERENCE_MAX_CODE_POINTS = 200;
const ACCOUNT_MAX_LENGTH = 200;
/** More than the largest settlement has: one leg for each paid hand and a few for accounts. */
const LEGS_MAX = 100_000;

/** The reasons for transfers. */
export const TRANSFER_KINDS = [
  'wallet_deposit',
  'wallet_withdrawal',
  'contribution',
  'arrears_payment',
  'cash_contribution',
  'settlement',
  'meeting_refund',
  'cash_deposit',
  'distribution_reserve',
  'distribution_payment',
  'distribution_release',
  'fine_payment',
  'meeting_sheet',
  'reversal',
] as const;
export type TransferKind = (typeof TRANSFER_KINDS)[number];

export const transferKind = (meaning = 'Why money moved.', example: TransferKind = 'contribution') =>
  t.enumeration(TRANSFER_KINDS, meaning, example);
export const postedAt = () => t.at('When it was posted.');
export const seq = (description: string) => t.integer(1, t.UNBOUNDED, description, 17);
export const reference = (meaning: string, example: string | null) =>
  t.nullable(t.text(0, REASON_MAX_CODE_POINTS, meaning), example);
export const REFERENCE =
  'The reference of the caller; for cash and distributions the reason; for a reversal the reversed transfer.';

export const leg = t.record('Leg', {
  account: t.opaque(
    ACCOUNT_MAX_LENGTH,
    'E-money: `wallet:<id>`, `pool:<meeting>` (collected for a meeting that is not settled), `treasury`, ' +
      '`reserved` (for distributions), `funding` (the outside world). Cash: `cash_pool:<meeting>`, `cash_treasury`, ' +
      '`cash_reserved`, `cash_funding`.',
    poolAccount(t.EXAMPLE.meeting_id),
  ),
  amount_minor: t.minor(
    'In minor units; positive if the account receives it, negative if the account pays it.',
    10_000,
  ),
});
export type Leg = t.Value<typeof leg>;

/** A posted transfer, exactly as it is hashed (docs/ledger.md). */
export const transferRecord = t.record('Transfer', {
  id: t.ownId(t.EXAMPLE.transfer_id),
  seq: seq('Counts without gaps in each association; deposits and withdrawals are counted in each wallet.'),
  association_id: t.nullable(t.associationId()),
  kind: transferKind(),
  legs: t.list(leg, 'The legs sum to zero in e-money and in cash.', [
    { account: walletAccount(t.EXAMPLE.wallet_id), amount_minor: -10_000 },
    { account: poolAccount(t.EXAMPLE.meeting_id), amount_minor: 10_000 },
  ]),
  currency: t.currencyCode(),
  reference: reference(REFERENCE, null),
  posted_at: postedAt(),
  prev_hash: t.sha256('The hash of the previous transfer; 64 zeros for the first.'),
  hash: t.sha256('SHA-256 (hex) of the RFC 8785 form of this object without `hash`.'),
  // Only deposits and withdrawals have some.
  metadata: t.notInExamples(metadata),
});
export type TransferRecord = t.Value<typeof transferRecord>;

export const ledgerHeadShape = t.record('LedgerHead', {
  seq: t.integer(0, t.UNBOUNDED, 'The `seq` of the last transfer; 0 if there is none.', 17),
  hash: t.sha256('The hash of the last transfer; 64 zeros if there is none.'),
});

/**
 * The filters of lists of transfers.
 * @param zone whose days they are
 */
export const transferFilters = (zone: string) => ({
  kind: t.optional(transferKind('Only transfers of this kind.')),
  from: t.optional(
    t.dayOrInstant(
      `Only transfers that were posted on or after this day ${zone}, or at or after this instant.`,
      '2026-10-01',
    ),
  ),
  to: t.optional(
    t.dayOrInstant(
      `Only transfers that were posted on or before this day ${zone}, or at or before this instant.`,
      '2026-10-31',
    ),
  ),
});

/** A part of the description of lists whose filters have no index. */
export const SHORT_PAGES =
  'With filters, a page may have fewer items than `limit`, or none, although `next_cursor` is not null.';

const poolBalance = t.record('PoolBalance', {
  meeting_id: t.meetingId(),
  amount: t.money('What was collected for the meeting, e-money and cash together.', 20_000),
  cash_amount: t.money('The part of it that is cash.', 10_000),
});

export const balances = chapter('Treasury')({
  name: 'treasury.balances',
  summary: 'Show what the association holds',
  description: 'Now, or at an instant: after all transfers that were posted at or before it.',
  permission: 'read',
  path: t.inAssociation,
  query: {
    at: t.optional(t.at('The instant. The default is now, which an instant in the future means too.')),
  },
  answer: t.record('Balances', {
    currency: t.currencyCode(),
    treasury: t.money('The treasury, e-money and cash together.', 62_000),
    reserved: t.money('Reserved for distributions that are not decided, e-money and cash together.', 25_000),
    cash: t.money('All cash in the cash box.', 12_000),
    available: t.money('What distributions can pay: the treasury minus the savings of members.', 62_000),
    pools: t.list(poolBalance, 'What was collected for meetings that are not settled.'),
  }),
});

const endpoint = chapter('Ledger');

export const ledger = endpoint({
  name: 'treasury.ledger',
  summary: 'List transfers',
  description: `Newest first. Filters may be combined. ${SHORT_PAGES}`,
  permission: 'read',
  path: t.inAssociation,
  query: {
    ...t.pageQuery,
    ...transferFilters('in the time zone of the association'),
    account: t.optional(
      t.opaque(ACCOUNT_MAX_LENGTH, 'Only transfers with a leg of this account, named as in legs.', treasuryAccount()),
    ),
    member_id: t.optional(t.memberId('Only transfers in which this member paid or was paid, as on their statement.')),
  },
  answer: t.pageOf(transferRecord),
});

export const ledgerHead = endpoint({
  name: 'treasury.ledger_head',
  summary: 'Show the last transfer of the chain',
  description: 'If you keep this hash outside the service, any later change of the past can be detected.',
  permission: 'read',
  path: t.inAssociation,
  answer: ledgerHeadShape,
});

/** Reads one part of the export. The gateway reads parts until `done` and streams them as NDJSON. */
export const ledgerExport = endpoint({
  name: 'treasury.ledger_export',
  summary: 'Export all transfers',
  description:
    'Streams all transfers, oldest first, one JSON object per line. The export can be verified without the ' +
    'server: each `hash` is the SHA-256 of the RFC 8785 form of its transfer without `hash`, and each `prev_hash` is ' +
    'the hash of the previous line. If the connection is interrupted, the export is incomplete.',
  permission: 'read',
  path: t.inAssociation,
  query: {
    after_seq: t.optional(t.integer(0, t.UNBOUNDED, 'Only transfers after this one, to continue an export.', 0)),
  },
  answer: t.object({ transfers: t.list(transferRecord), done: t.boolean() }),
});

const transferLeg = t.object({
  account: t.opaque(ACCOUNT_MAX_LENGTH),
  amount_minor: t.minor(),
  /**
   * The member on whose statement the leg appears. The default is the member of the transfer. Not part of the chain.
   */
  member_id: t.optional(t.id()),
});
export type TransferLeg = t.Value<typeof transferLeg>;

/**
 * Posts one transfer of an association. Its id is that of the caller's operation: a repeat gets the first outcome
 * again, even a refusal. Refuses with not_found (a wallet that does not exist or does not belong to `payer_user_id`),
 * wallet_currency_mismatch, insufficient_funds, balance_limit_exceeded, transfer_conflict (the id was used for a
 * different transfer).
 */
export const transfer = command({
  name: 'treasury.transfer',
  input: {
    id: t.id(),
    association_id: t.id(),
    kind: t.enumeration(TRANSFER_KINDS),
    currency: t.currency(),
    legs: t.boundedList(transferLeg, 2, LEGS_MAX),
    /** The change of the savings in the treasury, which other transfers may not use. */
    savings: t.optional(t.object({ emoney_minor: t.minor(), cash_minor: t.minor() })),
    reference: t.nullable(t.text(0, REFERENCE_MAX_CODE_POINTS)),
    /** The owner of every wallet that a leg takes money from. */
    payer_user_id: t.nullable(t.opaque(t.USER_ID_MAX_CODE_POINTS)),
    /** The member on whose statement the transfer appears. Not part of the chain. */
    member_id: t.nullable(t.id()),
  },
  answer: transferRecord,
  acts_for: {
    user: ({ payer_user_id }) => payer_user_id,
    within: (action) => action === 'contribution.contribute' || action === 'contribution.pay_fine',
    operation_id: ({ id }) => id,
  },
});
