import * as t from '../fields.ts';
import { always, chapter, command } from '../action.ts';
import { metadata } from '../metadata.ts';
import { postedAt, REASON_MAX_CODE_POINTS, reference, transferKind } from './ledger.ts';

const CASH_STATUSES = ['pending_approval', 'confirmed', 'rejected', 'reversed'] as const;

/** Defines the reason for a cash deposit or a distribution. */
export const reason = (example: string) =>
  t.text(1, REASON_MAX_CODE_POINTS, 'The reason, for the board and the ledger.', example);

/** The fields that the board decides on. */
const stated = {
  member_id: t.memberId('The member who paid the cash.'),
  amount: t.money('The amount.', 10_000),
  currency: t.currencyCode(),
  reason: reason('Paid at the door'),
};

/** The payload of the approval. */
export const cashDepositPayload = t.record('CashDepositPayload', {
  ...stated,
  meeting_id: t.optional(t.meetingId('The meeting to which the cash is a contribution.')),
});

const cashDeposit = t.record('CashDeposit', {
  id: t.ownId(t.EXAMPLE.cash_deposit_id),
  association_id: t.associationId(),
  ...stated,
  meeting_id: t.nullable(
    t.meetingId('The meeting to which the cash is a contribution; null if it is for the treasury.'),
  ),
  status: t.enumeration(
    CASH_STATUSES,
    'It is also `rejected` if the approval expired or was cancelled. `reversed`: it was confirmed, and a correction took it back.',
    'pending_approval',
  ),
  approval_id: t.approvalId(),
  recorded_by_member_id: t.memberId('The member who recorded it.', t.EXAMPLE.secretary_id),
  recorded_at: t.at('When it was recorded.'),
  metadata,
});
export type CashDeposit = t.Value<typeof cashDeposit>;

const cashLedgerEntry = t.record('CashLedgerEntry', {
  id: t.ownId(t.EXAMPLE.transfer_id),
  kind: transferKind('Why cash moved.', 'cash_deposit'),
  amount: t.money('Positive if the cash box received it, negative if it was paid out.', 10_000),
  balance_after: t.money('The content of the cash box after this entry.', 12_000),
  member_id: t.nullable(t.memberId('The member who paid or received it.')),
  reference: reference('The reason that was given.', 'Paid at the door'),
  posted_at: postedAt(),
});

const endpoint = chapter('Cash');

export const recordCashContribution = endpoint({
  name: 'treasury.record_cash_contribution',
  summary: 'Record cash that a member paid',
  description:
    'The `pin` is that of the officer who records the cash. The cash counts once the board has approved it: for the ' +
    'treasury or, with `meeting_id`, as a contribution to that meeting. Such cash reserves the due immediately, and ' +
    'the meeting can be neither settled nor cancelled until it is decided. `Location` is the approval, which shows ' +
    'the outcome.',
  permission: 'record_cash',
  refuses: ['no_eligible_approver', 'contribution_exceeds_due', 'meeting_not_open'],
  path: t.inAssociation,
  body: {
    member_id: stated.member_id,
    amount: t.amount('The amount.', 10_000),
    reason: stated.reason,
    pin: t.sealedPin(),
    meeting_id: t.optional(
      t.meetingId('The meeting to which the cash is a contribution. By default it is for the treasury.'),
    ),
    metadata,
  },
  status: 201,
  answer: cashDeposit,
});

export const listCashContributions = endpoint({
  name: 'treasury.list_cash_contributions',
  summary: 'List recorded cash',
  description: 'Newest first. Cash whose recording was refused is not listed.',
  permission: 'read',
  path: t.inAssociation,
  query: {
    ...t.pageQuery,
    status: t.optional(t.enumeration(CASH_STATUSES, 'Only with this status.')),
    member_id: t.optional(t.memberId('Only cash that this member paid.')),
  },
  answer: t.pageOf(cashDeposit),
});

export const getCashContribution = endpoint({
  name: 'treasury.get_cash_contribution',
  summary: 'Show recorded cash',
  permission: 'read',
  path: {
    ...t.inAssociation,
    cash_contribution_id: t.id('The cash that was recorded.', t.EXAMPLE.cash_deposit_id),
  },
  answer: cashDeposit,
});

export const cashLedger = endpoint({
  name: 'treasury.cash_ledger',
  summary: 'List the movements of the cash box',
  description: 'Newest first.',
  permission: 'read',
  path: t.inAssociation,
  query: t.pageQuery,
  answer: t.pageOf(cashLedgerEntry),
});

/** Returns how much the cash box of an association holds, with its reserves and pools. */
export const cashBox = command({
  name: 'treasury.cash_box',
  reads: always,
  input: t.inAssociation,
  answer: t.object({ cash_minor: t.minor() }),
});
