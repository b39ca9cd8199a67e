/** Corrections: the board decides that a transfer is reversed. */
import * as t from '../fields.ts';
import { chapter } from '../action.ts';
import { reason } from './cash.ts';
import { transferKind } from './ledger.ts';

const CORRECTION_STATUSES = ['pending_approval', 'done', 'rejected', 'failed'] as const;

const EXAMPLE_REASON = 'Entered twice';

/** The payload of the approval. */
export const correctionPayload = t.record('CorrectionPayload', {
  transfer_id: t.transferId('The transfer that would be reversed.'),
  kind: transferKind('Its kind.'),
  amount: t.money('Its amount.', 10_000),
  currency: t.currencyCode(),
  reason: reason(EXAMPLE_REASON),
  member_id: t.nullable(t.memberId('The member who paid or was paid; null if it is no single member.')),
});

const correction = t.record('Correction', {
  id: t.ownId(t.EXAMPLE.correction_id),
  association_id: t.associationId(),
  transfer_id: t.transferId('The transfer that is to be reversed.'),
  reason: reason(EXAMPLE_REASON),
  status: t.enumeration(
    CORRECTION_STATUSES,
    'It is also `rejected` if the approval expired or was cancelled. `failed`: it was approved and can never be done, and ' +
      '`error` says why.',
    'pending_approval',
  ),
  error: t.nullable(
    t.text(1, t.ERROR_CODE_MAX_LENGTH, 'The error code of a failed correction, such as `insufficient_funds`.'),
    null,
  ),
  approval_id: t.approvalId(),
  requested_by_member_id: t.memberId('The member who requested it.', t.EXAMPLE.treasurer_id),
  requested_at: t.at('When it was requested.'),
  reversal_transfer_id: t.nullable(t.transferId('The transfer that reverses; null until it is posted.'), null),
  decided_at: t.nullable(t.at('When the board decided.'), null),
});
export type Correction = t.Value<typeof correction>;

const endpoint = chapter('Treasury');

export const requestCorrection = endpoint({
  name: 'treasury.request_correction',
  summary: 'Request the reversal of a transfer',
  description:
    'For contributions to an open meeting, its sheets, cash, payments of fines and distributions. After the approval the ' +
    'ledger posts a transfer of the kind `reversal` with each leg negated, whose `reference` is the id of the reversed one, ' +
    'and what it had paid is undone: the due of a contribution and the fine of a payment are open again. A distribution is ' +
    'named by its `distribution_payment`; its reserve is reversed with it. The requester and the beneficiary of a ' +
    'distribution do not vote. What would take an account below zero ends as `failed` with `insufficient_funds`, and a payment ' +
    'for a meeting that is settled before the approval with `meeting_not_open`. Another correction may then be requested.',
  permission: 'correct',
  refuses: ['not_reversible', 'already_reversed', 'meeting_not_open', 'no_eligible_approver'],
  path: t.inAssociation,
  body: {
    transfer_id: t.transferId('The transfer that is to be reversed.'),
    reason: reason(EXAMPLE_REASON),
    pin: t.sealedPin(),
  },
  status: 201,
  answer: correction,
});

export const listCorrections = endpoint({
  name: 'treasury.list_corrections',
  summary: 'List corrections',
  description: 'Newest first.',
  permission: 'read',
  path: t.inAssociation,
  query: t.pageQuery,
  answer: t.pageOf(correction),
});

export const getCorrection = endpoint({
  name: 'treasury.get_correction',
  summary: 'Show a correction',
  permission: 'read',
  path: { ...t.inAssociation, correction_id: t.id('The correction.', t.EXAMPLE.correction_id) },
  answer: correction,
});
