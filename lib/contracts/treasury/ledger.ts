/** What treasury shows: transfers and their legs, wallets, cash, distributions, balances, statements. */
import {
  date,
  described,
  enumeration,
  integer,
  list,
  minor,
  money,
  named,
  nullable,
  object,
  opaque,
  text,
} from '../../schema/fields.ts';
import type { Value } from '../../schema/fields.ts';
import { associationName, currencyCode, NAME_MAX_CODE_POINTS } from '../membership/associations.ts';
import {
  approvalId,
  associationId,
  at,
  EXAMPLE,
  meetingId,
  meetingReference,
  memberId,
  ownId,
  sha256,
  transferId,
  userId,
  walletId,
} from '../ids.ts';

/** Bounds of the contract, section 3, and of RFC-sized texts where it is silent. */
export const REASON_MAX_CODE_POINTS = 500;
export const REFERENCE_MAX_CODE_POINTS = 200;
export const ACCOUNT_MAX_LENGTH = 200;

export const PAYOUT_METHODS = ['wallet', 'cash'] as const;
export const CASH_STATUSES = ['pending_approval', 'confirmed', 'rejected'] as const;
export const DISTRIBUTION_STATUSES = ['pending_approval', 'paid', 'rejected', 'failed'] as const;

/** Some 4 MB of JSON; no reader takes more at once, and longer statements are to be asked for by period. */
export const STATEMENT_MAX_MOVEMENTS = 10_000;

/** Why money moved. */
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
] as const;
export type TransferKind = (typeof TRANSFER_KINDS)[number];

const transferKind = () => described(enumeration(TRANSFER_KINDS), 'Why money moved.', 'contribution');
export const payoutMethod = () => described(enumeration(PAYOUT_METHODS), 'E-money or cash.', 'wallet');
const postedAt = () => at('When it was posted.');
const seq = (description: string) => described(integer(1, Number.MAX_SAFE_INTEGER), description, 17);
export const reason = (example: string) =>
  described(text(1, REASON_MAX_CODE_POINTS), 'For the board and the ledger.', example);
const reference = () =>
  nullable(described(text(0, REASON_MAX_CODE_POINTS), 'What the caller gave; the reason, for cash and distributions.'));

export const leg = named(
  'Leg',
  object({
    account: described(
      opaque(ACCOUNT_MAX_LENGTH),
      'E-money: `wallet:<id>`, `pool:<meeting>`, `treasury`, `reserved`, `funding`. Cash: `cash_pool:<meeting>`, ' +
        '`cash_treasury`, `cash_reserved`, `cash_funding`.',
      `pool:${EXAMPLE.meeting_id}`,
    ),
    amount_minor: described(minor(), 'Minor units; what the account gets, below zero what it gives.', 10_000),
  }),
);
export type Leg = Value<typeof leg>;

const EXAMPLE_LEGS: Leg[] = [
  { account: `wallet:${EXAMPLE.wallet_id}`, amount_minor: -10_000 },
  { account: `pool:${EXAMPLE.meeting_id}`, amount_minor: 10_000 },
];

/** A posted transfer, exactly as it is hashed (contract, section 5). */
export const transferRecord = named(
  'Transfer',
  object({
    id: ownId(EXAMPLE.transfer_id),
    seq: seq('Without gaps within an association (or within a wallet, where there is none).'),
    association_id: nullable(associationId()),
    kind: transferKind(),
    legs: described(list(leg), 'They sum to zero in each of the two monies.', EXAMPLE_LEGS),
    currency: currencyCode('ISO 4217.'),
    reference: described(reference(), 'What the caller gave; the reason, for cash and distributions.', null),
    posted_at: postedAt(),
    prev_hash: sha256('The hash of the transfer before; 64 zeros for the first.'),
    hash: sha256('SHA-256 (hex) of the RFC 8785 form of this object without `hash`.'),
  }),
);
export type TransferRecord = Value<typeof transferRecord>;

export const wallet = named(
  'Wallet',
  object({
    id: walletId('Names the wallet.'),
    user_id: userId('Whose it is.'),
    currency: currencyCode('ISO 4217.'),
    balance: described(money(), 'What it holds.', 40_000),
    created_at: at('When it was opened.', '2026-10-01T09:12:45.031Z'),
  }),
);
export type Wallet = Value<typeof wallet>;

export const payout = named(
  'Payout',
  object({
    member_id: memberId('Who is paid.', EXAMPLE.president_id),
    wallet_id: nullable(walletId('Into which wallet; null for cash.', EXAMPLE.president_wallet_id)),
    method: payoutMethod(),
    amount: described(money(), 'How much.', 40_000),
    transfer_id: transferId(),
  }),
);
export type Payout = Value<typeof payout>;

const atMeeting = () =>
  nullable(meetingId('The meeting for which it is a contribution; null: it is for the treasury.'));

export const cashDeposit = named(
  'CashDeposit',
  object({
    id: ownId(EXAMPLE.cash_deposit_id),
    association_id: associationId(),
    member_id: memberId('Who handed the cash over.'),
    amount: described(money(), 'How much.', 10_000),
    currency: currencyCode('ISO 4217.'),
    reason: reason('Paid at the door'),
    meeting_id: atMeeting(),
    status: described(
      enumeration(CASH_STATUSES),
      '`rejected` also when the approval expired or was cancelled.',
      'pending_approval',
    ),
    approval_id: approvalId(),
    recorded_by_member_id: memberId('Who recorded it.', EXAMPLE.secretary_id),
    recorded_at: at('When.'),
  }),
);
export type CashDeposit = Value<typeof cashDeposit>;

export const cashLedgerEntry = named(
  'CashLedgerEntry',
  object({
    id: ownId(EXAMPLE.transfer_id),
    kind: described(enumeration(TRANSFER_KINDS), 'Why cash moved.', 'cash_deposit'),
    amount: described(money(), 'Above zero what came into the cash box, below zero what went out.', 10_000),
    balance_after: described(money(), 'What the cash box held then.', 12_000),
    member_id: nullable(memberId('Whom it is about.')),
    reference: described(reference(), 'The reason that was given.', 'Paid at the door'),
    posted_at: postedAt(),
  }),
);

export const distribution = named(
  'Distribution',
  object({
    id: ownId(EXAMPLE.distribution_id),
    association_id: associationId(),
    beneficiary_member_id: memberId('Who is to be paid.'),
    amount: described(money(), 'How much.', 25_000),
    currency: currencyCode('ISO 4217.'),
    reason: reason('Hospital bill'),
    status: described(
      enumeration(DISTRIBUTION_STATUSES),
      '`rejected` also when the approval expired or was cancelled; the reserve is released unless it is paid.',
      'pending_approval',
    ),
    approval_id: approvalId(),
    requested_by_member_id: memberId('Who asked for it.', EXAMPLE.treasurer_id),
    requested_at: at('When.'),
    payouts: described(
      list(payout),
      'Once paid: e-money to the payout wallet first, the rest as cash.',
      [] as Payout[],
    ),
    decided_at: described(nullable(at('')), 'When it was decided.', null),
  }),
);
export type Distribution = Value<typeof distribution>;

export const balancesShape = named(
  'Balances',
  object({
    currency: currencyCode('ISO 4217.'),
    treasury: described(money(), 'The treasury, both monies together.', 62_000),
    reserved: described(money(), 'Reserved for distributions that are not decided, both monies together.', 25_000),
    cash: described(money(), 'All that the cash box holds.', 12_000),
    available: described(money(), 'What a distribution could be paid from: the treasury without savings.', 62_000),
    pools: described(
      list(
        named(
          'PoolBalance',
          object({
            meeting_id: meetingId(),
            amount: described(money(), 'E-money that has come in for it.', 20_000),
            cash_amount: described(money(), 'Cash that has come in for it.', 10_000),
          }),
        ),
      ),
      'What has come in for meetings that are not settled.',
    ),
  }),
);

export const ledgerHeadShape = () =>
  named(
    'LedgerHead',
    object({
      seq: described(integer(0, Number.MAX_SAFE_INTEGER), 'Of the last transfer; 0 while there is none.', 17),
      hash: sha256('Of the last transfer; 64 zeros while there is none.'),
    }),
  );

export const statementShape = named(
  'Statement',
  object({
    association: described(object({ id: ownId(EXAMPLE.association_id), name: associationName() }), 'Where.'),
    member: described(
      object({
        id: ownId(EXAMPLE.member_id),
        user_id: userId(),
        display_name: nullable(described(text(1, NAME_MAX_CODE_POINTS), 'As the member writes it.', 'Awa Ngono')),
      }),
      'Whose.',
    ),
    currency: currencyCode('ISO 4217.'),
    from: nullable(described(date(), 'The first day, in UTC; null: from the beginning.', '2026-10-01')),
    to: nullable(described(date(), 'The last day, in UTC; null: until now.', '2026-10-31')),
    opening_balance: described(
      money(),
      'What the member has paid in less what he was paid out, before the first movement.',
      0,
    ),
    closing_balance: described(money(), 'The same after the last one.', 10_000),
    paid_in: described(money(), 'The sum of what he paid in.', 10_000),
    paid_out: described(money(), 'The sum of what he was paid.', 0),
    owes: described(
      money(),
      'Arrears: what the member still owes to others from settled rounds, in all, when the statement was made.',
      2_000,
    ),
    is_owed: described(money(), 'Arrears that others still owe to the member, in all.', 0),
    arrears: described(
      list(
        named(
          'MemberArrears',
          object({
            meeting: described(meetingReference, 'From which round.'),
            owes: described(money(), 'What the member still owes from it.', 2_000),
            is_owed: described(money(), 'What the member is still owed from it.', 0),
            since: at('When the round settled.'),
          }),
        ),
      ),
      'The same by settled round: the oldest first, at most 1 000.',
    ),
    movements: described(
      list(
        named(
          'Movement',
          object({
            transfer_id: transferId(),
            seq: seq("The transfer's place in the chain."),
            kind: transferKind(),
            posted_at: postedAt(),
            method: payoutMethod(),
            amount: described(money(), 'Above zero what he paid in, below zero what he was paid.', 10_000),
            balance_after: described(money(), 'After this movement.', 10_000),
            meeting: nullable(described(meetingReference, 'The meeting that it is about; null where there is none.')),
            reference: described(reference(), 'What was given with it.', null),
            hash: sha256("The transfer's hash."),
          }),
        ),
      ),
      'The oldest first.',
    ),
    ledger_head: described(
      ledgerHeadShape(),
      "The ledger's head when the statement was made: with an export up to it every movement can be verified.",
    ),
    made_at: at('When the statement was made.'),
  }),
);
